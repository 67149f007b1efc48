#include "shared_clock.h"

#include <string.h>
#include "nstime.h"
#include "timesvc.h"

static int names_port(const uint8_t identity[8], const uint8_t mac[6])
{
	const uint8_t expected[8] = { mac[0], mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5] };

	return !memcmp(identity, expected, sizeof(expected));
}

int shared_clock_look(struct shared_clock *s, const uint8_t mac[6], int64_t nic_ns, int64_t half_ns,
	const struct clock_reading *page)
{
	int64_t apart_ns = nstime_abs(nstime_sub(nic_ns, page->ns));
	int hardware = page->end.known && !(page->end.flags & TSV_SOFTWARE);
	int agrees = hardware && names_port(page->end.clock, mac) &&
		     apart_ns <= nstime_add(half_ns, SHARED_CLOCK_SLACK_NS);

	s->looks = agrees ? s->looks + 1 : 0;
	if (s->looks > SHARED_CLOCK_LOOKS)
		s->looks = SHARED_CLOCK_LOOKS;
	s->shared = s->looks == SHARED_CLOCK_LOOKS;
	return s->shared;
}
