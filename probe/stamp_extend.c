#include "stamp_extend.h"

int64_t stamp_extend(int64_t predicted_ns, uint64_t raw_ns, int bits)
{
	uint64_t predicted = (uint64_t)predicted_ns, mask, ahead;

	if (bits >= 64)
		return (int64_t)raw_ns;
	mask = (UINT64_C(1) << bits) - 1;
	ahead = (raw_ns - predicted) & mask;
	if (ahead > mask / 2)
		ahead |= ~mask;		/* behind */
	return (int64_t)(predicted + ahead);
}

void stamp_whole(const struct clockmap *map, int64_t raw_ns, int bits, struct stamp *stamp)
{
	int64_t predicted_ns;

	stamp->loss = STAMP_LOSS_zero;
	if (!raw_ns)
		return;
	stamp->loss = STAMP_LOSS_no_map;
	if (!map || clockmap_predict(map, stamp->tick, &predicted_ns))
		return;
	stamp->kind = STAMP_HARDWARE;
	stamp->nic_ns = stamp_extend(predicted_ns, (uint64_t)raw_ns, bits);
}
