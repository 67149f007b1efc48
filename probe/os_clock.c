#include "os_clock.h"

#include <math.h>
#include <stdlib.h>

static const char *const names[OS_CLOCKS + 1] = {
	"CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME", "CLOCK_TAI",
	"the host's counter"
};

/* A clock of its own does not pass through zero where the counter does. */
static int is_product(const struct clockmap *map, const struct port_clock_reading *r, int64_t slack_ns)
{
	double ticks, apart;

	if (!map->window)
		return 0;
	ticks = (double)r->tick;
	apart = fabs((double)r->nic_ns - ticks / map->slope);
	return apart <= (double)slack_ns + map->rate_error * ticks / map->slope;
}

const char *os_clock_look(struct os_clock *o, const struct clockmap *map, const struct port_clock_reading *r,
	const int64_t host_ns[OS_CLOCKS], int64_t slack_ns)
{
	const char *found = NULL;

	for (int i = 0; i <= OS_CLOCKS; i++) {
		int like = i == OS_CLOCKS ? is_product(map, r, slack_ns) :
					    llabs(r->nic_ns - host_ns[i]) <= slack_ns;

		o->looks[i] = like ? o->looks[i] + 1 : 0;
		if (o->looks[i] >= OS_CLOCK_LOOKS)
			found = names[i];
	}
	return found;
}
