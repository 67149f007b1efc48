#include "kernel_cmsg.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/if_packet.h>
#include "nstime.h"

#define SECONDS_MAX	(INT64_MAX / NS_PER_S - 1)

/* All zero is the kernel's word for "none". */
static int take_time(const struct timespec *ts, int64_t *ns)
{
	if (ts->tv_nsec < 0 || ts->tv_nsec >= NS_PER_S || ts->tv_sec < 0 || ts->tv_sec > SECONDS_MAX)
		return 0;
	*ns = nstime_from_timespec(*ts);
	return *ns != 0;
}

static void take_stamps(const unsigned char *data, size_t len, struct kernel_note *out)
{
	struct scm_timestamping t;

	if (len < sizeof(t))
		return;
	memcpy(&t, data, sizeof(t));
	out->has_software = take_time(&t.ts[0], &out->software_ns);
	out->has_hardware = take_time(&t.ts[2], &out->hardware_ns);
}

static void take_id(const unsigned char *data, size_t len, struct kernel_note *out)
{
	struct sock_extended_err e;

	if (len < sizeof(e))
		return;
	memcpy(&e, data, sizeof(e));
	if (e.ee_origin != SO_EE_ORIGIN_TIMESTAMPING || e.ee_info != SCM_TSTAMP_SND)
		return;
	out->has_id = 1;
	out->id = e.ee_data;
}

static void take_tag(const unsigned char *data, size_t len, struct kernel_note *out)
{
	struct tpacket_auxdata a;

	if (len < sizeof(a))
		return;
	memcpy(&a, data, sizeof(a));
	out->has_tag = !!(a.tp_status & TP_STATUS_VLAN_VALID);
	out->tag = out->has_tag ? a.tp_vlan_tci : 0;
}

static void take(const struct cmsghdr *c, size_t len, struct kernel_note *out)
{
	const unsigned char *data = CMSG_DATA(c);

	if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
		take_stamps(data, len, out);
	else if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_TX_TIMESTAMP)
		take_id(data, len, out);
	else if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA)
		take_tag(data, len, out);
}

void kernel_cmsg_parse(void *control, size_t len, struct kernel_note *out)
{
	struct msghdr m = { .msg_control = control, .msg_controllen = len };
	const unsigned char *end = (const unsigned char *)control + len;

	memset(out, 0, sizeof(*out));
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_len < CMSG_LEN(0) || c->cmsg_len > (size_t)(end - (unsigned char *)c))
			return;
		take(c, c->cmsg_len - CMSG_LEN(0), out);
	}
}
