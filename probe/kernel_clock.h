/* kernel_clock.h: the PHCs that the kernel has of a PCI card. Enabling one's own stamps could stop or step
 * them where the ports of a card share one clock. */
#ifndef PROBE_KERNEL_CLOCK_H
#define PROBE_KERNEL_CLOCK_H

#include <stddef.h>

/* Looks for a PHC of any function of the card of `address` ("0000:03:00.1") under `devices`
 * (/sys/bus/pci/devices). 1 and the PHC's name ("ptp2"), or 0. */
int kernel_clock_of_card(const char *devices, const char *address, char *ptp, size_t size);

#endif
