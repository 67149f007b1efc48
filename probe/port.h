/* port.h: how frames leave and arrive, and what their stamps are worth.
 *
 * One backend per file behind struct port_ops: dpdk, sim (kernel and pcap later).
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

/* What a port says about its stamps. */
struct port_caps {
	enum stamp_kind rx, tx;
	const char *unit;	/* "tsc ticks" */
	const char *epoch;	/* "counter start" */
	const char *scope;	/* which frames are stamped: "all frames" */
	int tx_slots;		/* transmit stamps outstanding at once; 0: no limit */
	int64_t resolution_ns;
};

struct port_stats { uint64_t rx_frames, tx_frames, rx_missed, tx_failed; };

/* One received frame; data is valid until the next receive on the port. */
struct port_frame {
	const uint8_t *data;
	uint16_t len;
	enum stamp_kind kind;
	uint64_t tsc;		/* software: when the burst that brought it returned */
};

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
	/* Sends one whole Ethernet frame. `stamp`, when not NULL, is called with `arg` and the frame as it
	 * will leave, after everything else is ready, and may write into it: a software stamp is read and
	 * written there, as late as can be. *tsc is the tick just before the frame was handed over: a delay
	 * counted from it includes the hand-over, and so is never too short. 0 or -EAGAIN when there is no
	 * room, -EMSGSIZE. */
	int (*transmit)(struct port *port, const uint8_t *frame, size_t len,
		void (*stamp)(void *arg, uint8_t *frame, size_t len), void *arg, uint64_t *tsc);
	/* Up to max (<= PORT_BURST) frames that have arrived; never waits. */
	int (*receive)(struct port *port, struct port_frame *frames, int max);
	void (*stats)(struct port *port, struct port_stats *stats);
};
struct port {
	const struct port_ops *ops;
	uint64_t (*ticks)(void);	/* the counter that software stamps are read from; the time stamp
					 * counter, unless the owner sets another after port_open() */
};

extern const struct port_ops port_dpdk;		/* libport_dpdk.la */

/* Splits "scheme:spec", finds the backend in the NULL-terminated list, opens it. */
int port_open(struct port **port, const struct port_ops *const *backends, const char *text,
	int argc, char **argv, struct err *e);
void port_close(struct port *port);	/* NULL is allowed */

#endif
