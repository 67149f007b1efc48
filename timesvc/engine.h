/* engine.h: the process that judges: the only code that knows the order of the pipeline.
 *
 * Unprivileged, and nothing in it may block: no disk, no HTTP, no name look-up.
 * monitor_fd: ipc.h; conf_fd: a memfd with the configuration; front_fd: snapshots go out, -1 for none.
 * Returns an exit status when the monitor has gone or asks to stop. */
#ifndef TIMESVC_ENGINE_H
#define TIMESVC_ENGINE_H

int engine_run(int monitor_fd, int conf_fd, int front_fd);

#endif
