#include "probes.h"

#include <errno.h>
#include <stdlib.h>
#include "probe/report.h"

#define TRIES 3

struct slot {
	struct segment *segment;
	struct probe_data *data, *next;
	int have;
};

struct probes {
	const struct settings *settings;
	struct slot slot[PROBES_MAX];
};

struct probes *probes_new(const struct settings *s)
{
	struct probes *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->settings = s;
	for (int i = 0; i < s->probe_count; i++) {
		p->slot[i].data = malloc(sizeof(struct probe_data));
		p->slot[i].next = malloc(sizeof(struct probe_data));
		if (!p->slot[i].data || !p->slot[i].next) {
			probes_free(p);
			return NULL;
		}
	}
	return p;
}

void probes_free(struct probes *p)
{
	if (!p)
		return;
	for (int i = 0; i < PROBES_MAX; i++) {
		segment_close(p->slot[i].segment);
		free(p->slot[i].data);
		free(p->slot[i].next);
	}
	free(p);
}

static int read_whole(const struct segment *seg, struct probe_data *data)
{
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES && rc == -EAGAIN; i++)
		rc = segment_read(seg, data);
	return rc;
}

static void slot_read(struct slot *slot)
{
	struct probe_data *old = slot->data;

	if (read_whole(slot->segment, slot->next) < 0)
		return;
	slot->data = slot->next;
	slot->next = old;
	slot->have = 1;
}

/* A segment that stands still may be one that was deleted and made anew. */
static int slot_late(const struct slot *slot, int64_t now_mono_ns)
{
	return !slot->have ||
		nstime_sub(now_mono_ns, slot->data->published_mono_ns) > VIEW_PROBE_LATE_NS;
}

void probes_refresh(struct probes *p, int64_t now_mono_ns)
{
	char path[PATH_SIZE];

	for (int i = 0; i < p->settings->probe_count; i++) {
		struct slot *slot = &p->slot[i];

		if (slot->segment && slot_late(slot, now_mono_ns)) {
			segment_close(slot->segment);
			slot->segment = NULL;
		}
		if (!slot->segment && segment_open(&slot->segment,
		    settings_segment_path(p->settings, i, path, sizeof(path))) < 0)
			slot->segment = NULL;
		if (slot->segment)
			slot_read(slot);
	}
}

const struct probe_data *probes_data(const struct probes *p, int probe)
{
	return p->slot[probe].have ? p->slot[probe].data : NULL;
}

json_t *probes_report(const struct probe_data *d)
{
	return report_json(d);
}
