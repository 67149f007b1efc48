#define _GNU_SOURCE 1	/* unsetenv(), SOCK_CLOEXEC */
#include "notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address;
static socklen_t address_len;

int notify_open(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;

	if (len < 2 || len >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return 0;
	address.sun_family = AF_UNIX;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	unsetenv("NOTIFY_SOCKET");
	return 1;
}

void notify_send(const char *state)
{
	int fd;

	if (!address_len)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, address_len);
	close(fd);
}
