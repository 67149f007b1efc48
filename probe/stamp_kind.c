#include "ether.h"
#include "segment.h"

#include <stddef.h>

const char *stamp_kind_name(enum stamp_kind kind)
{
	switch (kind) {
	case STAMP_NONE:
		return "none";
	case STAMP_SOFTWARE:
		return "software";
	case STAMP_HARDWARE:
		return "hardware";
	}
	return NULL;
}

const char *carrier_name(enum carrier carrier)
{
	static const char *const names[] = { "udp", "l2-ptp" };

	return carrier < CARRIER_COUNT ? names[carrier] : NULL;
}

#define LOSS_NAME(name, text) #name,
#define LOSS_TEXT(name, text) text,
static const char *const loss_names[] = { STAMP_LOSSES(LOSS_NAME) };
static const char *const loss_texts[] = { STAMP_LOSSES(LOSS_TEXT) };

#define UNSTAMPED_NAME(name, text) #name,
#define UNSTAMPED_TEXT(name, text) text,
static const char *const unstamped_names[] = { PROBE_UNSTAMPED(UNSTAMPED_NAME) };
static const char *const unstamped_texts[] = { PROBE_UNSTAMPED(UNSTAMPED_TEXT) };

const char *probe_unstamped_name(int reason)
{
	return reason >= 0 && reason < UNSTAMPED_COUNT ? unstamped_names[reason] : NULL;
}

const char *probe_unstamped_text(int reason)
{
	return reason >= 0 && reason < UNSTAMPED_COUNT ? unstamped_texts[reason] : NULL;
}

const char *stamp_loss_name(int loss)
{
	return loss >= 0 && loss < STAMP_LOSS_COUNT ? loss_names[loss] : NULL;
}

const char *stamp_loss_text(int loss)
{
	return loss >= 0 && loss < STAMP_LOSS_COUNT ? loss_texts[loss] : NULL;
}
