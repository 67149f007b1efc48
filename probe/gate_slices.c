#include "gate_slices.h"

#include <stdlib.h>
#include <string.h>

struct slices {
	struct slice *order[GATE_SLICES];	/* the first `used` are open, oldest first */
	int used;
	struct slice slice[GATE_SLICES];
	struct hist ab[GATE_SLICES], ba[GATE_SLICES];
};

struct slices *slices_new(void)
{
	struct slices *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	/* Written to, and not only reserved, so that the sampling path meets no page fault. */
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < GATE_SLICES; i++) {
		s->slice[i].ab = &s->ab[i];
		s->slice[i].ba = &s->ba[i];
		s->order[i] = &s->slice[i];
	}
	return s;
}

void slices_free(struct slices *s)
{
	free(s);
}

int slices_used(const struct slices *s)
{
	return s->used;
}

struct slice *slices_at(struct slices *s, int i)
{
	return s->order[i];
}

static int same(const struct slice_key *a, const struct slice_key *b)
{
	return a->number == b->number && a->epoch[GATE_NEAR] == b->epoch[GATE_NEAR] &&
	       a->epoch[GATE_FAR] == b->epoch[GATE_FAR];
}

/* The newest first: that is where nearly every sample belongs. */
struct slice *slices_find(struct slices *s, const struct slice_key *key)
{
	for (int i = s->used - 1; i >= 0; i--)
		if (same(&s->order[i]->key, key))
			return s->order[i];
	return NULL;
}

struct slice *slices_open(struct slices *s, const struct slice_key *key)
{
	struct slice *slice = s->order[s->used++];
	struct hist *ab = slice->ab, *ba = slice->ba;

	*slice = (struct slice){
		.key = *key, .ab = ab, .ba = ba, .first_ns = INT64_MAX,
		.last_ns = { INT64_MIN, INT64_MIN }, .good_ns = { INT64_MIN, INT64_MIN },
	};
	hist_reset(ab);
	hist_reset(ba);
	return slice;
}

void slices_close(struct slices *s, int i)
{
	struct slice *slice = s->order[i];

	s->used--;
	memmove(&s->order[i], &s->order[i + 1], (size_t)(s->used - i) * sizeof(s->order[0]));
	s->order[s->used] = slice;
}
