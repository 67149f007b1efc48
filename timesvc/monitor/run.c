#include "slot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "confgen.h"
#include "io.h"
#include "log.h"
#include "spawn.h"

static int write_ptp4l_conf(const struct monitor *m, int clock, struct err *e)
{
	char text[CONFGEN_TEXT_MAX], path[PATH_SIZE + NAME_SIZE + 16];
	int len = confgen_ptp4l(&m->settings, clock, m->host->ptp4l, text, sizeof(text));

	if (len < 0)
		return err_set(e, len, "the ptp4l.conf is too long");
	return io_write_file(confgen_ptp4l_path(&m->settings, clock, path, sizeof(path)), text,
		(size_t)len, 0644, e);
}

static int open_log(struct slot *s, struct err *e)
{
	char path[PATH_SIZE + sizeof(s->name) + 16], *blank;

	if (s->log)
		return 0;
	snprintf(path, sizeof(path), "%s/log-%s", s->m->settings.run_dir, s->name);
	blank = strrchr(path, ' ');
	if (blank)
		*blank = '-';
	return childlog_open(&s->log, s->m->loop, path, s->name, e);
}

static int run_child(struct slot *s, struct err *e)
{
	struct monitor *m = s->m;
	struct command command;
	struct spawn sp = { .argv = command.argv, .fds = { -1, -1, -1 },
		.dies_with_us = s->id.kind == CHILD_PROBE };
	int rc = confgen_command(&m->settings, s->id, &command);

	if (rc)
		return err_set(e, rc, "its command line is too long");
	if (s->id.kind == CHILD_PTP4L && write_ptp4l_conf(m, s->id.index, e))
		return e->code;
	if (open_log(s, e))
		return e->code;
	sp.out = childlog_writer(s->log);
	if (sp.out < 0)
		return err_set(e, sp.out, "cannot open its log: %s", strerror(-sp.out));
	rc = spawn_start(&sp, e);
	close(sp.out);
	return rc;
}

/* This program again, in another role: 3 the monitor's socket (engine only), 4 the configuration,
 * 5 the engine's or the front's end of their socket. */
static int run_role(const struct slot *s, int monitor_end, int peer_end, struct err *e)
{
	const struct monitor *m = s->m;
	char program[] = "timesvcd", role[sizeof(s->name) + 8], ids[48], log[48];
	char *argv[] = { program, role, log, m->host->root ? ids : NULL, NULL };
	struct spawn sp = { .path = "/proc/self/exe", .argv = argv, .out = -1 };
	int conf = io_memfd("timesvc.conf", m->text, m->len), rc;

	if (conf < 0)
		return err_set(e, conf, "cannot hand over the configuration: %s", strerror(-conf));
	snprintf(role, sizeof(role), "--role=%s", s->name);
	snprintf(log, sizeof(log), "--log=%s:%s", m->settings.log_level,
		m->start->log_target == LOG_TO_SYSLOG ? "syslog" : "stderr");
	snprintf(ids, sizeof(ids), "--ids=%u:%u", (unsigned)m->host->ids.uid, (unsigned)m->host->ids.gid);
	sp.fds[0] = monitor_end;
	sp.fds[1] = conf;
	sp.fds[2] = peer_end;
	rc = spawn_start(&sp, e);
	close(conf);
	return rc;
}

static int run_engine(struct slot *s, struct err *e)
{
	int end, rc = requests_open(s->m, &end);

	if (rc)
		return err_set(e, rc, "cannot make its socket: %s", strerror(-rc));
	rc = run_role(s, end, s->m->pair[0], e);
	close(end);
	if (rc < 0)
		requests_close(s->m);
	else
		requests_introduce(s->m);
	return rc;
}

int run_slot(struct slot *s)
{
	struct err e = { 0 };
	int rc;

	switch (s->kind) {
	case SLOT_ENGINE:
		rc = run_engine(s, &e);
		break;
	case SLOT_FRONT:
		rc = run_role(s, -1, s->m->pair[1], &e);
		break;
	case SLOT_CHILD:
		rc = run_child(s, &e);
		break;
	default:
		return -EINVAL;
	}
	if (rc < 0)
		log_error("%s: %s", s->name, e.msg);
	return rc;
}
