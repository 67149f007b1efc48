/* slices.h: the gate's verdicts as JSON lines, one object for each 100 ms slice. */
#ifndef PROBE_SLICES_H
#define PROBE_SLICES_H

#include <stdio.h>
#include "err.h"
#include "gate.h"

int slices_log_open(FILE **log, const char *path, struct err *e);
/* For gate_new(): `arg` is the FILE. Buffered; flush it when there is time. */
void slices_log_write(void *arg, const struct gate_slice_result *r);
/* 0, or -errno with a sentence when not all of it could be written. NULL is allowed. */
int slices_log_close(FILE *log, struct err *e);

#endif
