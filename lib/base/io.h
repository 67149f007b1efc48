/* io.h: whole reads and writes, whole files, descriptors over sockets. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stddef.h>
#include <sys/types.h>
#include "err.h"

/* All of it or -errno; retries EINTR and short transfers. A premature end is -EPIPE. */
int io_read_full(int fd, void *buf, size_t len);
int io_write_full(int fd, const void *buf, size_t len);

/* The whole file, NUL-terminated, in *text (free() it) and its length in *len.
 * Larger than max: -EFBIG. */
int io_read_file(const char *path, size_t max, char **text, size_t *len, struct err *e);
int io_read_fd(int fd, size_t max, char **text, size_t *len, struct err *e);

/* Written beside, fsync'ed, renamed: readers see the old or the new, never half. */
int io_write_file(const char *path, const void *data, size_t len, mode_t mode, struct err *e);

/* One datagram on a SOCK_SEQPACKET or SOCK_DGRAM socket, with at most one
 * descriptor (SCM_RIGHTS). fd < 0 sends none. Returns 0 or -errno. */
int io_send_fd(int sock, const void *msg, size_t len, int fd);
/* Returns the length, 0 at end of stream, or -errno. *fd is -1 when none came;
 * a truncated message is -EMSGSIZE. The descriptor is close-on-exec. */
ssize_t io_recv_fd(int sock, void *msg, size_t size, int *fd);

/* A memfd that holds the text, offset 0, sealed against writes; -errno. */
int io_memfd(const char *name, const void *data, size_t len);

#endif
