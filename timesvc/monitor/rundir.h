/* rundir.h: the daemon's directory of run-time files, its lock and its pid file (one file). */
#ifndef TIMESVC_RUNDIR_H
#define TIMESVC_RUNDIR_H

#include "err.h"

/* Makes the directory (0755) and takes the lock, run_dir/timesvcd.pid. Returns its descriptor.
 * -EWOULDBLOCK: another timesvcd has it; -EACCES, -EPERM, -EROFS: not allowed. */
int rundir_lock(const char *run_dir, struct err *e);
int rundir_write_pid(int lock, int pid);
/* Empties the pid file; the lock goes with the descriptor. */
void rundir_release(int lock);

#endif
