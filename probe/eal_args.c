#define _GNU_SOURCE 1	/* sched_getaffinity() */
#include "eal_args.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static char program[] = "timesvc-probe";
static char in_memory[] = "--in-memory";
static char no_shconf[] = "--no-shconf";
static char no_telemetry[] = "--no-telemetry";
static char lcores_option[] = "--lcores";

/* Any argument that starts with one of the words of the NULL-terminated list. */
static int says(int argc, char **argv, const char *const *words)
{
	for (; *words; words++)
		for (int i = 0; i < argc; i++)
			if (!strncmp(argv[i], *words, strlen(*words)))
				return 1;
	return 0;
}

/* "0@(0,1,5)": one thread of DPDK's, on all of the CPUs that the process may use. DPDK would
 * otherwise pin it to the first of them, and two probes to the same one. */
static int lcores(char *buf, size_t size, struct err *e)
{
	cpu_set_t set;
	size_t used = (size_t)snprintf(buf, size, "0@(");

	if (sched_getaffinity(0, sizeof(set), &set))
		return err_set(e, -EIO, "the CPUs of this process cannot be read: %s", strerror(errno));
	for (int i = 0; i < CPU_SETSIZE && used + 8 < size; i++)
		if (CPU_ISSET(i, &set))
			used += (size_t)snprintf(buf + used, size - used, "%d,", i);
	buf[used - 1] = ')';
	return 0;
}

static void push(struct eal_args *out, char *arg)
{
	out->argv[out->count++] = arg;
	out->argv[out->count] = NULL;
}

int eal_args_make(struct eal_args *out, int argc, char **argv, struct err *e)
{
	static const char *const shared[] = { "--in-memory", "--file-prefix", "--no-shconf", "--proc-type",
					      "--huge-unlink", NULL };
	/* Neither of which goes with --in-memory. */
	static const char *const no_huge[] = { "--no-huge", "--legacy-mem", NULL };
	static const char *const cores[] = { "-l", "-c", "--lcores", "-s", "-S", NULL };
	static const char *const telemetry[] = { "--no-telemetry", "--telemetry", NULL };

	if (argc > EAL_ARGS_MAX - 5)
		return err_set(e, -E2BIG, "more than %d arguments for DPDK", EAL_ARGS_MAX - 5);
	out->count = 0;
	push(out, program);
	if (!says(argc, argv, shared))
		push(out, says(argc, argv, no_huge) ? no_shconf : in_memory);
	if (!says(argc, argv, telemetry))
		push(out, no_telemetry);
	if (!says(argc, argv, cores)) {
		int err = lcores(out->lcores, sizeof(out->lcores), e);

		if (err)
			return err;
		push(out, lcores_option);
		push(out, out->lcores);
	}
	for (int i = 0; i < argc; i++)
		push(out, argv[i]);
	return 0;
}

static int iface_of(const char *device, char *iface, size_t size)
{
	const char *at = strstr(device, ",iface=");
	size_t len;

	if (!at)
		return 0;
	at += strlen(",iface=");
	len = strcspn(at, ",");
	if (!len || len >= size)
		return 0;
	memcpy(iface, at, len);
	iface[len] = '\0';
	return 1;
}

int eal_args_iface(const char *name, int argc, char **argv, char *iface, size_t size)
{
	size_t len = strlen(name);

	if (strncmp(name, "net_af_packet", strlen("net_af_packet")))
		return 0;
	for (int i = 0; i < argc; i++) {
		const char *device = argv[i];

		if (!strncmp(device, "--vdev=", strlen("--vdev=")))
			device += strlen("--vdev=");
		if (!strncmp(device, name, len) && device[len] == ',')
			return iface_of(device, iface, size);
	}
	return 0;
}
