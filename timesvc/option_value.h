/* option_value.h: the ptp4l.KEY pass-through of a clock section. */
#ifndef TIMESVC_OPTION_VALUE_H
#define TIMESVC_OPTION_VALUE_H

#include "err.h"

struct clock_settings;

/* `key` is the whole key, "ptp4l.logSyncInterval". Keys that timesvc itself generates are refused. */
int option_set_ptp4l(struct clock_settings *c, const char *key, const char *value, struct err *e);

#endif
