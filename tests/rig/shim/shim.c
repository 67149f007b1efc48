/* shim.c: preloaded into qemu-system-x86_64 (8.1 to 10.x), mends the PTP unit of its emulated igb
 * (82576), and turns its "edu" device into the rig's own (device.h).
 *
 * Mended, as seen in QEMU 10.0.2:
 *   1. a change of TIMINCA steps the clock: the term that should keep it continuous has the wrong
 *      sign;
 *   2. TSYNCRXCTL.VALID is cleared by reading RXSATRH, where hardware, Linux and DPDK clear it by
 *      reading RXSTMPH, so that only the first receive stamp ever arrives;
 *   3. of type EVENT_V2 only the message type in TSYNCRXCFG is stamped, where hardware stamps
 *      types 0 to 3, so that a Delay_Req has no receive stamp;
 *   4. only Ethernet frames (0x88F7) are stamped on receipt. UDP event frames pass here under a
 *      spare ETQF filter for their ethertype, with a 2 where QEMU looks for PTP version 2: the
 *      guest sees ECN 2 (IPv4) or a flow label that begins with 2 (IPv6).
 * One stamp is outstanding in each direction, as on the real NIC. */
#define _GNU_SOURCE
#include "nic.h"
#include "patch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FRAME_MAX 2048

/* QEMU's MemoryRegionOps and the head of its NetClientInfo. */
struct region_ops {
	uint64_t (*read)(void *opaque, uint64_t addr, unsigned size);
	void (*write)(void *opaque, uint64_t addr, uint64_t value, unsigned size);
	void *read_with_attrs, *write_with_attrs;
	int endianness;
	struct { unsigned min, max; bool unaligned; void *accepts; } valid;
	struct { unsigned min, max; bool unaligned; } impl;
};
typedef ssize_t receive_fn(void *client, const uint8_t *frame, size_t size);
typedef ssize_t receive_iov_fn(void *client, const struct iovec *iov, int count);
struct client_info {
	uint64_t type, size;
	receive_fn *receive;
	union { void *receive_raw; receive_iov_fn *iov; } third;	/* until QEMU 9 receive_raw, NULL */
	receive_iov_fn *fourth;
	void *rest[40];
};
typedef int64_t clock_fn(int type);
typedef int64_t ticks_fn(void);
typedef void init_io_fn(void *, void *, const struct region_ops *, void *, const char *, uint64_t);
typedef void *new_nic_fn(const struct client_info *, void *, const char *, const char *, void *, void *);
typedef void *nic_opaque_fn(void *client);
typedef void set_link_fn(const char *name, bool up, void **error);

static clock_fn *qemu_clock;
static ticks_fn *qemu_ticks;
static nic_opaque_fn *qemu_nic_opaque;
static set_link_fn *qemu_set_link;
static struct region_ops igb_ops, igb_original, edu_ops;
static struct client_info igb_info;
static receive_fn *igb_receive;
static receive_iov_fn *igb_receive_iov;
static struct patch init_io, new_nic;
static struct nic *current;		/* whose registers are being accessed */
static int64_t latched_ticks, applied_ns;

static int64_t true_time(void)
{
	return qemu_clock(1 /* QEMU_CLOCK_VIRTUAL */);
}

/* --- the clock of the NIC
 * ------------------------------------------------------------------------------------ */

static void set_timinca(uint32_t *mac, int64_t *timadj, uint32_t value)
{
	if (current)
		nic_set_rate(current, mac, timadj, value);
}

static struct nic *nic_by_mac(const uint32_t *mac)
{
	for (int i = 1; i <= nic_count(); i++)
		if (nic_by_number(i)->mac == mac)
			return nic_by_number(i);
	return NULL;
}

static void timestamp(uint32_t *mac, int64_t timadj, size_t low, size_t high)
{
	struct nic *n = nic_by_mac(mac);

	if (n)
		nic_stamp(n, mac, timadj, (int)low, (int)high);
}

static uint64_t igb_read(void *opaque, uint64_t addr, unsigned size)
{
	uint64_t value;

	current = nic_by_opaque(opaque);
	value = igb_original.read(opaque, addr, size);
	if (addr == MAC_RXSTMPH * 4 && current && current->mac)
		current->mac[MAC_TSYNCRXCTL] &= ~TSYNCRXCTL_VALID;
	current = NULL;
	return value;
}

static void igb_write(void *opaque, uint64_t addr, uint64_t value, unsigned size)
{
	current = nic_by_opaque(opaque);
	igb_original.write(opaque, addr, value, size);
	current = NULL;
	nic_transmitted();
	nic_truth();
}

/* --- receipt
 * ------------------------------------------------------------------------------------------------- */

/* Where the PTP header of a frame is, 0 when it carries none. */
static size_t ptp_header(const uint8_t *f, size_t size)
{
	size_t udp = 0;
	unsigned port;

	if (size < 58)
		return 0;
	if (f[12] == 0x88 && f[13] == 0xf7)
		return 14;
	if (f[12] == 0x08 && f[13] == 0 && f[14] >> 4 == 4 && f[23] == 17)
		udp = 14 + (f[14] & 15) * 4u;
	else if (f[12] == 0x86 && f[13] == 0xdd && f[20] == 17)
		udp = 54;
	if (!udp || size <= udp + 8)
		return 0;
	port = f[udp + 2] * 256u + f[udp + 3];
	return port == 319 || port == 320 ? udp + 8 : 0;
}

/* The second byte of the payload looks like that of PTP version 2. */
static void disguise(uint8_t *f)
{
	size_t end = 14 + (f[14] & 15) * 4u;
	uint32_t sum = 0;

	f[15] = (uint8_t)((f[15] & ~15) | 2);
	if (f[12] != 0x08)
		return;
	f[24] = f[25] = 0;
	for (size_t i = 14; i < end; i += 2)
		sum += f[i] * 256u + f[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16));
	f[24] = (uint8_t)(sum >> 8);
	f[25] = (uint8_t)sum;
}

/* Sets the filters for the call so that QEMU stamps this frame. */
static ssize_t receive_stamped(uint32_t *mac, void *client, const uint8_t *frame, size_t size, bool udp)
{
	uint32_t config = mac[MAC_TSYNCRXCFG], filter = mac[MAC_ETQF7];
	uint8_t copy[FRAME_MAX];
	ssize_t result;

	memcpy(copy, frame, size);
	if (udp) {
		disguise(copy);
		mac[MAC_ETQF7] = 1u << 30 /* 1588 */ | 1u << 26 /* on */ | copy[12] * 256u | copy[13];
	}
	mac[MAC_TSYNCRXCFG] = (config & ~0xff00u) | copy[14] * 256u;
	result = igb_receive(client, copy, size);
	mac[MAC_TSYNCRXCFG] = config;
	mac[MAC_ETQF7] = filter;
	return result;
}

static ssize_t receive(void *client, const uint8_t *frame, size_t size)
{
	struct nic *n = nic_by_opaque(qemu_nic_opaque(client));
	size_t ptp = ptp_header(frame, size);
	int type = ptp ? frame[ptp] & 15 : 16;
	uint32_t control;

	if (!n)
		return igb_receive(client, frame, size);
	if (nic_key(n, lost) >> type & 1)
		return (ssize_t)size;
	nic_arrival(n);
	control = n->mac ? n->mac[MAC_TSYNCRXCTL] & (TSYNCRXCTL_ENABLED | TSYNCRXCTL_TYPE) : 0;
	if (type > 3 || size > FRAME_MAX || control != (TSYNCRXCTL_ENABLED | TSYNCRXCTL_EVENT_V2))
		return igb_receive(client, frame, size);
	return receive_stamped(n->mac, client, frame, size, ptp != 14);
}

static ssize_t receive_iov(void *client, const struct iovec *iov, int count)
{
	uint8_t frame[FRAME_MAX];
	size_t size = 0;

	for (int i = 0; i < count; i++) {
		if (iov[i].iov_len > sizeof(frame) - size)
			return igb_receive_iov(client, iov, count);
		memcpy(frame + size, iov[i].iov_base, iov[i].iov_len);
		size += iov[i].iov_len;
	}
	return receive(client, frame, size);
}

/* --- the rig's device
 * ---------------------------------------------------------------------------------------- */

static uint64_t latch(void)
{
	int64_t now = true_time();

	latched_ticks = qemu_ticks();
	return (uint64_t)now;
}

static uint64_t device_read(void *opaque, uint64_t addr, unsigned size)
{
	struct nic *n = addr < RIG_NIC ? NULL : nic_by_number((int64_t)(addr - RIG_NIC) / 256 + 1);

	(void)opaque;
	(void)size;
	nic_truth();
	switch (n ? RIG_NIC + addr % 256 : addr) {
	case RIG_ID: return (uint64_t)RIG_MAGIC;
	case RIG_NOW: return latch();
	case RIG_TICKS: return (uint64_t)latched_ticks;
	case RIG_APPLIED: return (uint64_t)applied_ns;
	case RIG_COUNT: return (uint64_t)nic_count();
	case RIG_NIC + RIG_READ_AT: return (uint64_t)n->read_at_ns;
	case RIG_NIC + RIG_READS: return (uint64_t)n->reads;
	default: return n && addr % 256 < RIG_KEYS_END ? (uint64_t)n->key[addr % 256 / 8] : 0;
	}
}

static void plug(const struct nic *n, bool plugged)
{
	char name[16];
	void *error = NULL;

	snprintf(name, sizeof(name), "nic%d", n->number);
	qemu_set_link(name, plugged, &error);
}

static void device_write(void *opaque, uint64_t addr, uint64_t value, unsigned size)
{
	struct nic *n = addr < RIG_NIC ? NULL : nic_by_number((int64_t)(addr - RIG_NIC) / 256 + 1);

	(void)opaque;
	(void)size;
	if (addr == RIG_OFF) {
		nic_truth_end();
		_exit(0);
	}
	if (!n)
		return;
	applied_ns = true_time();
	if (addr % 256 == RIG_STEP)
		nic_step(n, (int64_t)value);
	else if (nic_set(n, (int64_t)(addr % 256), (int64_t)value) && addr % 256 == RIG_link)
		plug(n, value != 0);
}

/* --- how all this gets into QEMU ------------------------------------------------------- */

static void my_init_io(void *region, void *owner, const struct region_ops *ops, void *opaque,
		       const char *name, uint64_t size)
{
	if (name && !strcmp(name, "igb-mmio") && nic_add(opaque)) {
		igb_original = igb_ops = *ops;
		igb_ops.read = igb_read;
		igb_ops.write = igb_write;
		ops = &igb_ops;
	} else if (name && !strcmp(name, "edu-mmio")) {
		edu_ops = *ops;
		edu_ops.read = device_read;
		edu_ops.write = device_write;
		edu_ops.valid.min = edu_ops.impl.min = 8;
		edu_ops.valid.max = edu_ops.impl.max = 8;
		ops = &edu_ops;
	}
	patch_restore(&init_io);
	((init_io_fn *)(void *)init_io.entry)(region, owner, ops, opaque, name, size);
	patch_apply(&init_io);
}

static void *my_new_nic(const struct client_info *info, void *conf, const char *model,
			const char *name, void *guard, void *opaque)
{
	void *nic;

	if (model && !strcmp(model, "igb")) {
		igb_info = *info;
		igb_receive = info->receive;
		if (info->third.iov) {
			igb_receive_iov = info->third.iov;
			igb_info.third.iov = receive_iov;
		} else {
			igb_receive_iov = info->fourth;
			igb_info.fourth = receive_iov;
		}
		igb_info.receive = receive;
		info = &igb_info;
	}
	patch_restore(&new_nic);
	nic = ((new_nic_fn *)(void *)new_nic.entry)(info, conf, model, name, guard, opaque);
	patch_apply(&new_nic);
	return nic;
}

static struct patch timinca_patch, timestamp_patch;

__attribute__((constructor)) static void begin(void)
{
	qemu_clock = (clock_fn *)dlsym(RTLD_DEFAULT, "qemu_clock_get_ns");
	if (!qemu_clock)
		return;		/* the shell on the way to QEMU */
	qemu_ticks = (ticks_fn *)patch_symbol("cpus_get_elapsed_ticks");
	qemu_nic_opaque = (nic_opaque_fn *)patch_symbol("qemu_get_nic_opaque");
	qemu_set_link = (set_link_fn *)patch_symbol("qmp_set_link");
	nic_setup(true_time);
	patch_make(&timestamp_patch, "e1000x_timestamp", (void (*)(void))timestamp);
	patch_make(&timinca_patch, "e1000x_set_timinca", (void (*)(void))set_timinca);
	patch_make(&init_io, "memory_region_init_io", (void (*)(void))my_init_io);
	patch_make(&new_nic, "qemu_new_nic", (void (*)(void))my_new_nic);
}
