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
