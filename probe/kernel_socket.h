/* kernel_socket.h: the packet socket of a kernel port: one interface, frames with their stamps, nothing
 * of its own. Copies no frame before kernel_socket_listen(). */
#ifndef PROBE_KERNEL_SOCKET_H
#define PROBE_KERNEL_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include "err.h"
#include "ether.h"
#include "kernel_cmsg.h"
#include "port.h"

#define KERNEL_ROOM	(PORT_FRAME_MAX + 8)	/* a frame, the tag before it, and one byte too many */

struct kernel_frame {
	uint8_t *data;
	uint16_t len;		/* 0: it was longer than a frame may be */
	struct kernel_note note;
};

struct kernel_info { int index, mtu; uint8_t mac[6]; };

struct kernel_socket;
/* -EPERM without CAP_NET_RAW, -ENODEV where there is no such Ethernet interface or it is down, -EIO. */
int kernel_socket_open(struct kernel_socket **s, const char *ifname, struct err *e);
void kernel_socket_close(struct kernel_socket *s);	/* NULL is allowed */
int kernel_socket_fd(const struct kernel_socket *s);
void kernel_socket_info(const struct kernel_socket *s, struct kernel_info *out);
/* From now on, those frames only. */
int kernel_socket_listen(struct kernel_socket *s, const struct ether_self *self);

/* `stamp`: SOF_TIMESTAMPING_TX_… or 0. 0 or -errno. */
int kernel_socket_send(struct kernel_socket *s, uint8_t *frame, size_t len, uint32_t stamp);
/* Up to max (<= PORT_BURST) frames, valid until the next call; never waits. */
int kernel_socket_receive(struct kernel_socket *s, struct kernel_frame *frames, int max);
/* The next word about a frame that was sent: 0, or -EAGAIN when there is none. */
int kernel_socket_sent(struct kernel_socket *s, struct kernel_note *out);
/* Has the kernel count stamped frames from 0 again. */
int kernel_socket_restart(struct kernel_socket *s);
/* Frames lost for want of room since the last call. */
uint64_t kernel_socket_missed(struct kernel_socket *s);

#endif
