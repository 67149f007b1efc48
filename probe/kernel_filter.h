/* kernel_filter.h: the program by which a packet socket copies the probe's own frames only. */
#ifndef PROBE_KERNEL_FILTER_H
#define PROBE_KERNEL_FILTER_H

#include <linux/filter.h>
#include "ether.h"

#define KERNEL_FILTER_MAX 32

/* ARP for the address of `self`, UDP to its address and port or what stands for it in a PTP frame
 * (ptp_frame.h), in its VLAN. Whether they are whole is not
 * looked at. Returns how many instructions it wrote. */
int kernel_filter_make(struct sock_filter prog[KERNEL_FILTER_MAX], const struct ether_self *self);

#endif
