/* ptp.h: what ptp4l says of itself: the decoded management data sets (IEEE 1588-2019
 * clause 8 and 15.5.3, and linuxptp's own), and one dated poll of them.
 *
 * Sources fill it, the judge reads it. Nothing here knows the wire. */
#ifndef TIMESVC_PTP_H
#define TIMESVC_PTP_H

#include <stddef.h>
#include <stdint.h>

struct ptp_identity { uint8_t id[8]; };
struct ptp_port_identity { struct ptp_identity clock; uint16_t port; };

enum ptp_port_state {	/* IEEE 1588-2019 Table 20 */
	PTP_INITIALIZING = 1, PTP_FAULTY, PTP_DISABLED, PTP_LISTENING, PTP_PRE_MASTER,
	PTP_MASTER, PTP_PASSIVE, PTP_UNCALIBRATED, PTP_SLAVE, PTP_GRAND_MASTER
};
/* "SLAVE" …, "?" for none of them. */
const char *ptp_port_state_name(int state);

/* "001122.fffe.334455" as linuxptp writes it, and "001122.fffe.334455-1". Each returns buf;
 * the sizes always suffice. */
#define PTP_IDENTITY_SIZE 20
#define PTP_PORT_IDENTITY_SIZE 26
char *ptp_identity_format(char *buf, size_t size, const struct ptp_identity *id);
char *ptp_port_identity_format(char *buf, size_t size, const struct ptp_port_identity *port);
int ptp_identity_equal(const struct ptp_identity *a, const struct ptp_identity *b);

struct ptp_time_status {	/* TIME_STATUS_NP */
	int64_t master_offset_ns;
	int64_t ingress_ns;	/* local time of the last Sync; 0: there was none */
	int32_t cumulative_scaled_rate_offset;	/* 2^-41 */
	int gm_present;
	struct ptp_identity gm;
};
struct ptp_default_ds { struct ptp_identity clock; uint8_t domain; int slave_only; uint16_t ports; };
struct ptp_current_ds {
	uint16_t steps_removed;
	int64_t offset_from_master_ns;	/* scaled, fraction dropped */
	int64_t mean_path_delay_ns;
};
struct ptp_parent_ds {
	struct ptp_port_identity parent;
	struct ptp_identity gm;
	uint8_t gm_class, gm_accuracy;
	uint16_t gm_variance;
	uint8_t gm_priority1, gm_priority2;
};
struct ptp_time_properties {
	int16_t utc_offset;
	int utc_offset_valid, leap59, leap61, time_traceable, frequency_traceable, ptp_timescale;
	uint8_t time_source;
};
struct ptp_port_ds {
	struct ptp_port_identity port;
	int state;		/* enum ptp_port_state */
	int log_min_delay_req, log_announce, log_sync, log_min_pdelay_req;
	int64_t peer_mean_path_delay_ns;
	int announce_receipt_timeout, delay_mechanism, version;
};
struct ptp_port_stats {		/* PORT_STATS_NP, index is messageType */
	struct ptp_port_identity port;
	uint64_t rx[16], tx[16];
};
#define PTP_MSG_SYNC 0x0
#define PTP_MSG_PDELAY_RESP 0x3
#define PTP_MSG_FOLLOW_UP 0x8
#define PTP_MSG_DELAY_RESP 0x9
#define PTP_MSG_ANNOUNCE 0xB

/* Which data sets a poll brought. */
enum {
	PTP_HAVE_TIME_STATUS = 1, PTP_HAVE_DEFAULT = 2, PTP_HAVE_CURRENT = 4, PTP_HAVE_PARENT = 8,
	PTP_HAVE_PROPERTIES = 16, PTP_HAVE_PORT = 32, PTP_HAVE_STATS = 64
};

/* One poll. A value is only as good as its bit in `have`. */
struct ptp_reading {
	int64_t asked_ns;	/* CLOCK_MONOTONIC, before the first request left */
	int64_t answered_ns;	/* CLOCK_MONOTONIC, of the last reply; 0 when none came */
	uint32_t have;
	struct ptp_time_status time_status;
	struct ptp_default_ds defaults;
	struct ptp_current_ds current;
	struct ptp_parent_ds parent;
	struct ptp_time_properties properties;
	struct ptp_port_ds port;
	struct ptp_port_stats stats;
};

#endif
