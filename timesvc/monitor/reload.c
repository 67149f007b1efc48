#include "slot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "confgen.h"
#include "io.h"
#include "log.h"
#include "notify.h"
#include "nstime.h"

#define CONF_SIZE_MAX (1 << 20)

static int conf_differs(const struct monitor *m, const struct settings *a, const struct settings *b,
	int clock)
{
	char was[CONFGEN_TEXT_MAX], is[CONFGEN_TEXT_MAX];

	return confgen_ptp4l(a, clock, m->host->ptp4l, was, sizeof(was)) < 0 ||
		confgen_ptp4l(b, clock, m->host->ptp4l, is, sizeof(is)) < 0 || strcmp(was, is);
}

static int command_differs(const struct settings *a, const struct settings *b, struct child_id id)
{
	struct command was, is;

	if (confgen_command(a, id, &was) || confgen_command(b, id, &is) || was.argc != is.argc)
		return 1;
	for (int i = 0; i < is.argc; i++)
		if (strcmp(was.argv[i], is.argv[i]))
			return 1;
	return 0;
}

int reload_differs(const struct monitor *m, const struct settings *a, const struct settings *b,
	struct child_id id)
{
	return command_differs(a, b, id) || (id.kind == CHILD_PTP4L && conf_differs(m, a, b, id.index));
}

static void tell_engine(struct monitor *m)
{
	struct ipc_notice n = { .kind = IPC_SETTINGS };
	int fd = io_memfd("timesvc.conf", m->text, m->len);

	if (fd < 0) {
		log_error("cannot hand the configuration over: %s", strerror(-fd));
		return;
	}
	requests_notice(m, &n, fd);
	close(fd);
}

static void restart_changed(struct monitor *m, const struct settings *was)
{
	for (int i = 0; i < m->count; i++) {
		struct slot *s = &m->slots[i];

		s->sup.stop_timeout_ns = m->settings.stop_timeout_ns;
		if (s->kind != SLOT_CHILD || !reload_differs(m, was, &m->settings, s->id))
			continue;
		log_info("%s: its configuration changed; it is restarted", s->name);
		slot_act(s, supervisor_restart(&s->sup, nstime_mono(), SUPERVISOR_PLANNED));
	}
}

static void apply(struct monitor *m, const struct settings *next, char *text, size_t len)
{
	struct settings *was = malloc(sizeof(*was));
	enum log_level level;

	if (!was) {
		log_error("out of memory; the old configuration stays");
		free(text);
		return;
	}
	*was = m->settings;
	m->settings = *next;
	free(m->text);
	m->text = text;
	m->len = len;
	if (!log_level_parse(m->settings.log_level, &level))
		log_set_level(level);
	tell_engine(m);
	restart_changed(m, was);
	free(was);
	log_info("%s: read again", m->start->file);
}

static void read_again(struct monitor *m)
{
	struct settings *next = malloc(sizeof(*next));
	char *text = NULL;
	size_t len;
	struct err e = { 0 };

	if (!next || io_read_file(m->start->file, CONF_SIZE_MAX, &text, &len, &e) ||
	    settings_parse(next, m->start->file, text, len, &e) ||
	    settings_reloadable(&m->settings, next, &e)) {
		log_error("%s; the old configuration stays", next ? e.msg : "out of memory");
		free(text);
	} else {
		apply(m, next, text, len);
	}
	free(next);
}

void reload(struct monitor *m)
{
	notify_send("RELOADING=1");
	read_again(m);
	notify_send("READY=1");
}
