#include "precheck.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "children.h"
#include "listen.h"
#include "log.h"
#include "mgmtsock.h"
#include "phcdev.h"
#include "spawn.h"

#define VERSION_TIMEOUT_MS 2000

static enum status check_user(const struct settings *s, struct host *h, struct err *e)
{
	h->root = geteuid() == 0;
	if (h->root && privs_find(s->user, &h->ids, e))
		return STATUS_USER;
	return STATUS_OK;
}

static enum status check_program(const char *path, const char *key, const char *package, struct err *e)
{
	if (!access(path, X_OK))
		return STATUS_OK;
	err_set(e, -ENOENT, "cannot run %s: %s; install %s or set the key '%s'", path, strerror(errno),
		package, key);
	return STATUS_PROGRAM;
}

static int wants_any(const struct settings *s, enum child_kind kind, int count)
{
	for (int i = 0; i < count; i++) {
		struct child_id id = { .kind = (uint16_t)kind, .index = (uint16_t)i };

		if (confgen_wants(s, id))
			return 1;
	}
	return 0;
}

static enum status check_programs(const struct settings *s, struct err *e)
{
	enum status rc = STATUS_OK;

	if (wants_any(s, CHILD_PTP4L, s->clock_count))
		rc = check_program(s->ptp4l_program, "ptp4l_program", "linuxptp", e);
	if (!rc && wants_any(s, CHILD_PHC2SYS, s->clock_count))
		rc = check_program(s->phc2sys_program, "phc2sys_program", "linuxptp", e);
	if (!rc && s->probe_count)
		rc = check_program(s->probe_program, "probe_program", "timesvc-probe", e);
	return rc;
}

/* A version that nobody understands is taken for the oldest: what is generated for it suits all. */
static void find_version(const struct settings *s, struct host *h)
{
	char program[PATH_SIZE], flag[] = "-v", text[128] = "";
	char *const argv[] = { program, flag, NULL };

	h->ptp4l.major = 3;
	h->ptp4l.minor = 1;
	if (!wants_any(s, CHILD_PTP4L, s->clock_count) || access(s->ptp4l_program, X_OK))
		return;
	snprintf(program, sizeof(program), "%s", s->ptp4l_program);
	if (spawn_output(argv, text, sizeof(text), VERSION_TIMEOUT_MS) ||
	    sscanf(text, "%d.%d", &h->ptp4l.major, &h->ptp4l.minor) < 1)
		log_warn("%s -v names no version; taken for 3.1", program);
}

static enum status check_interfaces(const struct settings *s, struct err *e)
{
	for (int i = 0; i < s->clock_count; i++) {
		const char *name = s->clocks[i].interface;

		if (*name && !if_nametoindex(name)) {
			err_set(e, -ENODEV, "clock %s: there is no network interface %s",
				s->clocks[i].name, name);
			return STATUS_INTERFACE;
		}
	}
	return STATUS_OK;
}

static enum status check_phcs(const struct settings *s, struct err *e)
{
	for (int i = 0; i < s->clock_count; i++)
		if (phcdev_used(&s->clocks[i]) && phcdev_check(&s->clocks[i], e) < 0)
			return STATUS_INTERFACE;
	return STATUS_OK;
}

static enum status check_privilege(const struct settings *s, const struct host *h, struct err *e)
{
	for (int i = 0; i < s->clock_count && !h->root; i++) {
		if (s->clocks[i].mode == MODE_STEER) {
			err_set(e, -EPERM, "clock %s: steering needs root", s->clocks[i].name);
			return STATUS_PRIVILEGE;
		}
	}
	return STATUS_OK;
}

static int is_recorded(const struct child_record *r, size_t count, const char *clock)
{
	for (size_t i = 0; i < count; i++)
		if (r[i].kind == CHILD_PTP4L && !strcmp(r[i].name, clock))
			return 1;
	return 0;
}

/* A second ptp4l would silently take the path over from the first. */
static enum status check_sockets(const struct settings *s, struct err *e)
{
	struct child_record ours[CHILDREN_MAX];
	size_t count = children_read(s->run_dir, ours, CHILDREN_MAX);

	for (int i = 0; i < s->clock_count; i++) {
		const struct clock_settings *c = &s->clocks[i];

		if (c->mode == MODE_ADOPT || is_recorded(ours, count, c->name))
			continue;
		if (mgmtsock_answered(c->ptp4l_socket)) {
			err_set(e, -EBUSY, "clock %s: another program already listens on %s",
				c->name, c->ptp4l_socket);
			return STATUS_BUSY;
		}
	}
	return STATUS_OK;
}

static enum status check_http(const struct settings *s, struct err *e)
{
	switch (s->http_port ? listen_check(s->http_address, s->http_port, e) : 0) {
	case 0:
		return STATUS_OK;
	case -EADDRINUSE:
		return STATUS_BUSY;
	case -EACCES:
		return STATUS_PRIVILEGE;
	default:
		return STATUS_INTERFACE;
	}
}

enum status precheck(const struct settings *s, struct host *h, struct err *e)
{
	enum status rc;

	memset(h, 0, sizeof(*h));
	rc = check_user(s, h, e);
	if (!rc)
		rc = check_privilege(s, h, e);
	if (!rc)
		rc = check_programs(s, e);
	if (!rc)
		rc = check_interfaces(s, e);
	if (!rc)
		rc = check_phcs(s, e);
	if (!rc)
		rc = check_sockets(s, e);
	if (!rc)
		rc = check_http(s, e);
	find_version(s, h);
	return rc;
}
