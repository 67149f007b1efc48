/* port_kernel.h: whole Ethernet frames over a packet socket, with the kernel's stamps: the NIC's where it
 * has any, else software, taken in the driver and not in the process. */
#ifndef PROBE_PORT_KERNEL_H
#define PROBE_PORT_KERNEL_H

#include "port.h"

/* "kernel:IFNAME". The interface's set-up of time stamps is changed only while nobody else has set it up,
 * and given back by close(). When stamps are less than its best, caps() has the reason as the hint. */
extern const struct port_ops port_kernel;

#endif
