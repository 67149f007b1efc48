#include "gate.h"

#include <stddef.h>

static const struct { const char *name, *text; } reasons[GATE_REASON_COUNT] = {
#define ROW(name, text) [GATE_##name] = { #name, text },
	GATE_REASONS(ROW)
#undef ROW
};

const char *gate_reason_name(int reason)
{
	if (reason == GATE_ADMITTED)
		return "admitted";
	return reason >= 0 && reason < GATE_REASON_COUNT ? reasons[reason].name : NULL;
}

const char *gate_reason_text(int reason)
{
	if (reason == GATE_ADMITTED)
		return "both ends vouched for it";
	return reason >= 0 && reason < GATE_REASON_COUNT ? reasons[reason].text : NULL;
}
