/* monitor.h: the privileged process: starts, watches and stops all others, and opens for the
 * engine what only root may open. It parses no network input. */
#ifndef TIMESVC_MONITOR_H
#define TIMESVC_MONITOR_H

#include <stddef.h>
#include "log.h"
#include "precheck.h"
#include "status.h"
#include "../settings.h"

struct monitor_start {
	const char *file;		/* where the configuration came from; read again on SIGHUP */
	const char *text;
	size_t len;
	const struct settings *settings;
	const struct host *host;
	int lock;			/* from rundir_lock(); stays the caller's */
	enum log_target log_target;
	void (*ready)(void *arg);	/* all that can fail at the start is done */
	void *arg;
};

/* Runs until SIGTERM or SIGINT. */
enum status monitor_run(const struct monitor_start *start);

#endif
