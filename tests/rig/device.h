/* device.h: the rig's own PCI device, between the shim in QEMU and the programs in the guest.
 *
 * QEMU's "edu" device is its body: PCI 1234:11e8, one BAR, which the shim answers instead. All
 * registers are 64 bits wide and signed. What is written counts at once, and the truth log has
 * the instant. */
#ifndef RIG_DEVICE_H
#define RIG_DEVICE_H

#define RIG_PCI_VENDOR	0x1234
#define RIG_PCI_DEVICE	0x11e8
#define RIG_MAGIC	INT64_C(0x74696d6573766331)
#define RIG_NICS	8

enum rig_register {
	RIG_ID = 0x00,		/* RIG_MAGIC */
	RIG_NOW = 0x08,		/* the true time: nanoseconds of QEMU's virtual clock; latches RIG_TICKS */
	RIG_TICKS = 0x10,	/* the guest's time stamp counter at that instant */
	RIG_APPLIED = 0x18,	/* the true time of the latest write */
	RIG_COUNT = 0x20,	/* how many NICs there are */
	RIG_OFF = 0x28,		/* write: the machine is off at once */
	RIG_NIC = 0x1000	/* from here 256 bytes for each, the first is NIC 1 */
};

/* Within the part of a NIC: key, offset, what it is. */
#define RIG_KEYS(X) \
	X(osc_ppb,	0x00)	/* error of its oscillator */ \
	X(tick_ns,	0x08)	/* granularity of its clock */ \
	X(delay_ns,	0x10)	/* of its cable, for what it receives */ \
	X(jitter_ns,	0x18)	/* each receive stamp is off by at most so much */ \
	X(asym_ns,	0x20)	/* added to the delay in this direction alone */ \
	X(lost,		0x28)	/* PTP messages that never arrive, a bit for each type; 16: others */ \
	X(link,		0x30)	/* 0: its cable is unplugged */

#define RIG_STEP	0x80	/* write: its clock jumps by so many nanoseconds */
#define RIG_READ_AT	0x88	/* the true time of the latest read of its clock */
#define RIG_READS	0x90	/* how many reads there were */

#define RIG_KEY_ENUM(name, offset) RIG_##name = offset,
enum rig_key { RIG_KEYS(RIG_KEY_ENUM) RIG_KEYS_END };
#undef RIG_KEY_ENUM
#define RIG_KEY_COUNT	((RIG_KEYS_END + 7) / 8)

#endif
