#include "loop.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/time.h>
#include "nstime.h"

struct loop {
	struct event_base *base;
};

struct loop_event {
	struct event *ev;
	int64_t interval_ns, due_ns;
	void *arg;
	union {
		void (*fd)(void *arg, int fd);
		void (*tick)(void *arg, int64_t late_ns);
		void (*timer)(void *arg);
	} fn;
};

struct loop *loop_new(void)
{
	struct loop *l = calloc(1, sizeof(*l));
	struct event_config *config = event_config_new();

	if (!l || !config)
		goto fail;
	/* The default clock of libevent is as coarse as the kernel's tick. */
	event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
	l->base = event_base_new_with_config(config);
	if (!l->base)
		goto fail;
	event_config_free(config);
	return l;
fail:
	if (config)
		event_config_free(config);
	free(l);
	return NULL;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	event_base_free(l->base);
	free(l);
}

int loop_run(struct loop *l)
{
	return event_base_loop(l->base, EVLOOP_NO_EXIT_ON_EMPTY) < 0 ? -EIO : 0;
}

void loop_stop(struct loop *l)
{
	event_base_loopbreak(l->base);
}

static struct timeval to_timeval(int64_t ns)
{
	struct timeval tv = { .tv_sec = ns / NS_PER_S, .tv_usec = (ns % NS_PER_S + 999) / 1000 };

	if (tv.tv_usec == 1000000) {
		tv.tv_sec++;
		tv.tv_usec = 0;
	}
	return tv;
}

static void on_fd(evutil_socket_t fd, short what, void *arg)
{
	struct loop_event *e = arg;

	(void)what;
	e->fn.fd(e->arg, (int)fd);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct loop_event *e = arg;

	(void)fd;
	(void)what;
	e->fn.timer(e->arg);
}

/* The next tick lies on the grid of the first one and in the future. */
static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct loop_event *e = arg;
	int64_t now = nstime_mono();
	int64_t late = now > e->due_ns ? now - e->due_ns : 0;
	struct timeval tv;

	(void)fd;
	(void)what;
	e->due_ns += (late / e->interval_ns + 1) * e->interval_ns;
	tv = to_timeval(e->due_ns - now);
	event_add(e->ev, &tv);
	e->fn.tick(e->arg, late);
}

static struct loop_event *make(struct loop *l, int fd, short what, event_callback_fn fn, void *arg)
{
	struct loop_event *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->arg = arg;
	e->ev = event_new(l->base, fd, what, fn, e);
	if (!e->ev) {
		free(e);
		return NULL;
	}
	return e;
}

static struct loop_event *add(struct loop_event *e, const struct timeval *after)
{
	if (e && event_add(e->ev, after)) {
		loop_event_free(e);
		return NULL;
	}
	return e;
}

struct loop_event *loop_read(struct loop *l, int fd, void (*fn)(void *arg, int fd), void *arg)
{
	struct loop_event *e = make(l, fd, EV_READ | EV_PERSIST, on_fd, arg);

	if (e)
		e->fn.fd = fn;
	return add(e, NULL);
}

struct loop_event *loop_signal(struct loop *l, int signo, void (*fn)(void *arg, int signo), void *arg)
{
	struct loop_event *e = make(l, signo, EV_SIGNAL | EV_PERSIST, on_fd, arg);

	if (e)
		e->fn.fd = fn;
	return add(e, NULL);
}

struct loop_event *loop_every(struct loop *l, int64_t interval_ns,
	void (*fn)(void *arg, int64_t late_ns), void *arg)
{
	struct loop_event *e = make(l, -1, 0, on_tick, arg);
	struct timeval tv = to_timeval(interval_ns);

	if (e) {
		e->fn.tick = fn;
		e->interval_ns = interval_ns;
		e->due_ns = nstime_mono() + interval_ns;
	}
	return add(e, &tv);
}

struct loop_event *loop_timer(struct loop *l, void (*fn)(void *arg), void *arg)
{
	struct loop_event *e = make(l, -1, 0, on_timer, arg);

	if (e)
		e->fn.timer = fn;
	return e;
}

void loop_arm(struct loop_event *ev, int64_t after_ns)
{
	struct timeval tv = to_timeval(after_ns > 0 ? after_ns : 0);

	event_add(ev->ev, &tv);
}

void loop_disarm(struct loop_event *ev)
{
	event_del(ev->ev);
}

void loop_event_free(struct loop_event *ev)
{
	if (!ev)
		return;
	event_free(ev->ev);
	free(ev);
}
