#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nstime.h"
#include "probe/segment.h"

static char directory[64], path[96];
static struct probe_data written, seen;

static int setup(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/test_segment.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/link", directory);
	memset(&written, 0, sizeof(written));
	memset(&seen, 0xa5, sizeof(seen));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);	/* fails when a temporary file was left behind */
}

static struct segment *create(void)
{
	struct segment *seg = NULL;
	struct err e = { 0 };

	if (segment_create(&seg, path, &e) != 0)
		fail_msg("%s", e.msg);
	return seg;
}

static struct segment *attach(void)
{
	struct segment *seg = NULL;

	assert_int_equal(segment_open(&seg, path), 0);
	return seg;
}

static void fill(struct probe_data *d, uint64_t value)
{
	snprintf(d->name, sizeof(d->name), "link");
	d->numbers.sent = value;
	d->gate.admitted = value + 1;
	d->rtt.bucket[HIST_BUCKETS - 1] = value + 2;
	d->one_way.ba_untrusted.bucket[HIST_BUCKETS - 1] = value + 3;
}

static void test_what_is_published_is_read(void **state)
{
	struct segment *w = create(), *r = attach();
	struct stat st;

	(void)state;
	assert_int_equal(segment_read(r, &seen), -ENODATA);
	fill(&written, 1000);
	segment_publish(w, &written);
	assert_int_equal(segment_read(r, &seen), 0);
	assert_memory_equal(&seen, &written, sizeof(seen));
	fill(&written, 2000);
	segment_publish(w, &written);
	assert_int_equal(segment_read(r, &seen), 0);
	assert_memory_equal(&seen, &written, sizeof(seen));
	assert_int_equal(segment_read(w, &seen), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	segment_close(r);
	segment_close(w);
	segment_close(NULL);
}

static void test_nobody_reads_past_a_name(void **state)
{
	struct segment *w = create();

	(void)state;
	memset(written.name, 'x', sizeof(written.name));
	segment_publish(w, &written);
	assert_int_equal(segment_read(w, &seen), 0);
	assert_int_equal(strlen(seen.name), sizeof(seen.name) - 1);
	segment_close(w);
}

static void test_one_writer(void **state)
{
	struct segment *w = create(), *second = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(segment_create(&second, path, &e), -EWOULDBLOCK);
	assert_int_equal(e.code, -EWOULDBLOCK);
	assert_non_null(strstr(e.msg, path));
	segment_close(w);
	segment_close(create());
}

static void test_mapped_readers_live_on(void **state)
{
	struct segment *w = create(), *r = attach();

	(void)state;
	fill(&written, 1);
	segment_publish(w, &written);
	segment_close(w);
	assert_int_equal(segment_read(r, &seen), 0);
	w = create();
	assert_int_equal(segment_read(r, &seen), 0);	/* what was last said stands */
	assert_int_equal(seen.numbers.sent, 1);
	fill(&written, 2);
	segment_publish(w, &written);
	assert_int_equal(segment_read(r, &seen), 0);
	assert_int_equal(seen.numbers.sent, 2);
	segment_close(w);
	segment_close(r);
}

/* The sequence follows magic, version and size. */
static void set_sequence(uint64_t seq)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &seq, sizeof(seq), 16), sizeof(seq));
	close(fd);
}

static void test_writer_killed_in_the_middle(void **state)
{
	struct segment *w = create(), *r = attach();

	(void)state;
	fill(&written, 1);
	segment_publish(w, &written);
	segment_close(w);
	set_sequence(3);
	assert_int_equal(segment_read(r, &seen), -EAGAIN);
	w = create();
	assert_int_equal(segment_read(r, &seen), -EAGAIN);
	fill(&written, 2);
	segment_publish(w, &written);
	assert_int_equal(segment_read(r, &seen), 0);
	assert_int_equal(seen.numbers.sent, 2);
	segment_close(w);
	segment_close(r);
}

static void put_file(const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void test_no_file(void **state)
{
	struct segment *seg = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(segment_open(&seg, path), -ENOENT);
	assert_int_equal(segment_create(&seg, "/nonexistent/link", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/nonexistent/link"));
}

static void test_other_files_are_left_alone(void **state)
{
	static const char text[] = "root:x:0:0:root:/root:/bin/sh\n";
	struct segment *seg = NULL;
	struct err e = { 0 };
	struct stat st;

	(void)state;
	put_file(text, sizeof(text));
	assert_int_equal(segment_open(&seg, path), -EPROTO);
	assert_int_equal(segment_create(&seg, path, &e), -EPROTO);
	put_file("", 0);
	assert_int_equal(segment_open(&seg, path), -EPROTO);
	assert_int_equal(segment_create(&seg, path, &e), -EPROTO);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(segment_create(&seg, path, &e), -ELOOP);
}

static void put_version(uint32_t version)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &version, sizeof(version), 8), sizeof(version));
	close(fd);
}

static void test_other_layout_is_superseded(void **state)
{
	struct segment *w = create(), *r = attach(), *late = NULL;

	(void)state;
	fill(&written, 1);
	segment_publish(w, &written);
	segment_close(w);
	put_version(SEGMENT_VERSION + 1);
	assert_int_equal(segment_open(&late, path), -EPROTO);
	w = create();
	assert_int_equal(segment_read(r, &seen), -ESTALE);
	segment_close(r);
	r = attach();
	assert_int_equal(segment_read(r, &seen), -ENODATA);
	segment_close(r);
	assert_int_equal(truncate(path, 4096), 0);
	assert_int_equal(segment_open(&late, path), -EPROTO);
	segment_close(w);
}

/* A writer at full speed; every word of one publication carries the same number. */
static void write_until_killed(void)
{
	struct segment *seg = NULL;
	struct err e;
	uint64_t *words = (uint64_t *)&written;

	if (segment_create(&seg, path, &e) != 0)
		_exit(1);
	for (uint64_t n = 1;; n++) {
		for (size_t i = 0; i < sizeof(written) / sizeof(*words); i++)
			words[i] = n;
		segment_publish(seg, &written);
	}
}

/* The number that all words carry, 0 when they do not agree. The name ends in a zero byte. */
static uint64_t same_words(const struct probe_data *d)
{
	const uint64_t *words = (const uint64_t *)d;
	const size_t first = sizeof(d->name) / sizeof(*words);

	for (size_t i = first; i < sizeof(*d) / sizeof(*words); i++)
		if (words[i] != words[first])
			return 0;
	return words[first];
}

static void test_no_torn_read(void **state)
{
	int64_t end = nstime_mono() + 1500 * NS_PER_MS;
	uint64_t whole = 0, busy = 0, last = 0;
	struct segment *r = NULL;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		write_until_killed();
	while (nstime_mono() < end) {
		int rc = r ? segment_read(r, &seen) : segment_open(&r, path);
		uint64_t n;

		busy += rc == -EAGAIN;
		if (rc != 0 || seen.numbers.sent == 0xa5a5a5a5a5a5a5a5)
			continue;
		n = same_words(&seen);
		assert_true(n > 0);
		assert_true(n >= last);
		last = n;
		whole++;
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	segment_close(r);
	print_message("# %llu whole, %llu in the writer's way, %llu written\n",
		(unsigned long long)whole, (unsigned long long)busy, (unsigned long long)last);
	assert_true(whole > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_what_is_published_is_read),
		TEST(test_nobody_reads_past_a_name),
		TEST(test_one_writer),
		TEST(test_mapped_readers_live_on),
		TEST(test_writer_killed_in_the_middle),
		TEST(test_no_file),
		TEST(test_other_files_are_left_alone),
		TEST(test_other_layout_is_superseded),
		TEST(test_no_torn_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
