#define _GNU_SOURCE
#include "truth.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define DEVICES		"/sys/bus/pci/devices"
#define READ_TRIES	100

static volatile int64_t *device;

int64_t truth_get(unsigned offset)
{
	return device[offset / 8];
}

void truth_set(unsigned offset, int64_t value)
{
	device[offset / 8] = value;
}

unsigned truth_of_nic(int nic, unsigned offset)
{
	if (nic < 1 || nic > truth_get(RIG_COUNT))
		return 0;
	return RIG_NIC + ((unsigned)nic - 1) * 256 + offset;
}

static long read_id(const char *name, const char *file)
{
	char path[300], text[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), DEVICES "/%s/%s", name, file);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return strtol(text, NULL, 16);
}

/* Its memory does not answer before it is enabled. */
static void enable(const char *name)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), DEVICES "/%s/enable", name);
	if (read_id(name, "enable") > 0)
		return;
	f = fopen(path, "we");
	if (!f)
		return;
	fputs("1", f);
	fclose(f);
}

static void map(const char *name)
{
	char path[300];
	void *at;
	int fd;

	enable(name);
	snprintf(path, sizeof(path), DEVICES "/%s/resource0", name);
	fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
	if (fd < 0)
		return;
	at = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		device = at;
}

int truth_open(void)
{
	DIR *dir = opendir(DEVICES);
	struct dirent *e;

	while (dir && !device && (e = readdir(dir)))
		if (read_id(e->d_name, "vendor") == RIG_PCI_VENDOR &&
		    read_id(e->d_name, "device") == RIG_PCI_DEVICE)
			map(e->d_name);
	if (dir)
		closedir(dir);
	return device && truth_get(RIG_ID) == RIG_MAGIC ? 0 : -ENODEV;
}

/* NIC n is the one device on bus n. */
int truth_clock_open(struct truth_clock *c, int nic)
{
	char pattern[100], path[64] = "";
	glob_t found;

	snprintf(pattern, sizeof(pattern), DEVICES "/0000:%02x:00.0/ptp/ptp*", nic);
	if (!glob(pattern, 0, NULL, &found))
		snprintf(path, sizeof(path), "/dev/%s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	c->nic = nic;
	c->fd = path[0] ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	return c->fd >= 0 ? 0 : -ENODEV;
}

/* The device keeps the true time of the latest read of a clock: it is ours when there was no
 * other meanwhile. */
int truth_clock_read(const struct truth_clock *c, int64_t *true_ns, int64_t *clock_ns)
{
	unsigned reads = truth_of_nic(c->nic, RIG_READS), read_at = truth_of_nic(c->nic, RIG_READ_AT);
	clockid_t id = (clockid_t)((~(unsigned)c->fd << 3) | 3);
	struct timespec t;

	for (int i = 0; i < READ_TRIES; i++) {
		int64_t before = truth_get(reads);

		if (clock_gettime(id, &t))
			return -errno;
		*true_ns = truth_get(read_at);
		*clock_ns = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
		if (truth_get(reads) == before + 1)
			return 0;
	}
	return -EBUSY;
}

int64_t truth_between(const int64_t true_ns[2], const int64_t clock_ns[2], int64_t at)
{
	int64_t span = true_ns[1] - true_ns[0];

	if (span <= 0)
		return clock_ns[0];
	return clock_ns[0] + (int64_t)((__int128)(clock_ns[1] - clock_ns[0]) * (at - true_ns[0]) / span);
}
