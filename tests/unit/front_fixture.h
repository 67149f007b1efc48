/* front_fixture.h: two clocks and a probe as the front would see them. */
#ifndef TEST_FRONT_FIXTURE_H
#define TEST_FRONT_FIXTURE_H

#include <jansson.h>
#include "timesvc/front/view.h"

#define FIXTURE_WALL_NS INT64_C(1700000100000000000)
#define FIXTURE_MONO_NS (500 * NS_PER_S)

struct fixture {
	struct settings settings;
	struct snapshot snapshot;	/* not yet taken */
	struct store store;
	struct view view;
};

/* "follow" TRUSTED with ALARM by software stamps, "lead" UNKNOWN with nothing known; one sender
 * "a-b"; one event. The view has taken the snapshot 100 ms ago. */
void fixture_init(struct fixture *f);
/* Takes f->snapshot again after a test changed it. */
void fixture_take(struct fixture *f);
/* The status object, of version "1.2.3". */
json_t *fixture_status(const struct fixture *f);

#endif
