/* kernel_cmsg.h: what a packet socket says beside a message: stamps, which frame they belong to, the tag
 * that was taken out of it. Given the bytes of the control messages alone, fuzzed. */
#ifndef PROBE_KERNEL_CMSG_H
#define PROBE_KERNEL_CMSG_H

#include <stddef.h>
#include <stdint.h>

struct kernel_note {
	int has_software, has_hardware;
	int64_t software_ns;	/* CLOCK_REALTIME */
	int64_t hardware_ns;	/* of the port's device clock */
	int has_id;		/* it tells of the sending of frame `id` (SOF_TIMESTAMPING_OPT_ID) */
	uint32_t id;
	int has_tag;
	uint16_t tag;		/* priority and VLAN */
};

/* `control` as recvmsg() left it, aligned as a struct cmsghdr. What is not known or makes no sense is not
 * there. */
void kernel_cmsg_parse(void *control, size_t len, struct kernel_note *out);

#endif
