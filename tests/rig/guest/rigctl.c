/* rigctl: a scenario's hand on the rig, and its eye for the truth.
 *
 *   rigctl now                    the true time, ns
 *   rigctl get NIC KEY            a key of device.h
 *   rigctl set NIC KEY VALUE      prints the true time at which it counts
 *   rigctl step NIC NS            the NIC's clock jumps; prints the true time at which it did
 *   rigctl phc NIC                the true time of a read of its clock, and what that said
 *   rigctl offset A B COUNT MS    COUNT lines, MS apart: the true time, and by how much NIC B's
 *                                 clock is ahead of NIC A's at that instant
 *   rigctl off                    the machine is off at once
 * Status 2 for anything else, 1 when there is no such clock. */
#define _GNU_SOURCE
#include "truth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(const char *what)
{
	fprintf(stderr, "rigctl: %s\n", what);
	exit(2);
}

static unsigned of_nic(const char *nic, unsigned offset)
{
	unsigned at = truth_of_nic(atoi(nic), offset);

	return at ? at : (unsigned)usage("no such NIC");
}

static unsigned key(const char *name)
{
#define KEY(word, offset) if (!strcmp(name, #word)) return offset;
	RIG_KEYS(KEY)
#undef KEY
	return (unsigned)usage("no such key");
}

static void open_clock(struct truth_clock *c, const char *nic)
{
	of_nic(nic, 0);
	if (truth_clock_open(c, atoi(nic))) {
		fprintf(stderr, "rigctl: NIC %s has no clock\n", nic);
		exit(1);
	}
}

static int phc(const char *nic)
{
	struct truth_clock c;
	int64_t at, ns;

	open_clock(&c, nic);
	if (truth_clock_read(&c, &at, &ns))
		return 1;
	printf("%" PRId64 " %" PRId64 "\n", at, ns);
	return 0;
}

static int offset(const char *nic_a, const char *nic_b, int count, int ms)
{
	int64_t at[2], a[2], at_b, b;
	struct truth_clock clock_a, clock_b;

	open_clock(&clock_a, nic_a);
	open_clock(&clock_b, nic_b);
	for (int i = 0; i < count; i++) {
		if (i)
			usleep((useconds_t)ms * 1000);
		if (truth_clock_read(&clock_a, &at[0], &a[0]) || truth_clock_read(&clock_b, &at_b, &b) ||
		    truth_clock_read(&clock_a, &at[1], &a[1]))
			return 1;
		printf("%" PRId64 " %" PRId64 "\n", at_b, b - truth_between(at, a, at_b));
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (truth_open())
		usage("this is no guest of the rig");
	if (!strcmp(verb, "now") && argc == 2)
		printf("%" PRId64 "\n", truth_get(RIG_NOW));
	else if (!strcmp(verb, "off") && argc == 2)
		truth_set(RIG_OFF, 1);
	else if (!strcmp(verb, "get") && argc == 4)
		printf("%" PRId64 "\n", truth_get(of_nic(argv[2], key(argv[3]))));
	else if (!strcmp(verb, "set") && argc == 5)
		truth_set(of_nic(argv[2], key(argv[3])), strtoll(argv[4], NULL, 10));
	else if (!strcmp(verb, "step") && argc == 4)
		truth_set(of_nic(argv[2], RIG_STEP), strtoll(argv[3], NULL, 10));
	else if (!strcmp(verb, "phc") && argc == 3)
		return phc(argv[2]);
	else if (!strcmp(verb, "offset") && argc == 6)
		return offset(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]));
	else
		return usage("now | get | set | step | phc | offset, see rigctl.c");
	if (!strcmp(verb, "set") || !strcmp(verb, "step"))
		printf("%" PRId64 "\n", truth_get(RIG_APPLIED));
	return 0;
}
