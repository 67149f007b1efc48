/* truth.h: the rig's device as a program in the guest sees it: the true time, and clocks at a
 * true time. */
#ifndef RIG_TRUTH_H
#define RIG_TRUTH_H

#include "../device.h"

#include <stdint.h>

struct truth_clock {
	int nic;
	int fd;		/* of its /dev/ptpN; -1: there is none */
};

/* 0, or -ENODEV when this is no guest of the rig. */
int truth_open(void);
int64_t truth_get(unsigned offset);
void truth_set(unsigned offset, int64_t value);
/* The offset of a NIC's register; 0 when there is no such NIC. */
unsigned truth_of_nic(int nic, unsigned offset);

/* 0 or -errno. */
int truth_clock_open(struct truth_clock *c, int nic);
/* What the clock said at a true time, exactly: 0 or -errno; -EBUSY when others kept reading it
 * too. */
int truth_clock_read(const struct truth_clock *c, int64_t *true_ns, int64_t *clock_ns);

/* The clock at a true time between two reads of it. */
int64_t truth_between(const int64_t true_ns[2], const int64_t clock_ns[2], int64_t at);

#endif
