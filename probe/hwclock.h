/* hwclock.h: hardware stamps of a port: read as instants of this end, and believed only once proved.
 *
 * Stamps are of the device clock. It is mapped onto the host's counter (clockmap.h), never stepped or
 * steered; what the map adds goes into the bounds of each reading. Every stamp is checked against
 * where the device clock can have been; what is refused is counted by reason.
 *
 * One end's stamps are of one kind: hardware only when frames of the carrier have proved to be stamped
 * in both directions, software otherwise. Thread rule: the port's. */
#ifndef PROBE_HWCLOCK_H
#define PROBE_HWCLOCK_H

#include <time.h>
#include "clock.h"
#include "clockmap.h"
#include "ether.h"
#include "os_clock.h"
#include "port.h"
#include "shared_clock.h"

#define HWCLOCK_PROOF	8	/* good stamps each way that prove it */
#define HWCLOCK_TRIES	64	/* frames each way without that many that refute it */

enum hwclock_state {
	HWCLOCK_NONE,		/* the port has no hardware stamps */
	HWCLOCK_TESTING,
	HWCLOCK_PROVED,
	HWCLOCK_REFUTED
};

struct hwclock_way { unsigned asked, good; uint64_t lost[STAMP_LOSS_COUNT]; };
struct hwclock_test {
	enum hwclock_state state;
	struct hwclock_way rx, tx;	/* while testing and after */
};

struct hwclock {
	struct port *port;
	const struct clock *clock;
	struct port_caps caps;
	struct clockmap map;
	int64_t due_ns;
	uint64_t emptied_tick, polled_tick;	/* nothing older can still be waiting in the port */
	int64_t last_rx_ns, last_tx_ns;		/* device clock, of the newest stamps */
	int clock_failed;			/* readings in a row */
	int unsteady;				/* readings in a row without a line */
	int64_t (*host_now)(clockid_t id);	/* nstime_now() */
	struct os_clock os;
	struct shared_clock shared;
	const char *refused;			/* why there are no hardware stamps at all; NULL: no reason */
	struct hwclock_test test[CARRIER_COUNT];
};

void hwclock_init(struct hwclock *h, struct port *port, const struct clock *clock);
/* Reads the device clock when that is due, up to 50 times a second. */
void hwclock_work(struct hwclock *h, int64_t now_ns);
/* Receives on the port; remembers how old what comes can be. */
int hwclock_receive(struct hwclock *h, struct port_frame *frames, int max);

/* The kind of stamps that this end has on a carrier: STAMP_NONE while that is being tested. */
enum stamp_kind hwclock_kind(const struct hwclock *h, enum carrier carrier);
/* Nobody can say more than has been seen: what is still being tested is refuted. */
void hwclock_settle(struct hwclock *h, enum carrier carrier);
/* Of a frame of the carrier that arrived: checks its hardware stamp. Afterwards the stamp has the kind of
 * hwclock_kind(), or STAMP_NONE when it should have been hardware and is not. */
void hwclock_check_rx(struct hwclock *h, enum carrier carrier, struct stamp *stamp);
/* What port_ops.transmit() is to be asked for: stamps that have been refuted are not waited for. */
unsigned hwclock_tx_flags(const struct hwclock *h, enum carrier carrier);
/* What became of the stamp of a frame that left; the same. -EAGAIN: ask again. */
int hwclock_check_tx(struct hwclock *h, enum carrier carrier, const struct port_sent *sent,
	struct stamp *stamp);

/* Nobody will ask for the stamp of a frame that left again. */
void hwclock_abandon_tx(struct hwclock *h, enum carrier carrier);

/* How far a stamp may be from the truth; -EAGAIN when it is hardware's and there is no map now. */
int64_t hwclock_half_ns(const struct hwclock *h, const struct stamp *stamp);
/* Adds that to every bound of a reading. */
void hwclock_widen(struct clock_reading *r, int64_t by_ns);
/* What this end's page says at a tick. For hardware stamps the map has to vouch, too: good_until reaches to
 * its newest reading at most, and its epochs count among the page's. */
void hwclock_page(const struct hwclock *h, uint64_t tick, struct clock_reading *out);
/* The instant of a stamp and what this end's page says of it; bounds contain what the map adds. 0, or
 * -EAGAIN when the stamp is hardware's and there is no map now. */
int hwclock_read(const struct hwclock *h, const struct stamp *stamp, struct clock_reading *out);
/* From one stamp to another of the same kind. */
int64_t hwclock_span_ns(const struct hwclock *h, const struct stamp *from, const struct stamp *to);

#endif
