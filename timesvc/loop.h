/* loop.h: the event loop; the only header that stands for libevent.
 *
 * Callbacks run on the thread of loop_run(). Nothing in a callback may block. */
#ifndef TIMESVC_LOOP_H
#define TIMESVC_LOOP_H

#include <stdint.h>

struct loop;
struct loop_event;

struct loop *loop_new(void);		/* NULL: out of memory */
void loop_free(struct loop *l);
int loop_run(struct loop *l);		/* until loop_stop(); 0 or -EIO */
void loop_stop(struct loop *l);

/* Readable (and hang-up) until freed. */
struct loop_event *loop_read(struct loop *l, int fd, void (*fn)(void *arg, int fd), void *arg);
/* Every interval, on CLOCK_MONOTONIC; missed ticks are not made up for. `late_ns` is how late this
 * one is. */
struct loop_event *loop_every(struct loop *l, int64_t interval_ns,
	void (*fn)(void *arg, int64_t late_ns), void *arg);
/* Once per loop_arm(), after `after_ns`; arming again replaces. */
struct loop_event *loop_timer(struct loop *l, void (*fn)(void *arg), void *arg);
void loop_arm(struct loop_event *ev, int64_t after_ns);
void loop_disarm(struct loop_event *ev);
struct loop_event *loop_signal(struct loop *l, int signo, void (*fn)(void *arg, int signo), void *arg);
void loop_event_free(struct loop_event *ev);	/* NULL is allowed; allowed inside its own callback */

#endif
