/* Whatever the kernel were to answer, a number of a clock is one that can exist, or -1. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "timesvc/sources/ethtool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ethtool_stamping s = { .phc_index = -7 };
	uint8_t *copy = malloc(size ? size : 1);	/* aligned, and not a byte longer than said */
	int rc;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	rc = ethtool_stamping_parse(copy, size, &s);
	if (rc ? s.phc_index != -7 : s.phc_index < -1)
		abort();
	if (ethtool_stamps_in_hardware(&s) && s.phc_index < 0)
		abort();
	free(copy);
	return 0;
}
