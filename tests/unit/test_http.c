#include "timesvc/front/front.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>
#include "front_fixture.h"
#include "io.h"
#include "schema_check.h"
#include "timesvc.h"

#define REPLY_MAX	(256 * 1024)
#define WAIT_MS		5000

/* A front in a process of its own, and our end of its engine socket. */
struct server {
	pid_t pid;
	int engine, port;
};
static struct server server;
static struct fixture fix;
static char reply[REPLY_MAX + 1], run_dir[] = "/tmp/timesvc-test-http-XXXXXX";

#ifdef HAVE_PROBE
#define PROBE_SECTION "[probe a-b]\nport dpdk:none\nlocal_ip 10.0.0.1\nremote_ip 10.0.0.2\n"
#else
#define PROBE_SECTION ""
#endif

static int free_port(void)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	close(fd);
	return ntohs(sin.sin_port);
}

static int dial(void)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)server.port),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (int i = 0; i < WAIT_MS / 10; i++) {
		if (!connect(fd, (struct sockaddr *)&sin, sizeof(sin)))
			return fd;
		usleep(10000);
	}
	fail_msg("nobody listens on port %d", server.port);
	return -1;
}

static pid_t start_front(int engine, int port)
{
	char conf[512];
	int fd, len = snprintf(conf, sizeof(conf), "[global]\nrun_dir %s\nhttp_port %d\n"
		"void_after 250ms\n[clock follow]\ninterface lo\ntime_stamping software\n"
		"[clock lead]\ninterface lo\ntime_stamping software\n" PROBE_SECTION, run_dir, port);
	pid_t pid;

	fd = io_memfd("conf", conf, (size_t)len);
	assert_true(fd >= 0);
	pid = fork();
	if (pid == 0)
		_exit(front_run(engine, fd) < 0);
	close(fd);
	close(engine);
	return pid;
}

static int setup(void **state)
{
	int pair[2];

	(void)state;
	fixture_init(&fix);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	server.port = free_port();
	server.engine = pair[0];
	server.pid = start_front(pair[1], server.port);
	close(dial());
	return 0;
}

static int teardown(void **state)
{
	int status;

	(void)state;
	if (server.engine >= 0)
		close(server.engine);
	kill(server.pid, SIGTERM);
	assert_int_equal(waitpid(server.pid, &status, 0), server.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return 0;
}

/* Sends a snapshot of this moment. */
static void speak(void)
{
	int64_t now = nstime_now(CLOCK_REALTIME);

	fix.snapshot.clock[0].wall_ns = now;
	fix.snapshot.clock[1].wall_ns = now;
	assert_int_equal(send(server.engine, &fix.snapshot, sizeof(fix.snapshot), MSG_NOSIGNAL),
		sizeof(fix.snapshot));
	fix.snapshot.number++;
}

/* Sends what is given and reads until the server closes; returns the status code, 0 for none. */
static int ask(const char *request, size_t len)
{
	const struct timeval patience = { .tv_sec = 1 };
	int fd = dial(), status = 0;
	size_t got = 0;
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(send(fd, request, len, MSG_NOSIGNAL), (ssize_t)len);
	shutdown(fd, SHUT_WR);
	while (got < REPLY_MAX && (n = recv(fd, reply + got, REPLY_MAX - got, 0)) > 0)
		got += (size_t)n;
	close(fd);
	reply[got] = '\0';
	sscanf(reply, "HTTP/1.%*d %d ", &status);
	return status;
}

static int get(const char *method, const char *path)
{
	char request[256];
	int len = snprintf(request, sizeof(request),
		"%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", method, path);

	return ask(request, (size_t)len);
}

static const char *body(void)
{
	const char *end = strstr(reply, "\r\n\r\n");

	assert_non_null(end);
	return end + 4;
}

static json_t *get_status(void)
{
	json_error_t e;
	json_t *status;

	assert_int_equal(get("GET", "/status.json"), 200);
	status = json_loads(body(), 0, &e);
	if (!status)
		fail_msg("line %d: %s", e.line, e.text);
	return status;
}

static const char *clock_state(const json_t *status, size_t i)
{
	return json_string_value(json_object_get(
		json_array_get(json_object_get(status, "clocks"), i), "state"));
}

/* Waits until the first clock is said to be in a state. */
static void await_state(const char *state)
{
	for (int i = 0; i < WAIT_MS / 20; i++) {
		json_t *status = get_status();
		int there = !strcmp(clock_state(status, 0), state);

		json_decref(status);
		if (there)
			return;
		usleep(20000);
	}
	fail_msg("the clock never became %s", state);
}

static void test_status(void **state)
{
	json_t *status, *schema = schema_load("status.json");

	(void)state;
	speak();
	await_state("TRUSTED");
	speak();
	status = get_status();
	assert_non_null(strstr(reply, "Content-Type: application/json\r\n"));
	assert_non_null(strstr(reply, "Cache-Control: no-store\r\n"));
	assert_true(schema_check(schema, schema, status, "status"));
	assert_string_equal(clock_state(status, 0), "TRUSTED");
	assert_string_equal(clock_state(status, 1), "UNKNOWN");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(status, "daemon"),
		"pid")),
		getpid());
	json_decref(status);
	json_decref(schema);
}

static void test_metrics(void **state)
{
	(void)state;
	speak();
	await_state("TRUSTED");
	speak();
	assert_int_equal(get("GET", "/metrics"), 200);
	assert_non_null(strstr(reply,
		"Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	assert_non_null(strstr(body(),
		"\ntimesvc_clock_offset_seconds{clock=\"follow\"} -0.0000352\n"));
}

static void test_health(void **state)
{
	(void)state;
	assert_int_equal(get("GET", "/healthz"), 503);
	assert_string_equal(body(), "the engine has said nothing yet\n");
	speak();
	await_state("TRUSTED");
	speak();
	assert_int_equal(get("GET", "/healthz"), 200);
	assert_string_equal(body(), "ok\n");
}

static void test_before_the_first_word(void **state)
{
	json_t *status = get_status();

	(void)state;
	assert_string_equal(clock_state(status, 0), "UNKNOWN");
	json_decref(status);
	await_state("STALE");
}

static void test_silence_is_stale(void **state)
{
	(void)state;
	speak();
	await_state("TRUSTED");
	await_state("STALE");
	assert_int_equal(get("GET", "/healthz"), 503);
	assert_non_null(strstr(body(), "stale: no word from the engine for "));
	speak();
	await_state("TRUSTED");
}

static void test_end_of_the_engine(void **state)
{
	(void)state;
	speak();
	await_state("TRUSTED");
	close(server.engine);
	server.engine = -1;
	await_state("STALE");
	assert_int_equal(get("GET", "/metrics"), 200);
	assert_non_null(strstr(body(), "\ntimesvc_engine_up 0\n"));
	assert_null(strstr(body(), "\ntimesvc_clock_offset_seconds{"));
}

static void test_nonsense_from_the_engine(void **state)
{
	char byte;

	(void)state;
	speak();
	await_state("TRUSTED");
	assert_int_equal(send(server.engine, "nonsense", 8, MSG_NOSIGNAL), 8);
	assert_int_equal(recv(server.engine, &byte, 1, 0), 0);	/* it hung up */
	await_state("STALE");
}

static void test_head(void **state)
{
	(void)state;
	assert_int_equal(get("HEAD", "/metrics"), 200);
	assert_string_equal(body(), "");
	assert_non_null(strstr(reply, "Content-Length: "));
}

static void test_not_found(void **state)
{
	static const char *const paths[] = {
		"/", "/metrics/", "/status", "/../etc/passwd", "/metrics%00", "//metrics"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_int_equal(get("GET", paths[i]), 404);
		assert_string_equal(body(), "no such page\n");
	}
	/* a query is no other page */
	assert_int_equal(get("GET", "/healthz?verbose=1"), 503);
}

static void test_method_not_allowed(void **state)
{
	static const char *const methods[] = { "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get",
		"X" };

	(void)state;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		assert_int_equal(get(methods[i], "/metrics"), 405);
		assert_non_null(strstr(reply, "Allow: GET, HEAD\r\n"));
	}
}

static void test_malformed(void **state)
{
	static const char *const requests[] = {
		"\r\n\r\n\r\n", "GET\r\n\r\n", "GET /metrics\r\n\r\n",
		"GET /metrics HTTP/9.9\r\n\r\n",
		"GET /metrics HTTP/1.1\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost\r\n\r\n",
		"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
		"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		int status = ask(requests[i], strlen(requests[i]));

		if (status != 0 && (status < 400 || status > 505))
			fail_msg("request %zu was answered %d", i, status);
		assert_null(strstr(reply, "timesvc_clock_state"));
	}
	assert_int_equal(get("GET", "/metrics"), 200);
}

static void test_header_flood(void **state)
{
	char *flood = malloc(1 << 20);
	int fd = dial();
	ssize_t sent;

	(void)state;
	assert_non_null(flood);
	memset(flood, 'a', 1 << 20);
	memcpy(flood, "GET /metrics HTTP/1.1\r\nX: ", 26);
	sent = send(fd, flood, 1 << 20, MSG_NOSIGNAL);
	assert_true(sent > 0 || errno == EPIPE || errno == ECONNRESET);
	close(fd);
	free(flood);
	assert_int_equal(get("GET", "/metrics"), 200);
}

/* Connections that say nothing fill the house and are shown out after 3 s; meanwhile the engine is
 * still listened to, and when they have gone others are served. */
static void test_idle_connections(void **state)
{
	int idle[24];

	(void)state;
	for (size_t i = 0; i < 24; i++)
		idle[i] = dial();
	for (int i = 0; i < 40; i++)
		speak();
	for (size_t i = 0; i < 24; i++) {
		struct pollfd p = { .fd = idle[i], .events = POLLIN };

		if (poll(&p, 1, 8000) != 1)
			fail_msg("connection %zu is still there", i);
		assert_true(recv(idle[i], reply, 1, 0) <= 0);
		close(idle[i]);
	}
	speak();
	await_state("TRUSTED");
}

static void test_port_taken(void **state)
{
	int pair[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = start_front(pair[1], server.port);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 1);
	close(pair[0]);
	assert_int_equal(get("GET", "/metrics"), 200);
}

#ifdef HAVE_PROBE
static struct segment *make_segment(const char *path, uint64_t count, int64_t age_ns)
{
	static struct probe_data d;
	struct segment *seg;
	struct err e;

	memset(&d, 0, sizeof(d));
	snprintf(d.name, sizeof(d.name), "a-b");
	d.published_mono_ns = nstime_mono() - age_ns;
	for (uint64_t i = 0; i < count; i++)
		hist_sum_record(&d.rtt, 1000);
	if (segment_create(&seg, path, &e) < 0)
		fail_msg("%s", e.msg);
	segment_publish(seg, &d);
	return seg;
}

static void expect_probe(int current, json_int_t count)
{
	json_t *status = get_status(), *probe = json_array_get(json_object_get(status, "probes"), 0);

	assert_int_equal(json_is_true(json_object_get(probe, "current")), current);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(probe, "rtt"), "count")),
		count);
	json_decref(status);
}

/* What a probe published is shown, as old when it is; a segment that was made anew is found. */
static void test_probe_segment(void **state)
{
	char path[64];
	struct segment *seg;

	(void)state;
	snprintf(path, sizeof(path), "%s/probe-a-b.seg", run_dir);
	expect_probe(0, 0);
	seg = make_segment(path, 3, 0);
	expect_probe(1, 3);
	segment_close(seg);
	seg = make_segment(path, 4, 6 * NS_PER_S);
	expect_probe(0, 4);
	unlink(path);
	segment_close(seg);
	seg = make_segment(path, 5, 0);
	expect_probe(1, 5);
	unlink(path);
	segment_close(seg);
}
#endif

static int make_run_dir(void **state)
{
	(void)state;
	return mkdtemp(run_dir) ? 0 : -1;
}

static int remove_run_dir(void **state)
{
	(void)state;
	return rmdir(run_dir);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_status), TEST(test_metrics), TEST(test_health),
		TEST(test_before_the_first_word), TEST(test_silence_is_stale),
		TEST(test_end_of_the_engine), TEST(test_nonsense_from_the_engine),
		TEST(test_head), TEST(test_not_found), TEST(test_method_not_allowed),
		TEST(test_malformed), TEST(test_header_flood), TEST(test_idle_connections),
		TEST(test_port_taken),
#ifdef HAVE_PROBE
		TEST(test_probe_segment),
#endif
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_run_dir, remove_run_dir);
}
