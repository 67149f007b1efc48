/* status.h: /status.json, schema conf/schema/status.json. Pure.
 *
 * Every key is always there; what is not known now is null. */
#ifndef FRONT_STATUS_H
#define FRONT_STATUS_H

#include <jansson.h>
#include "view.h"

#define STATUS_SCHEMA 1

/* New references; NULL: out of memory. */
json_t *status_json(const struct view *v);

/* The parts. */
json_t *status_clock(const struct view *v, int clock);
/* Where the facts of a clock come from decides which of them are known. */
enum status_source { STATUS_NOBODY, STATUS_PAGE, STATUS_ENGINE };
json_t *status_clock_from(const struct clock_snapshot *c, enum status_source source);
json_t *status_event(const struct view *v, const struct trust_event *ev);
json_t *status_probe(const struct view *v, int probe);
json_t *status_child(const struct child_status *c);	/* NULL or not supervised: null */

#endif
