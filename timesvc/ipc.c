#include "ipc.h"

#include <errno.h>
#include <unistd.h>
#include "io.h"

int ipc_send(int sock, const void *msg, unsigned long len, int fd)
{
	return io_send_fd(sock, msg, len, fd);
}

/* 1 when `size` bytes of our version came. Whatever descriptor came with anything else is closed. */
static int receive(int sock, void *msg, size_t size, const uint32_t *version, int *fd)
{
	ssize_t n = io_recv_fd(sock, msg, size, fd);

	if (n > 0 && (size_t)n == size && *version == IPC_VERSION)
		return 1;
	if (*fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	if (n == -ECONNRESET)	/* it ended with messages of ours unread */
		return 0;
	if (n == 0 || n == -EAGAIN)
		return (int)n;
	return -EPROTO;
}

int ipc_recv_request(int sock, struct ipc_request *r)
{
	int fd = -1;
	int rc = receive(sock, r, sizeof(*r), &r->version, &fd);

	if (fd < 0)
		return rc;
	close(fd);	/* nobody hands the monitor a descriptor */
	return -EPROTO;
}

int ipc_recv_notice(int sock, struct ipc_notice *n, int *fd)
{
	*fd = -1;
	return receive(sock, n, sizeof(*n), &n->version, fd);
}
