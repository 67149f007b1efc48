#include "port.h"

#include <errno.h>
#include <string.h>
#include "tsc.h"

static const struct port_ops *find(const struct port_ops *const *backends, const char *scheme, size_t len)
{
	for (; *backends; backends++)
		if (strlen((*backends)->scheme) == len && !memcmp((*backends)->scheme, scheme, len))
			return *backends;
	return NULL;
}

int port_open(struct port **port, const struct port_ops *const *backends, const char *text,
	int argc, char **argv, struct err *e)
{
	const char *colon = strchr(text, ':');
	const struct port_ops *ops;
	int err;

	if (!colon || !colon[1])
		return err_set(e, -EINVAL, "port \"%s\" is not of the form SCHEME:NAME", text);
	ops = find(backends, text, (size_t)(colon - text));
	if (!ops)
		return err_set(e, -EINVAL, "port \"%s\": no such kind of port", text);
	err = ops->open(port, colon + 1, argc, argv, e);
	if (err)
		return err;
	(*port)->ops = ops;
	(*port)->ticks = tsc_read;
	(*port)->map = NULL;
	return 0;
}

void port_close(struct port *port)
{
	if (port)
		port->ops->close(port);
}
