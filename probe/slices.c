#include "slices.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 1024

struct slices_log {
	FILE *file;
	_Atomic unsigned noted, written;	/* how many so far; the difference is in the ring */
	uint64_t missing;			/* there was no room */
	struct gate_slice_result ring[RING];
};

int slices_log_open(struct slices_log **log, const char *path, struct err *e)
{
	struct slices_log *l = calloc(1, sizeof(*l));

	if (!l)
		return err_set(e, -ENOMEM, "out of memory");
	l->file = fopen(path, "we");
	if (!l->file) {
		int err = -errno;

		free(l);
		return err_set(e, err, "%s cannot be written: %s", path, strerror(-err));
	}
	*log = l;
	return 0;
}

void slices_log_note(void *arg, const struct gate_slice_result *r)
{
	struct slices_log *l = arg;
	unsigned noted = atomic_load_explicit(&l->noted, memory_order_relaxed);

	if (noted - atomic_load_explicit(&l->written, memory_order_acquire) == RING) {
		l->missing++;
		return;
	}
	l->ring[noted % RING] = *r;
	atomic_store_explicit(&l->noted, noted + 1, memory_order_release);
}

static void write_line(FILE *f, const struct gate_slice_result *r)
{
	fprintf(f, "{\"start_ns\":\"%" PRId64 "\",\"end_ns\":\"%" PRId64 "\",\"near_epoch\":%" PRIu32
		",\"far_epoch\":%" PRIu32 ",\"count\":%" PRIu64 ",\"verdict\":\"%s\"",
		r->start_ns, r->end_ns, r->near_epoch, r->far_epoch, r->count,
		gate_reason_name(r->verdict));
	fprintf(f, ",\"waited_holdover\":%s,\"bound_ns\":%" PRId64 ",\"ab_p50_ns\":%" PRId64
		",\"ba_p50_ns\":%" PRId64 "}\n",
		r->waited_holdover ? "true" : "false", r->bound_ns, r->ab_p50_ns, r->ba_p50_ns);
}

void slices_log_write(struct slices_log *l)
{
	unsigned noted, written;

	if (!l)
		return;
	noted = atomic_load_explicit(&l->noted, memory_order_acquire);
	written = atomic_load_explicit(&l->written, memory_order_relaxed);
	for (; written != noted; written++)
		write_line(l->file, &l->ring[written % RING]);
	atomic_store_explicit(&l->written, written, memory_order_release);
	fflush(l->file);
}

int slices_log_close(struct slices_log *l, struct err *e)
{
	int failed, err = 0;

	if (!l)
		return 0;
	slices_log_write(l);
	failed = ferror(l->file);
	failed |= fclose(l->file) != 0;
	if (failed || l->missing)
		err = err_set(e, -EIO, "the slice log could not be written whole");
	free(l);
	return err;
}
