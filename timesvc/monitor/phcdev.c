#define _GNU_SOURCE 1	/* O_CLOEXEC */
#include "phcdev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "io.h"
#include "../sources/ethtool.h"

#define CLASS "/sys/class/ptp"

int phcdev_used(const struct clock_settings *c)
{
	return !strcmp(c->time_stamping, "hardware") && c->interface[0];
}

/* The last part of where a link of the clock leads, "" when there is none. */
static void link_name(int index, const char *link, char *name, size_t size)
{
	char path[64], target[512];
	const char *last;
	ssize_t n;

	*name = '\0';
	snprintf(path, sizeof(path), CLASS "/ptp%d/%s", index, link);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	last = strrchr(target, '/');
	snprintf(name, size, "%.*s", (int)size - 1, last ? last + 1 : target);
}

static int attribute(int index, const char *file, char *value, size_t size)
{
	char path[64], *text;
	size_t len;
	int rc;

	snprintf(path, sizeof(path), CLASS "/ptp%d/%s", index, file);
	rc = io_read_file(path, 256, &text, &len, NULL);
	if (rc < 0)
		return rc;
	text[strcspn(text, "\n")] = '\0';
	snprintf(value, size, "%.*s", (int)size - 1, text);
	free(text);
	return 0;
}

static int identify(int index, struct phc_identity *id, dev_t *dev)
{
	char number[32];
	unsigned major_nr, minor_nr;
	int rc;

	memset(id, 0, sizeof(*id));
	id->index = index;
	link_name(index, "device", id->pci, sizeof(id->pci));
	link_name(index, "device/driver", id->driver, sizeof(id->driver));
	rc = attribute(index, "clock_name", id->name, sizeof(id->name));
	if (rc == 0)
		rc = attribute(index, "dev", number, sizeof(number));
	if (rc < 0)
		return rc;
	if (sscanf(number, "%u:%u", &major_nr, &minor_nr) != 2)
		return -EIO;
	*dev = makedev(major_nr, minor_nr);
	return 0;
}

/* The node may be of a clock that has gone, its number taken by another one. */
static int open_node(int index, dev_t dev)
{
	char path[32];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/dev/ptp%d", index);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != dev) {
		close(fd);
		return -ENODEV;
	}
	return fd;
}

static int find(const struct clock_settings *c, struct ethtool_stamping *s, struct err *e)
{
	int rc = ethtool_stamping(c->interface, s, e);

	if (rc < 0)
		return rc;
	if (s->phc_index < 0)
		return err_set(e, -ENODEV, "%s has no PTP hardware clock", c->interface);
	return 0;
}

int phcdev_open(const struct clock_settings *c, struct phc_identity *id, struct err *e)
{
	struct ethtool_stamping s, again;
	dev_t dev;
	int rc = find(c, &s, e), fd;

	if (rc < 0)
		return rc;
	rc = identify(s.phc_index, id, &dev);
	if (rc < 0)
		return err_set(e, rc, "ptp%d of %s cannot be identified: %s", s.phc_index, c->interface,
			strerror(-rc));
	fd = open_node(s.phc_index, dev);
	if (fd < 0)
		return err_set(e, fd, "cannot open /dev/ptp%d of %s: %s", s.phc_index, c->interface,
			strerror(-fd));
	/* A driver that was just loaded again may have moved it meanwhile. */
	rc = find(c, &again, e);
	if (rc == 0 && again.phc_index != s.phc_index)
		rc = err_set(e, -EAGAIN, "the PTP hardware clock of %s is just moving", c->interface);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int phcdev_check(const struct clock_settings *c, struct err *e)
{
	struct ethtool_stamping s;
	struct err why;
	int rc = ethtool_stamping(c->interface, &s, &why);

	if (rc < 0)
		return err_set(e, rc, "clock %s: %s", c->name, why.msg);
	if (s.phc_index < 0)
		return err_set(e, -ENODEV,
			"clock %s: %s has no PTP hardware clock; set time_stamping software",
			c->name, c->interface);
	if (!ethtool_stamps_in_hardware(&s))
		return err_set(e, -ENODEV,
			"clock %s: %s does not stamp in hardware; set time_stamping software",
			c->name, c->interface);
	return 0;
}
