#include "ptp.h"

#include <stdio.h>
#include <string.h>

static const char *const state_names[] = {
	[PTP_INITIALIZING] = "INITIALIZING",
	[PTP_FAULTY] = "FAULTY",
	[PTP_DISABLED] = "DISABLED",
	[PTP_LISTENING] = "LISTENING",
	[PTP_PRE_MASTER] = "PRE_MASTER",
	[PTP_MASTER] = "MASTER",
	[PTP_PASSIVE] = "PASSIVE",
	[PTP_UNCALIBRATED] = "UNCALIBRATED",
	[PTP_SLAVE] = "SLAVE",
	[PTP_GRAND_MASTER] = "GRAND_MASTER",
};

const char *ptp_port_state_name(int state)
{
	if (state < PTP_INITIALIZING || state > PTP_GRAND_MASTER)
		return "?";
	return state_names[state];
}

char *ptp_identity_format(char *buf, size_t size, const struct ptp_identity *id)
{
	const uint8_t *b = id->id;

	snprintf(buf, size, "%02x%02x%02x.%02x%02x.%02x%02x%02x",
		b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
	return buf;
}

char *ptp_port_identity_format(char *buf, size_t size, const struct ptp_port_identity *port)
{
	char clock[PTP_IDENTITY_SIZE];

	ptp_identity_format(clock, sizeof(clock), &port->clock);
	snprintf(buf, size, "%s-%u", clock, (unsigned)port->port);
	return buf;
}

int ptp_identity_equal(const struct ptp_identity *a, const struct ptp_identity *b)
{
	return memcmp(a->id, b->id, sizeof(a->id)) == 0;
}
