#define _GNU_SOURCE 1	/* mkostemp() */

#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS		(sizeof(struct probe_data) / sizeof(uint64_t))
#define SUPERSEDED	UINT64_C(0)
#define TRIES		8

struct head {
	uint64_t magic;
	uint32_t version;
	uint32_t size;		/* sizeof(struct image) */
};

struct image {
	struct head head;
	uint64_t seq;
	uint64_t words[WORDS];	/* a struct probe_data */
};
_Static_assert(sizeof(struct probe_data) % sizeof(uint64_t) == 0, "it is copied word by word");

struct segment {
	struct image *image;	/* a reader's is mapped read-only */
	int fd;
};

/* Copying, race-free: relaxed words between fences (C11 7.17.4), as lib/page.h says. */

void segment_publish(struct segment *seg, const struct probe_data *data)
{
	struct image *m = seg->image;
	const unsigned char *from = (const unsigned char *)data;
	uint64_t seq = __atomic_load_n(&m->seq, __ATOMIC_RELAXED) | 1;

	__atomic_store_n(&m->seq, seq, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (size_t i = 0; i < WORDS; i++) {
		uint64_t word;

		memcpy(&word, from + i * sizeof(word), sizeof(word));
		__atomic_store_n(&m->words[i], word, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&m->seq, seq + 1, __ATOMIC_RELEASE);
}

int segment_read(const struct segment *seg, struct probe_data *data)
{
	const struct image *m = seg->image;
	unsigned char *to = (unsigned char *)data;
	uint64_t seq = __atomic_load_n(&m->seq, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&m->head.magic, __ATOMIC_RELAXED) != SEGMENT_MAGIC)
		return -ESTALE;
	if (seq == 0)
		return -ENODATA;
	if (seq & 1)
		return -EAGAIN;
	for (size_t i = 0; i < WORDS; i++) {
		uint64_t word = __atomic_load_n(&m->words[i], __ATOMIC_RELAXED);

		memcpy(to + i * sizeof(word), &word, sizeof(word));
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&m->seq, __ATOMIC_RELAXED) != seq)
		return -EAGAIN;
	data->name[sizeof(data->name) - 1] = '\0';
	return 0;
}

/* Files and mappings. */

static int map_image(int fd, int protection, struct image **out)
{
	void *p = mmap(NULL, sizeof(struct image), protection, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*out = p;
	return 0;
}

/* 0, -ESTALE for a segment of another layout, -EPROTO for what is none. */
static int check_layout(int fd)
{
	struct head head;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.magic != SEGMENT_MAGIC)
		return -EPROTO;
	return st.st_size == sizeof(struct image) && head.version == SEGMENT_VERSION &&
	       head.size == sizeof(struct image) ? 0 : -ESTALE;
}

/* Takes fd over, also when it fails. */
static int segment_wrap(struct segment **seg, int fd, int protection)
{
	struct segment *s = calloc(1, sizeof(*s));
	int rc;

	if (!s) {
		close(fd);
		return -ENOMEM;
	}
	s->fd = fd;
	rc = map_image(fd, protection, &s->image);
	if (rc < 0) {
		close(fd);
		free(s);
		return rc;
	}
	*seg = s;
	return 0;
}

int segment_open(struct segment **seg, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (check_layout(fd) < 0) {
		close(fd);
		return -EPROTO;
	}
	return segment_wrap(seg, fd, PROT_READ);
}

void segment_close(struct segment *seg)
{
	if (!seg)
		return;
	munmap(seg->image, sizeof(*seg->image));
	close(seg->fd);
	free(seg);
}

/* Making and taking over. */

static int write_head(int fd)
{
	struct head head = {
		.magic = SEGMENT_MAGIC, .version = SEGMENT_VERSION, .size = sizeof(struct image),
	};

	if (ftruncate(fd, sizeof(struct image)) < 0 || fchmod(fd, 0644) < 0)
		return -errno;
	return pwrite(fd, &head, sizeof(head), 0) == sizeof(head) ? 0 : -EIO;
}

/* It appears under its name whole and locked. -EEXIST: somebody else was first. */
static int make_file(const char *path, int *out)
{
	char temporary[4096];
	int rc, fd;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return -ENAMETOOLONG;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = write_head(fd);
	if (rc == 0 && (flock(fd, LOCK_EX | LOCK_NB) < 0 || link(temporary, path) < 0))
		rc = -errno;
	unlink(temporary);
	if (rc < 0)
		close(fd);
	else
		*out = fd;
	return rc;
}

static int still_named(int fd, const char *path)
{
	struct stat here, there;

	return fstat(fd, &here) == 0 && stat(path, &there) == 0 &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/* Readers of the old layout, whatever it was, look at its magic first. */
static int supersede(int fd, const char *path)
{
	const uint64_t magic = SUPERSEDED;

	if (unlink(path) < 0)
		return -errno;
	if (pwrite(fd, &magic, sizeof(magic), offsetof(struct head, magic)) != sizeof(magic))
		return -EIO;
	return 0;
}

/* 0: *out is ours. -EEXIST: the ground moved, start over. */
static int take_over(const char *path, int *out)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int rc = 0;

	if (fd < 0)
		return errno == ENOENT ? make_file(path, out) : -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		rc = -errno;
	else if (!still_named(fd, path))
		rc = -EEXIST;
	else
		rc = check_layout(fd);
	if (rc == -ESTALE)
		rc = supersede(fd, path) < 0 ? -EIO : -EEXIST;
	if (rc < 0)
		close(fd);
	else
		*out = fd;
	return rc;
}

int segment_create(struct segment **seg, const char *path, struct err *e)
{
	int rc = -EEXIST, fd = -1;

	for (int i = 0; i < TRIES && rc == -EEXIST; i++)
		rc = take_over(path, &fd);
	if (rc == -EWOULDBLOCK)
		return err_set(e, rc, "%s: another probe writes it", path);
	if (rc == -EPROTO)
		return err_set(e, rc, "%s: is there and is no probe's segment", path);
	if (rc == 0)
		rc = segment_wrap(seg, fd, PROT_READ | PROT_WRITE);
	if (rc < 0)
		return err_set(e, rc, "%s: cannot make the segment: %s", path, strerror(-rc));
	return 0;
}
