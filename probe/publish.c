#include "publish.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nstime.h"
#include "windows.h"

struct publish {
	const struct gate *gate;
	struct segment *segment;
	struct slices_log *slices;
	struct probe_data data;		/* the run's */
	struct probe_data copy;		/* the writer's while `handed` is 1, the run's while it is 0 */
	struct windows windows;		/* the writer's */
	atomic_int handed, over;
	sem_t work;
	pthread_t writer;
	int writing;			/* there is a writer */
};

static void put(struct publish *p, struct probe_data *d)
{
	d->published_mono_ns = nstime_mono();
	d->published_wall_ns = nstime_now(CLOCK_REALTIME);
	if (p->segment)
		segment_publish(p->segment, d);
}

static void write_copy(struct publish *p)
{
	if (!atomic_load_explicit(&p->handed, memory_order_acquire))
		return;
	if (p->gate)
		windows_turn(&p->windows, &p->copy.rtt, &p->copy.one_way, &p->copy.s1, &p->copy.s10);
	put(p, &p->copy);
	atomic_store_explicit(&p->handed, 0, memory_order_release);
}

static void *write_all(void *arg)
{
	struct publish *p = arg;

	while (!atomic_load(&p->over)) {
		if (sem_wait(&p->work))
			continue;
		slices_log_write(p->slices);
		write_copy(p);
	}
	return NULL;
}

static int start_writer(struct publish *p, struct err *e)
{
	int err;

	if (!p->segment && !p->slices)
		return 0;
	sem_init(&p->work, 0, 0);
	err = pthread_create(&p->writer, NULL, write_all, p);
	if (err)
		return err_set(e, -err, "no thread for the probe's files: %s", strerror(err));
	p->writing = 1;
	return 0;
}

static void stop_writer(struct publish *p)
{
	if (!p->writing)
		return;
	atomic_store(&p->over, 1);
	sem_post(&p->work);
	pthread_join(p->writer, NULL);
	sem_destroy(&p->work);
	p->writing = 0;
}

int publish_open(struct publish **out, const char *name, const char *segment, const struct gate *gate,
	struct slices_log *slices, struct err *e)
{
	struct publish *p = calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	p->gate = gate;
	p->slices = slices;
	snprintf(p->data.name, sizeof(p->data.name), "%s", name);
	p->data.started_wall_ns = nstime_now(CLOCK_REALTIME);
	p->copy = p->data;
	if (segment)
		err = segment_create(&p->segment, segment, e);
	if (!err)
		err = start_writer(p, e);
	if (err) {
		publish_close(p);
		return err;
	}
	*out = p;
	return 0;
}

void publish_close(struct publish *p)
{
	if (!p)
		return;
	stop_writer(p);
	segment_close(p->segment);
	free(p);
}

struct probe_data *publish_data(struct publish *p)
{
	return &p->data;
}

static void gather(const struct publish *p, struct probe_data *d)
{
	if (!p->gate)
		return;
	d->gate = *gate_numbers(p->gate);
	d->one_way = *gate_sums(p->gate);
}

void publish_turn(struct publish *p)
{
	if (!p->writing || atomic_load_explicit(&p->handed, memory_order_acquire))
		return;
	p->copy.numbers = p->data.numbers;
	p->copy.rtt = p->data.rtt;
	gather(p, &p->copy);
	atomic_store_explicit(&p->handed, 1, memory_order_release);
	sem_post(&p->work);
}

void publish_finish(struct publish *p)
{
	stop_writer(p);
	gather(p, &p->data);
	p->data.s1 = p->copy.s1;
	p->data.s10 = p->copy.s10;
	p->data.finished = 1;
	put(p, &p->data);
}
