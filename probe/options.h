/* options.h: timesvc-probe's command line. */
#ifndef PROBE_OPTIONS_H
#define PROBE_OPTIONS_H

#include <stdint.h>
#include <stdio.h>
#include "err.h"
#include "ether.h"

struct options {
	int help, version;	/* only that was asked for */
	int reflect;
	const char *port;
	uint32_t local_ip, remote_ip;
	uint16_t vlan;
	uint16_t udp_port;
	int64_t rate;
	uint64_t count;		/* 0: no limit */
	int64_t seconds;	/* 0: no limit */
	const char *page, *clock;	/* NULL: as tsv_open() takes it */
	int64_t hold_limit_ms;
	const char *segment, *json, *slices;	/* NULL: not wanted */
	const char *name;
	int isolated;
	enum carrier carrier;	/* CARRIER_COUNT: automatic */
	int port_argc;		/* what follows "--" */
	char **port_argv;
};

/* -EINVAL with a sentence that names the option. Points into argv, which must outlive *out. */
int options_parse(struct options *out, int argc, char **argv, struct err *e);
void options_usage(FILE *f);

#endif
