/* precheck.h: what must be there before anything is started. */
#ifndef TIMESVC_PRECHECK_H
#define TIMESVC_PRECHECK_H

#include "../settings.h"
#include "confgen.h"
#include "privs.h"
#include "status.h"

/* What the checks found out on their way. */
struct host {
	int root;
	struct privs_ids ids;		/* of settings.user, when root */
	struct ptp4l_version ptp4l;
};

/* STATUS_OK, or what is missing with one sentence in *e. `h` is filled as far as it went. */
enum status precheck(const struct settings *s, struct host *h, struct err *e);

#endif
