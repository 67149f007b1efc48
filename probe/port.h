/* port.h: how frames leave and arrive, and what their stamps are worth.
 *
 * One backend per file behind struct port_ops: dpdk, kernel, sim.
 * Thread rule: one thread per port. Nothing here allocates after open. */
#ifndef PROBE_PORT_H
#define PROBE_PORT_H

#include <stddef.h>
#include <stdint.h>
#include "err.h"

#define PORT_FRAME_MAX 1518
#define PORT_BURST 32

enum stamp_kind { STAMP_NONE, STAMP_SOFTWARE, STAMP_HARDWARE };
/* "none" "software" "hardware" */
const char *stamp_kind_name(enum stamp_kind kind);

/* When a frame passed. The software stamp is always there; a hardware stamp stands beside it. */
struct stamp {
	enum stamp_kind kind;	/* the better of the two */
	uint64_t tick;		/* software, of the port's counter: received, when the burst that brought
				 * the frame returned; sent, just before it was handed over. From
				 * tx_stamp() and on the kernel port: when the driver had the frame */
	uint32_t half_ticks;	/* the tick may be wrong by this much: 0 where it was read, more where it
				 * was converted from the kernel's clock */
	int64_t nic_ns;		/* STAMP_HARDWARE: the port's device clock, extended to 64 bit */
	uint8_t loss;		/* enum stamp_loss: why it is a software stamp on a port that has others */
};

/* Why a hardware stamp that was hoped for is not there. */
#define STAMP_LOSSES(X) \
	X(absent,	"the frame came without one") \
	X(zero,		"the stamp was zero") \
	X(repeated,	"the stamp was that of a frame before") \
	X(earlier,	"the stamp lay before what could be") \
	X(later,	"the stamp lay in the future") \
	X(torn,		"two reads of the stamp differed") \
	X(no_slot,	"all slots for transmit stamps were in use") \
	X(timeout,	"the transmit stamp never came") \
	X(restart,	"the device clock was stepped or restarted meanwhile") \
	X(no_map,	"the device clock could not be read well enough")

#define STAMP_LOSS_ENUM(name, text) STAMP_LOSS_##name,
enum stamp_loss { STAMP_LOSSES(STAMP_LOSS_ENUM) STAMP_LOSS_COUNT };
#undef STAMP_LOSS_ENUM
/* NULL for what is no reason. */
const char *stamp_loss_name(int loss);
const char *stamp_loss_text(int loss);

/* Which frames the hardware stamps. */
enum stamp_scope {
	SCOPE_NONE,		/* no hardware stamps */
	SCOPE_ALL,		/* every frame */
	SCOPE_PTP_EVENT,	/* PTP event messages, over Ethernet and over UDP port 319 */
	SCOPE_PTP_SYNC		/* Sync over Ethernet (0x88F7) only */
};

/* What a port says about its stamps. What it delivers is for the self-test to prove. */
struct port_caps {
	enum stamp_kind rx, tx;	/* the best it may have */
	const char *unit;	/* "tsc ticks" */
	const char *epoch;	/* "counter start" */
	const char *scope;	/* which frames are stamped, in words: "all frames" */
	enum stamp_scope rx_scope;	/* of hardware stamps */
	int tx_slots;		/* transmit stamps outstanding at once; 0: no limit */
	int64_t resolution_ns;
	int phc_index;		/* the kernel's PHC that stamps come from, /dev/ptpN; -1: none */
	int doubtful_clock;	/* device_clock() may read the host's own clock, as some drivers do */
	const char *hint;	/* what a user can do to get better stamps; NULL: nothing */
};

/* The device clock between two reads of the port's counter. */
struct port_clock_reading {
	uint64_t tick;		/* in the middle */
	int64_t nic_ns;
	uint64_t half_ticks;	/* half of the bracket, rounded up */
};

struct port_stats {
	uint64_t rx_frames, tx_frames, rx_missed, tx_failed;
	uint64_t rx_lost[STAMP_LOSS_COUNT], tx_lost[STAMP_LOSS_COUNT];	/* hardware stamps */
};

/* One received frame; data is valid until the next receive on the port. */
struct port_frame {
	const uint8_t *data;
	uint16_t len;
	struct stamp stamp;
};

#define PORT_WANT_STAMP	1u	/* a hardware stamp, where the port has them */

/* One frame that was handed over. */
struct port_sent {
	uint64_t tick;		/* just before: a delay counted from it includes the hand-over, and so is
				 * never too short */
	int asked;		/* a hardware stamp was asked for: tx_stamp() tells what became of it */
	uint32_t id;		/* by this number */
};

struct clockmap;
struct ether_self;
struct port;
struct port_ops {
	const char *scheme;	/* "dpdk" */
	/* `spec` is what follows "scheme:"; argc/argv are the backend's own arguments.
	 * -ENODEV no such port, -EPERM privilege missing, -EINVAL bad spec, -EIO start failed. */
	int (*open)(struct port **port, const char *spec, int argc, char **argv, struct err *e);
	void (*close)(struct port *port);
	void (*caps)(const struct port *port, struct port_caps *caps);
	void (*mac)(const struct port *port, uint8_t mac[6]);
	int (*mtu)(const struct port *port);
	/* Whom frames are for: all others may be dropped before they are copied. NULL: all frames come. */
	void (*listen)(struct port *port, const struct ether_self *self);
	/* Sends one whole Ethernet frame. `stamp`, when not NULL, is called with `arg` and the frame as it
	 * will leave, after everything else is ready, and may write into it: a software stamp is read and
	 * written there, as late as can be. `flags`: PORT_WANT_STAMP; where no slot is free the frame is
	 * sent all the same, and sent->asked is 0. 0 or -EAGAIN when there is no room, -EMSGSIZE. */
	int (*transmit)(struct port *port, const uint8_t *frame, size_t len, unsigned flags,
		void (*stamp)(void *arg, uint8_t *frame, size_t len), void *arg, struct port_sent *sent);
	/* Up to max (<= PORT_BURST) frames that have arrived; never waits. */
	int (*receive)(struct port *port, struct port_frame *frames, int max);
	/* What became of a stamp that was asked for; never waits. 0: *out is it, handed out once: of the kind
	 * that caps() says, so a better software stamp where the kernel has nothing else.
	 * -EAGAIN: not yet. -ENODATA: lost, out->loss says why. NULL where nothing is ever asked for. */
	int (*tx_stamp)(struct port *port, uint32_t id, struct stamp *out);
	/* One reading of the device clock. -ENOTSUP: there is none, or none any more that the port may use,
	 * and no hardware stamps from now on. -EIO: that failed. NULL: as -ENOTSUP.
	 * The device clock is never stepped or steered. */
	int (*device_clock)(struct port *port, struct port_clock_reading *out);
	void (*stats)(struct port *port, struct port_stats *stats);
};
struct port {
	const struct port_ops *ops;
	uint64_t (*ticks)(void);	/* the counter that software stamps are read from; the time stamp
					 * counter, unless the owner sets another after port_open() */
	const struct clockmap *map;	/* the owner's map of the device clock, for a backend that has to
					 * make stamps whole; NULL, or without a line: none yet */
};

extern const struct port_ops port_dpdk;		/* libport_dpdk.la */

/* Splits "scheme:spec", finds the backend in the NULL-terminated list, opens it. */
int port_open(struct port **port, const struct port_ops *const *backends, const char *text,
	int argc, char **argv, struct err *e);
void port_close(struct port *port);	/* NULL is allowed */

#endif
