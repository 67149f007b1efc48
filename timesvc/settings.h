/* settings.h: everything an operator can set, checked, in the units the code uses.
 *
 * Read from timesvc.conf by the option table (options.h). All three processes of the daemon
 * read the same text. Fixed size, plain data. */
#ifndef TIMESVC_SETTINGS_H
#define TIMESVC_SETTINGS_H

#include <stdint.h>
#include "err.h"

#define CLOCKS_MAX	8
#define PROBES_MAX	8
#define PTP4L_OPTIONS_MAX 64
#define NAME_SIZE	32
#define PATH_SIZE	256

/* The page's record of CLOCK_REALTIME beside a hardware clock; no clock may have this name. */
#define SYSTEM_RECORD	"system"

enum clock_mode { MODE_OBSERVE, MODE_STEER, MODE_ADOPT };
enum clock_role { ROLE_AUTO, ROLE_REFERENCE, ROLE_FOLLOWER };
enum tsc_policy { TSC_AUTO, TSC_ASSUME, TSC_NEVER };

/* One line for the generated ptp4l.conf: `ptp4l.logSyncInterval -4`. */
struct ptp4l_option { char key[48]; char value[80]; };

struct clock_settings {		/* [clock NAME] */
	char name[NAME_SIZE];
	char interface[16];
	enum clock_mode mode;
	enum clock_role role;
	char transport[8];	/* L2 UDPv4 UDPv6 */
	char time_stamping[16];	/* software hardware */
	int domain;
	int transport_specific;
	char ptp4l_socket[108];	/* uds_address: made in run_dir unless adopted or set */
	int64_t upstream_budget_ns;	/* -1: not set */
	int64_t port_budget_ns;
	int utc_offset;		/* of PTP time minus UTC, s; -1: what ptp4l says */
	struct ptp4l_option ptp4l[PTP4L_OPTIONS_MAX];
	int ptp4l_count;
	/* What the page must add to the local clock to have the time that this clock's ptp4l
	 * serves as a master: (egressLatency - ingressLatency) / 2. */
	int64_t served_shift_ns;
};

struct policy_settings {	/* [policy]; ARCHITECTURE of the thresholds: judge.h */
	int64_t alarm_offset_ns, alarm_clear_ns, alarm_clear_time_ns;
	int64_t fallback_bound_ns, recover_bound_ns, recover_time_ns;
	int64_t hold_limit_ns;
	int64_t reply_timeout_ns;	/* ptp4l silent for this long is ptp4l_no_reply */
	int64_t growth_ppb;		/* wander allowed beyond the measured rate */
	int64_t outlier_ns;
	int64_t settle_syncs;
};

struct probe_settings {		/* [probe NAME] */
	char name[NAME_SIZE];
	char clock[NAME_SIZE];		/* whose page clock it uses; "" the first */
	char command[8];		/* send reflect */
	char port[64];			/* dpdk:net_af_packet0 */
	char eal[256];			/* arguments after --, split at blanks */
	char local_ip[48], remote_ip[48];
	int vlan;			/* -1 none */
	int udp_port;
	int64_t rate;			/* probes per second */
	char json[PATH_SIZE], slices[PATH_SIZE];	/* "" none */
};

struct settings {
	/* [global] */
	char run_dir[PATH_SIZE];	/* /run/timesvc */
	char user[NAME_SIZE];
	char http_address[64];
	int http_port;			/* 0: no HTTP */
	char log_level[8];
	char ptp4l_program[PATH_SIZE], phc2sys_program[PATH_SIZE], probe_program[PATH_SIZE];
	enum tsc_policy tsc;
	int64_t poll_interval_ns;	/* of ptp4l, 100 ms */
	int64_t refresh_interval_ns;	/* of the page, 50 ms */
	int64_t void_after_ns;		/* the page's word is good for this long */
	int64_t liveness_ns;		/* ptp4l silent for this long is restarted */
	int64_t stop_timeout_ns;	/* between TERM and KILL */
	int stop_children;		/* 0: ptp4l and phc2sys live on when the daemon stops */

	struct policy_settings policy;
	struct clock_settings clocks[CLOCKS_MAX];
	int clock_count;
	struct probe_settings probes[PROBES_MAX];
	int probe_count;
};

/* Parses and checks a whole configuration text. `file` is for messages.
 * -EINVAL with "FILE:LINE:COLUMN: key 'K': … (allowed: …)". */
int settings_parse(struct settings *s, const char *file, const char *text, unsigned long len,
	struct err *e);
int settings_load(struct settings *s, const char *path, struct err *e);

/* Names the first difference that a reload cannot take over; 0 when there is none. */
int settings_reloadable(const struct settings *now, const struct settings *next, struct err *e);

/* What one key cannot say alone: names, relations between keys, paths that fit. `c` gives the places. */
struct conf;
int settings_check(const struct settings *s, const struct conf *c, struct err *e);

/* Paths under run_dir. Each returns buf. */
char *settings_page_path(const struct settings *s, char *buf, unsigned long size);
char *settings_segment_path(const struct settings *s, int probe, char *buf, unsigned long size);

#endif
