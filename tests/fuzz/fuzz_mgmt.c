/* Any datagram is one data set, one acknowledgement or error, or refused with no effect. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "timesvc/sources/mgmt_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptp_reading reading, before;
	struct mgmt_message msg;
	int rc;

	memset(&reading, 0xa5, sizeof(reading));
	memcpy(&before, &reading, sizeof(before));
	rc = mgmt_decode(data, size, &msg, &reading);
	require(rc == 0 || rc == -EBADMSG);
	if (rc < 0 || msg.have == 0)
		require(memcmp(&reading, &before, sizeof(before)) == 0);
	if (rc < 0)
		return 0;
	require((msg.have & (msg.have - 1)) == 0);
	require(!(msg.have && msg.error));
	require(msg.action == MGMT_RESPONSE || msg.action == MGMT_ACKNOWLEDGE);
	return 0;
}
