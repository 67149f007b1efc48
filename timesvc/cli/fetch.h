/* fetch.h: the status object, from the daemon, or, when it is not there, from the trust page. */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include <jansson.h>
#include "place.h"

/* From the daemon's front. NULL and *e when it is not there or no timesvcd. */
json_t *fetch_status(const struct place *p, struct err *e);
/* What the page alone says, in the same shape ("daemon" is null). NULL and *e: there is none. */
json_t *fetch_page(const struct place *p, struct err *e);

/* The sentence for an error of tsv_open(). */
const char *fetch_page_error(int rc);

#endif
