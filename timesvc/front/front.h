/* front.h: the process that shows the engine's findings to the world; it can hurt only itself.
 *
 * Pages: /metrics, /status.json, /healthz. */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H

/* Runs until SIGTERM, SIGINT or the end of its parent. `conf_fd` holds the configuration text,
 * `engine_fd` is a SOCK_SEQPACKET that brings struct snapshot; both are closed. When the engine
 * falls silent or hangs up, every clock is shown STALE. 0, or -errno after a line in the log:
 * -EADDRINUSE when the HTTP port is taken. */
int front_run(int engine_fd, int conf_fd);

#endif
