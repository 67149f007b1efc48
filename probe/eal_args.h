/* eal_args.h: the arguments that DPDK's environment layer is started with. */
#ifndef PROBE_EAL_ARGS_H
#define PROBE_EAL_ARGS_H

#include <stddef.h>
#include "err.h"

#define EAL_ARGS_MAX 64

struct eal_args {
	int count;
	char *argv[EAL_ARGS_MAX + 1];
	char lcores[6 * 1024];
};

/* The user's arguments behind what lets two probes run on one host and float over the CPUs that they
 * were given; what the user says himself is left alone. -E2BIG, -EIO. */
int eal_args_make(struct eal_args *out, int argc, char **argv, struct err *e);
/* The interface of the af_packet device `name` ("net_af_packet0"): 1 and its name, or 0. */
int eal_args_iface(const char *name, int argc, char **argv, char *iface, size_t size);

#endif
