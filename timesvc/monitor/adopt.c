#include "slot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "confgen.h"
#include "io.h"
#include "log.h"
#include "nstime.h"

void adopt_record(struct monitor *m)
{
	struct child_record r[SLOTS_MAX];
	struct err e;
	size_t n = 0;

	for (int i = 0; i < m->count; i++) {
		const struct slot *s = &m->slots[i];
		const char *name = strchr(s->name, ' ');

		if (!s->proc.pid || !name)
			continue;	/* not running, or no child: "engine", "front" */
		memset(&r[n], 0, sizeof(r[n]));
		r[n].kind = s->id.kind;
		strncpy(r[n].name, name + 1, NAME_SIZE - 1);
		r[n].pid = s->proc.pid;
		r[n++].start = s->proc.start;
	}
	if (children_write(m->settings.run_dir, r, n, &e))
		log_error("%s", e.msg);
}

static struct slot *find_slot(struct monitor *m, const struct child_record *r)
{
	for (int i = 0; i < m->count; i++) {
		struct slot *s = &m->slots[i];
		const char *name = strchr(s->name, ' ');

		if (s->kind == SLOT_CHILD && s->id.kind == r->kind && name && !strcmp(name + 1, r->name) &&
		    !s->proc.pid)
			return s;
	}
	return NULL;
}

/* The file that it was started with is still there: it is written at starts only. */
static int conf_is_current(const struct monitor *m, int clock)
{
	char want[CONFGEN_TEXT_MAX], path[PATH_SIZE + NAME_SIZE + 16], *have;
	int len = confgen_ptp4l(&m->settings, clock, m->host->ptp4l, want, sizeof(want)), same;
	size_t have_len;

	confgen_ptp4l_path(&m->settings, clock, path, sizeof(path));
	if (len < 0 || io_read_file(path, sizeof(want), &have, &have_len, NULL))
		return 0;
	same = have_len == (size_t)len && !memcmp(have, want, have_len);
	free(have);
	return same;
}

/* A probe's report would begin in the middle. */
static int fits(const struct slot *s, const struct process *p)
{
	struct command c;

	if (s->id.kind == CHILD_PROBE || confgen_command(&s->m->settings, s->id, &c) ||
	    !process_runs(p, c.argv))
		return 0;
	return s->id.kind != CHILD_PTP4L || conf_is_current(s->m, s->id.index);
}

static void adopt(struct monitor *m, const struct child_record *r)
{
	struct slot *s = find_slot(m, r);
	struct process p;
	char name[sizeof(s->name)];
	struct child_id id = { .kind = r->kind };
	static const char *const kinds[] = { "ptp4l", "phc2sys", "probe" };

	if (process_open(&p, r->pid))
		return;
	if (s && fits(s, &p)) {
		log_info("%s: found running, pid %d, and adopted", s->name, p.pid);
		slot_found(s, &p);
		return;
	}
	snprintf(name, sizeof(name), "%s %s", kinds[r->kind], r->name);
	log_info("%s: found running, pid %d, but not as configured; it is stopped", name, p.pid);
	if (s) {
		slot_found(s, &p);
		slot_act(s, supervisor_restart(&s->sup, nstime_mono(), SUPERVISOR_PLANNED));
		return;
	}
	s = slot_add(m, SLOT_ORPHAN, id, name);
	if (!s) {
		process_close(&p);
		return;
	}
	slot_found(s, &p);
	slot_act(s, supervisor_stop(&s->sup, nstime_mono()));
}

void adopt_children(struct monitor *m)
{
	struct child_record r[CHILDREN_MAX];
	size_t n = children_read(m->settings.run_dir, r, CHILDREN_MAX);

	for (size_t i = 0; i < n; i++)
		adopt(m, &r[i]);
}
