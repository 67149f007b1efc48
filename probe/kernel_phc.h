/* kernel_phc.h: a PTP hardware clock of the kernel and CLOCK_REALTIME, read beside the port's counter.
 * Neither is ever set. */
#ifndef PROBE_KERNEL_PHC_H
#define PROBE_KERNEL_PHC_H

#include <time.h>
#include "err.h"
#include "kernel_time.h"
#include "port.h"

/* From the best to the last. A rung that the driver does not have is not tried again. */
enum kernel_phc_rung { PHC_PRECISE, PHC_EXTENDED, PHC_PLAIN };

struct kernel_phc {
	int fd;			/* -1: there is none */
	enum kernel_phc_rung rung;
	int (*ioctl)(int fd, unsigned long request, ...);	/* ioctl(), but for tests */
	int (*gettime)(clockid_t id, struct timespec *ts);	/* clock_gettime() */
};

/* /dev/ptpINDEX, read-only. -EPERM, -ENODEV, -EIO; then there is none. */
int kernel_phc_open(struct kernel_phc *p, int index, struct err *e);
void kernel_phc_close(struct kernel_phc *p);
/* One reading. Where the driver can, the hardware takes CLOCK_REALTIME at the same instant, or the kernel
 * brackets the device with it: that is converted by `time`. Else we bracket the device ourselves.
 * -ENOTSUP: there is none. -EIO: that failed. */
int kernel_phc_read(struct kernel_phc *p, uint64_t (*ticks)(void), struct kernel_time *time,
	struct port_clock_reading *out);

/* CLOCK_REALTIME between two reads of the counter, the narrowest of n, for kernel_time_note(). */
void kernel_phc_pair(uint64_t (*ticks)(void), int n, struct kernel_pair *out);

#endif
