#include "publish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "nstime.h"
#include "windows.h"

struct publish {
	const struct gate *gate;
	struct segment *segment;
	struct probe_data data;
	struct windows windows;
};

int publish_open(struct publish **out, const char *name, const char *segment, const struct gate *gate,
	struct err *e)
{
	struct publish *p = calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	if (segment)
		err = segment_create(&p->segment, segment, e);
	if (err) {
		free(p);
		return err;
	}
	p->gate = gate;
	snprintf(p->data.name, sizeof(p->data.name), "%s", name);
	p->data.started_wall_ns = nstime_now(CLOCK_REALTIME);
	*out = p;
	return 0;
}

void publish_close(struct publish *p)
{
	if (!p)
		return;
	segment_close(p->segment);
	free(p);
}

struct probe_data *publish_data(struct publish *p)
{
	return &p->data;
}

static void put(struct publish *p)
{
	p->data.published_mono_ns = nstime_mono();
	p->data.published_wall_ns = nstime_now(CLOCK_REALTIME);
	if (p->gate) {
		p->data.gate = *gate_numbers(p->gate);
		p->data.one_way = *gate_sums(p->gate);
	}
	if (p->segment)
		segment_publish(p->segment, &p->data);
}

void publish_turn(struct publish *p)
{
	if (p->gate)
		windows_turn(&p->windows, &p->data.rtt, gate_sums(p->gate), &p->data.s1, &p->data.s10);
	put(p);
}

void publish_finish(struct publish *p)
{
	p->data.finished = 1;
	put(p);
}
