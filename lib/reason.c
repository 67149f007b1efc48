#include "reason.h"

#include <stddef.h>
#include <stdio.h>

#include "timesvc.h"

static const struct reason {
	const char *name, *text;
	enum tsv_reason_kind kind;
} reasons[TSV_REASON_COUNT] = {
#define ROW(bit, name, kind, text) [bit] = { #name, text, TSV_KIND_##kind },
	TSV_REASONS(ROW)
#undef ROW
};

static const struct reason *find(int bit)
{
	return bit >= 0 && bit < TSV_REASON_COUNT && reasons[bit].name ? &reasons[bit] : NULL;
}

const char *tsv_reason_name(int bit)
{
	const struct reason *r = find(bit);

	return r ? r->name : NULL;
}

const char *tsv_reason_text(int bit)
{
	const struct reason *r = find(bit);

	return r ? r->text : NULL;
}

enum tsv_reason_kind tsv_reason_kind(int bit)
{
	const struct reason *r = find(bit);

	return r ? r->kind : TSV_KIND_NOTE;
}

uint64_t tsv_reasons_of(enum tsv_reason_kind kind)
{
	uint64_t bits = 0;

	for (int bit = 0; bit < TSV_REASON_COUNT; bit++)
		if (find(bit) && reasons[bit].kind == kind)
			bits |= UINT64_C(1) << bit;
	return bits;
}

char *tsv_reasons_format(char *buf, unsigned size, uint64_t set)
{
	unsigned used = 0;

	if (size > 0)
		buf[0] = '\0';
	for (int bit = 0; bit < TSV_REASON_COUNT && used < size; bit++) {
		if (!(set >> bit & 1) || !find(bit))
			continue;
		int n = snprintf(buf + used, size - used, "%s%s", used ? "," : "", reasons[bit].name);
		used += n > 0 ? (unsigned)n : 0;
	}
	return buf;
}
