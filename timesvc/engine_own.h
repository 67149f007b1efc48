/* engine_own.h: what the files of the engine share among themselves. */
#ifndef TIMESVC_ENGINE_OWN_H
#define TIMESVC_ENGINE_OWN_H

#include "clock.h"
#include "journal.h"
#include "loop.h"
#include "sources/link.h"
#include "systemclock.h"

struct engine {
	struct settings settings;
	struct timebase timebase;
	struct loop *loop;
	struct page *page;
	struct link_watch *links;
	struct clock clock[CLOCKS_MAX];
	struct loop_event *mgmt_event[CLOCKS_MAX];
	struct loop_event *monitor_event, *links_event, *refresh_event, *poll_event;
	struct systemclock system;
	struct child_status probe[PROBES_MAX];
	struct journal journal;
	int monitor_fd, front_fd;
	int64_t started_wall_ns, late_max_ns;
	int status;
};

/* engine.c */
int engine_read_settings(int fd, struct settings *s, struct err *e);
void engine_ask(struct engine *g, enum ipc_request_kind kind, enum child_kind child, int clock, int flag);
void engine_judge(struct engine *g, struct clock *c, int64_t now);
void engine_on_mgmt(void *arg, int fd);

/* engine_notice.c: the monitor's socket is readable. */
void engine_on_monitor(void *arg, int sock);

#endif
