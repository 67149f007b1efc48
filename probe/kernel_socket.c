#define _GNU_SOURCE 1	/* recvmmsg() */
#include "kernel_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/errqueue.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include "bytes.h"
#include "kernel_filter.h"

#define TAG		4
#define MACS		12
#define ROOM_BYTES	(1 << 20)	/* of frames that wait to be read */
#define STAMPS		(SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RAW_HARDWARE | \
			 SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_RX_HARDWARE | \
			 SOF_TIMESTAMPING_OPT_TSONLY)

union control {
	struct cmsghdr align;
	uint8_t bytes[256];
};

struct kernel_socket {
	int fd;
	struct kernel_info info;
	uint8_t data[PORT_BURST][KERNEL_ROOM];
	union control control[PORT_BURST];
	struct iovec vec[PORT_BURST];
	struct mmsghdr msg[PORT_BURST];
};

static int ask(int fd, unsigned long request, struct ifreq *r, const char *ifname)
{
	memset(r, 0, sizeof(*r));
	memcpy(r->ifr_name, ifname, strnlen(ifname, IFNAMSIZ - 1));
	return ioctl(fd, request, r) ? -errno : 0;
}

static int learn(struct kernel_socket *s, const char *ifname, struct err *e)
{
	struct ifreq r;

	if (strlen(ifname) >= IFNAMSIZ || ask(s->fd, SIOCGIFINDEX, &r, ifname))
		return err_set(e, -ENODEV, "there is no network interface \"%s\"", ifname);
	s->info.index = r.ifr_ifindex;
	if (ask(s->fd, SIOCGIFHWADDR, &r, ifname) || r.ifr_hwaddr.sa_family != ARPHRD_ETHER)
		return err_set(e, -ENODEV, "%s is no Ethernet interface", ifname);
	memcpy(s->info.mac, r.ifr_hwaddr.sa_data, sizeof(s->info.mac));
	if (ask(s->fd, SIOCGIFFLAGS, &r, ifname) || !(r.ifr_flags & IFF_UP))
		return err_set(e, -ENODEV, "the network interface %s is down", ifname);
	if (ask(s->fd, SIOCGIFMTU, &r, ifname))
		return err_set(e, -EIO, "the MTU of %s cannot be read", ifname);
	s->info.mtu = r.ifr_mtu;
	return 0;
}

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno : 0;
}

static int attach(int fd, struct sock_filter *code, int n)
{
	struct sock_fprog prog = { .len = (unsigned short)n, .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) ? -errno : 0;
}

static int attach_nothing(int fd)
{
	struct sock_filter none = { BPF_RET | BPF_K, 0, 0, 0 };

	return attach(fd, &none, 1);
}

static int join(const struct kernel_socket *s)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = s->info.index };

	return bind(s->fd, (struct sockaddr *)&to, sizeof(to)) ? -errno : 0;
}

static int set_up(struct kernel_socket *s)
{
	int err = attach_nothing(s->fd);

	if (set(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, ROOM_BYTES))
		set(s->fd, SOL_SOCKET, SO_RCVBUF, ROOM_BYTES);
	set(s->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);	/* since Linux 4.20; the filter does it too */
	if (!err)
		err = set(s->fd, SOL_PACKET, PACKET_AUXDATA, 1);
	if (!err)
		err = kernel_socket_restart(s);
	return err ? err : join(s);
}

static void lay_out(struct kernel_socket *s)
{
	for (int i = 0; i < PORT_BURST; i++) {
		s->vec[i] = (struct iovec){ s->data[i] + TAG, KERNEL_ROOM - TAG };
		s->msg[i].msg_hdr = (struct msghdr){ .msg_iov = &s->vec[i], .msg_iovlen = 1,
						     .msg_control = s->control[i].bytes };
	}
}

int kernel_socket_open(struct kernel_socket **s, const char *ifname, struct err *e)
{
	struct kernel_socket *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return err_set(e, -ENOMEM, "out of memory");
	k->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (k->fd < 0) {
		err = err_set(e, errno == EPERM ? -EPERM : -EIO,
			      "a packet socket for %s cannot be opened (CAP_NET_RAW is needed): %s", ifname,
			      strerror(errno));
		free(k);
		return err;
	}
	lay_out(k);
	err = learn(k, ifname, e);
	if (!err) {
		err = set_up(k);
		if (err)
			err = err_set(e, err == -ENETDOWN || err == -ENODEV ? -ENODEV : -EIO,
				      "a packet socket for %s cannot be set up: %s", ifname, strerror(-err));
	}
	if (err) {
		kernel_socket_close(k);
		return err;
	}
	*s = k;
	return 0;
}

void kernel_socket_close(struct kernel_socket *s)
{
	if (!s)
		return;
	close(s->fd);
	free(s);
}

int kernel_socket_fd(const struct kernel_socket *s)
{
	return s->fd;
}

void kernel_socket_info(const struct kernel_socket *s, struct kernel_info *out)
{
	*out = s->info;
}

int kernel_socket_listen(struct kernel_socket *s, const struct ether_self *self)
{
	struct sock_filter code[KERNEL_FILTER_MAX];

	return attach(s->fd, code, kernel_filter_make(code, self));
}

/* The counter starts where the option is switched on (timestamping.rst, 1.3.4). */
int kernel_socket_restart(struct kernel_socket *s)
{
	int err = set(s->fd, SOL_SOCKET, SO_TIMESTAMPING, STAMPS);

	return err ? err : set(s->fd, SOL_SOCKET, SO_TIMESTAMPING, STAMPS | SOF_TIMESTAMPING_OPT_ID);
}

int kernel_socket_send(struct kernel_socket *s, uint8_t *frame, size_t len, uint32_t stamp)
{
	struct iovec vec = { frame, len };
	union {
		struct cmsghdr head;
		uint8_t bytes[CMSG_SPACE(sizeof(uint32_t))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(stamp)), .cmsg_level = SOL_SOCKET,
				.cmsg_type = SO_TIMESTAMPING } };
	struct msghdr m = { .msg_iov = &vec, .msg_iovlen = 1, .msg_control = control.bytes,
			    .msg_controllen = stamp ? sizeof(control.bytes) : 0 };

	memcpy(CMSG_DATA(&control.head), &stamp, sizeof(stamp));
	return sendmsg(s->fd, &m, MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* Puts the tag back that the kernel took out of the frame. */
static void whole(uint8_t *data, size_t len, struct kernel_frame *f)
{
	f->data = data + TAG;
	if (f->note.has_tag && len >= MACS) {
		memmove(data, data + TAG, MACS);
		put16(data + MACS, ETH_P_8021Q);
		put16(data + MACS + 2, f->note.tag);
		f->data = data;
		len += TAG;
	}
	f->len = len > PORT_FRAME_MAX ? 0 : (uint16_t)len;
}

int kernel_socket_receive(struct kernel_socket *s, struct kernel_frame *frames, int max)
{
	int n;

	for (int i = 0; i < max; i++)
		s->msg[i].msg_hdr.msg_controllen = sizeof(s->control[i]);
	n = recvmmsg(s->fd, s->msg, (unsigned)max, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++) {
		kernel_cmsg_parse(s->control[i].bytes, s->msg[i].msg_hdr.msg_controllen, &frames[i].note);
		whole(s->data[i], s->msg[i].msg_len, &frames[i]);
	}
	return n < 0 ? 0 : n;
}

int kernel_socket_sent(struct kernel_socket *s, struct kernel_note *out)
{
	union control control;
	struct msghdr m = { .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes) };

	if (recvmsg(s->fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return -EAGAIN;
	kernel_cmsg_parse(control.bytes, m.msg_controllen, out);
	return 0;
}

uint64_t kernel_socket_missed(struct kernel_socket *s)
{
	struct tpacket_stats stats = { 0 };
	socklen_t len = sizeof(stats);

	return getsockopt(s->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) ? 0 : stats.tp_drops;
}
