#include "childlog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "log.h"
#include "nstime.h"

struct childlog {
	int fd;
	struct loop_event *event;
	char path[320], name[64];
	char line[1024];
	size_t used;
	int64_t second_ns;	/* when the present second of the rate limit began */
	unsigned lines, dropped;
};

static void emit(struct childlog *c)
{
	int64_t now = nstime_mono();

	c->line[c->used] = '\0';
	c->used = 0;
	if (now - c->second_ns >= NS_PER_S) {
		if (c->dropped)
			log_warn("%s: %u lines of its output were dropped", c->name, c->dropped);
		c->second_ns = now;
		c->lines = 0;
		c->dropped = 0;
	}
	if (++c->lines > CHILDLOG_LINES_PER_S)
		c->dropped++;
	else
		log_info("%s: %s", c->name, c->line);
}

/* Control characters are a child's, not ours to pass on. */
static void take(struct childlog *c, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '\n') {
			emit(c);
			continue;
		}
		if (c->used == sizeof(c->line) - 1)
			emit(c);
		c->line[c->used++] = (unsigned char)p[i] < ' ' ? ' ' : p[i];
	}
}

static void on_output(void *arg, int fd)
{
	struct childlog *c = arg;
	char buf[4096];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		take(c, buf, (size_t)n);
}

int childlog_writer(const struct childlog *log)
{
	int fd = open(log->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_pipe(const char *path, struct err *e)
{
	struct stat st;
	int fd;

	if (mkfifo(path, 0600) && errno != EEXIST)
		return err_set(e, -errno, "cannot make %s: %s", path, strerror(errno));
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return err_set(e, -errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode)) {
		close(fd);
		return err_set(e, -EEXIST, "%s is in the way of a pipe", path);
	}
	return fd;
}

int childlog_open(struct childlog **log, struct loop *l, const char *path, const char *name, struct err *e)
{
	struct childlog *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	snprintf(c->path, sizeof(c->path), "%s", path);
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->fd = open_pipe(path, e);
	if (c->fd < 0) {
		rc = c->fd;
		goto fail;
	}
	c->event = loop_read(l, c->fd, on_output, c);
	if (!c->event) {
		rc = err_set(e, -ENOMEM, "out of memory");
		goto fail_fd;
	}
	*log = c;
	return 0;
fail_fd:
	close(c->fd);
fail:
	free(c);
	return rc;
}

void childlog_close(struct childlog *log)
{
	if (!log)
		return;
	while (log->used)
		emit(log);
	loop_event_free(log->event);
	close(log->fd);
	free(log);
}
