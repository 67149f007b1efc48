/* slices.h: the gate's verdicts as JSON lines, one object for each 100 ms slice.
 *
 * Two threads: the one that runs the gate notes verdicts, which never waits; another writes them out. */
#ifndef PROBE_SLICES_H
#define PROBE_SLICES_H

#include "err.h"
#include "gate.h"

struct slices_log;
int slices_log_open(struct slices_log **log, const char *path, struct err *e);
/* For gate_new(): `arg` is the log. */
void slices_log_note(void *arg, const struct gate_slice_result *r);
/* Writes out what has been noted. NULL is allowed. */
void slices_log_write(struct slices_log *log);
/* The same, and closes. 0, or -errno with a sentence when a line is missing. NULL is allowed. */
int slices_log_close(struct slices_log *log, struct err *e);

#endif
