/* plan.h: what timesvcd -n prints. */
#ifndef TIMESVC_PLAN_H
#define TIMESVC_PLAN_H

#include <stdio.h>
#include "precheck.h"

void plan_print(FILE *out, const char *file, const struct settings *s, const struct host *h);

#endif
