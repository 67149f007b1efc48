/* kernel_phc.h: a PTP hardware clock of the kernel and CLOCK_REALTIME, read beside the port's counter.
 * Neither is ever set. */
#ifndef PROBE_KERNEL_PHC_H
#define PROBE_KERNEL_PHC_H

#include "err.h"
#include "kernel_time.h"
#include "port.h"

struct kernel_phc {
	int fd;			/* -1: there is none */
	int extended;		/* PTP_SYS_OFFSET_EXTENDED works, as far as is known */
};

/* /dev/ptpINDEX, read-only. -EPERM, -ENODEV, -EIO; then there is none. */
int kernel_phc_open(struct kernel_phc *p, int index, struct err *e);
void kernel_phc_close(struct kernel_phc *p);
/* One reading. The kernel brackets the device with CLOCK_REALTIME where the driver can, which is converted
 * by `time`; else we bracket it ourselves. -ENOTSUP: there is none. -EIO: that failed. */
int kernel_phc_read(struct kernel_phc *p, uint64_t (*ticks)(void), struct kernel_time *time,
	struct port_clock_reading *out);

/* CLOCK_REALTIME between two reads of the counter, the narrowest of n, for kernel_time_note(). */
void kernel_phc_pair(uint64_t (*ticks)(void), int n, struct kernel_pair *out);

#endif
