/* childlog.h: the output of one child, line by line into the log.
 *
 * It flows through a named pipe that the child too holds open for reading: a child that outlives
 * the daemon neither gets SIGPIPE nor waits for anybody (it writes without blocking, and what
 * does not fit is lost), and the next daemon finds its output again. */
#ifndef TIMESVC_CHILDLOG_H
#define TIMESVC_CHILDLOG_H

#include "err.h"
#include "../loop.h"

#define CHILDLOG_LINES_PER_S 50

struct childlog;

/* Makes the pipe when it is missing. `name` goes before every line. */
int childlog_open(struct childlog **log, struct loop *l, const char *path, const char *name, struct err *e);
void childlog_close(struct childlog *log);	/* NULL is allowed; the pipe stays */
/* A descriptor for a child's stdout and stderr; the caller closes it. -errno. */
int childlog_writer(const struct childlog *log);

#endif
