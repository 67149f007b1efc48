#include "timesvc/cli/cli.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <getopt.h>
#include <jansson.h>
#include "front_fixture.h"
#include "reason.h"
#include "schema_check.h"
#include "timesvc.h"
#include "timesvc/cli/fetch.h"
#include "timesvc/cli/get.h"
#include "timesvc/cli/text.h"
#include "timesvc/page.h"

static struct fixture fix;
static char page_path[] = "/tmp/timesvc-test-cli-XXXXXX", dir_made;

static int setup(void **state)
{
	(void)state;
	fixture_init(&fix);
	if (!dir_made) {
		assert_non_null(mkdtemp(page_path));
		dir_made = 1;
	}
	return 0;
}

/* What a command prints on standard output, and its exit status. */
struct output { char text[8192]; int status; };

static void run(struct output *o, int (*command)(const struct cli *), const struct cli *c)
{
	FILE *file = tmpfile();
	int saved = dup(STDOUT_FILENO);
	size_t n;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	o->status = command(c);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	n = fread(o->text, 1, sizeof(o->text) - 1, file);
	o->text[n] = '\0';
	fclose(file);
}

/* Arguments. */

static int parse(struct cli *c, ...)
{
	char *argv[16] = { (char[]){ "timesvc" } };
	int argc = 1;
	va_list ap;

	va_start(ap, c);
	while ((argv[argc] = va_arg(ap, char *)) != NULL)
		argc++;
	va_end(ap);
	optind = 0;
	return cli_parse(c, argc, argv);
}

static void test_arguments(void **state)
{
	struct cli c;

	(void)state;
	assert_int_equal(parse(&c, "-f", "x.conf", "watch", "--interval", "250ms", "--count", "3",
		"--jsonl", NULL), -1);
	assert_string_equal(c.command, "watch");
	assert_string_equal(c.conf, "x.conf");
	assert_int_equal(c.interval_ns, 250 * NS_PER_MS);
	assert_int_equal(c.count, 3);
	assert_true(c.jsonl);
	assert_int_equal(parse(&c, "status", NULL), -1);
	assert_int_equal(c.interval_ns, NS_PER_S);
	assert_null(c.conf);
}

static void test_wrong_use(void **state)
{
	struct cli c;

	(void)state;
	assert_int_equal(parse(&c, NULL), 3);
	assert_int_equal(parse(&c, "status", "status", NULL), 3);
	assert_int_equal(parse(&c, "status", "--nonsense", NULL), 3);
	assert_int_equal(parse(&c, "status", "--clock", "a", NULL), 3);
	assert_int_equal(parse(&c, "status", "--count", "2", NULL), 3);
	assert_int_equal(parse(&c, "check", "--json", NULL), 3);
	assert_int_equal(parse(&c, "watch", "--count", "0", NULL), 3);
	assert_int_equal(parse(&c, "watch", "--interval", "99ms", NULL), 3);
	assert_int_equal(parse(&c, "watch", "--interval", "5", NULL), 3);
}

/* The client. */

static void test_url(void **state)
{
	static const struct { const char *text, *host, *port; } good[] = {
		{ "http://127.0.0.1:9319", "127.0.0.1", "9319" },
		{ "http://127.0.0.1:9319/", "127.0.0.1", "9319" },
		{ "http://[::1]:80", "::1", "80" }, { "http://localhost", "localhost", "80" },
		{ "http://[::1]", "::1", "80" },
	};
	static const char *const bad[] = {
		"", "127.0.0.1:1", "https://127.0.0.1:1", "http://", "http://:1", "http://a:0",
		"http://a:65536", "http://a:", "http://a:1x", "http://a:1/metrics", "http://[::1",
		"http://[::1]x",
	};
	struct url u;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(url_parse(good[i].text, &u, &e), 0);
		assert_string_equal(u.host, good[i].host);
		assert_string_equal(u.port, good[i].port);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (url_parse(bad[i], &u, &e) != -EINVAL)
			fail_msg("'%s' was taken for a URL", bad[i]);
}

static void test_reply(void **state)
{
	static const struct { const char *reply; int rc, status; const char *body; } cases[] = {
		{ "HTTP/1.1 200 OK\r\n\r\n{}", 0, 200, "{}" },
		{ "HTTP/1.0 404 Not Found\r\nA: b\r\ncontent-length: 1\r\n\r\nxy", 0, 404, "x" },
		{ "HTTP/1.1 200\r\nContent-Length:0\r\n\r\n", 0, 200, "" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}", -EBADMSG, 0, NULL },
		{ "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n{}", -EBADMSG, 0, NULL },
		{ "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}", -EBADMSG, 0, NULL },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
		  -EBADMSG, 0, NULL },
		{ "HTTP/1.1 200 OK\r\n", -EBADMSG, 0, NULL },
		{ "HTTP/1.1 2x0 OK\r\n\r\n", -EBADMSG, 0, NULL },
		{ "HTTP/2 200 OK\r\n\r\n", -EBADMSG, 0, NULL },
		{ "SSH-2.0-OpenSSH\r\n\r\n", -EBADMSG, 0, NULL },
		{ "", -EBADMSG, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *body;
		size_t len;
		int status;

		assert_int_equal(http_reply_parse(cases[i].reply, strlen(cases[i].reply), &status,
			&body, &len),
			cases[i].rc);
		if (cases[i].rc)
			continue;
		assert_int_equal(status, cases[i].status);
		assert_int_equal(len, strlen(cases[i].body));
		assert_memory_equal(body, cases[i].body, len);
	}
}

/* A server that takes one connection, answers with `reply` and closes, or says nothing at all. */
static pid_t serve_once(const char *reply, size_t len, struct url *u)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client;
	char request[512];
	pid_t pid;

	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&sin, &size);
	snprintf(u->host, sizeof(u->host), "127.0.0.1");
	snprintf(u->port, sizeof(u->port), "%d", ntohs(sin.sin_port));
	pid = fork();
	if (pid == 0) {
		client = accept(fd, NULL, NULL);
		if (recv(client, request, sizeof(request), 0) > 0 && reply)
			send(client, reply, len, MSG_NOSIGNAL);
		if (!reply)
			pause();
		_exit(0);
	}
	close(fd);
	return pid;
}

static int get_once(const char *reply, size_t len, char **body, size_t *body_len, struct err *e)
{
	struct url u;
	pid_t pid = serve_once(reply, len, &u);
	int rc = http_get(&u, "/x", 300 * NS_PER_MS, body, body_len, e);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return rc;
}

static void test_get(void **state)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, rest";
	static const char error[] = "HTTP/1.1 500 X\r\n\r\n";
	struct url u = { "127.0.0.1", "1" };
	struct err e;
	char *body, *big;
	size_t len;

	(void)state;
	assert_int_equal(get_once(ok, sizeof(ok) - 1, &body, &len, &e), 0);
	assert_int_equal(len, 5);
	assert_string_equal(body, "hello");
	free(body);
	assert_int_equal(get_once(error, sizeof(error) - 1, &body, &len, &e), -ENOENT);
	assert_int_equal(get_once("x", 1, &body, &len, &e), -EBADMSG);
	assert_int_equal(get_once("", 0, &body, &len, &e), -EBADMSG);
	assert_int_equal(get_once(NULL, 0, &body, &len, &e), -ETIMEDOUT);
	assert_int_equal(http_get(&u, "/x", NS_PER_S, &body, &len, &e), -ECONNREFUSED);
	assert_string_equal(e.msg, "no timesvcd at http://127.0.0.1:1: Connection refused");
	big = calloc(1, 17 << 20);
	assert_non_null(big);
	assert_int_equal(get_once(big, 17 << 20, &body, &len, &e), -EFBIG);
	free(big);
}

/* The page. */

static struct page *open_page(char *path, size_t size)
{
	struct page *page = NULL;
	struct err e;

	snprintf(path, size, "%s/page", page_path);
	unlink(path);
	if (page_prepare(path, getuid(), getgid(), &e) < 0 ||
	    page_open(&page, path, TSV_TIMEBASE_RAW, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(page_clock(page, "follow"), 0);
	assert_int_equal(page_clock(page, "lead"), 1);
	page_live(page);
	return page;
}

/* Publishes a clock that is vouched for until `valid_ns` from now. */
static void publish(struct page *page, int clock, int clock_state, int alarm, int64_t valid_ns)
{
	uint64_t now = (uint64_t)nstime_now(CLOCK_MONOTONIC_RAW);
	struct tsv_line line = {
		.t0_ns = INT64_C(1700000000000000000), .tsc0 = now, .mult = UINT64_C(1) << 48,
		.bound0_ns = 37000, .growth = 0, .epoch = 3,
		.trust = page_trust_word(clock_state, alarm, now + (uint64_t)valid_ns),
		.good_until_ns = INT64_C(1699999999900000000),
		.flags = TSV_SOFTWARE | (alarm ? TSV_ALARM : 0),
	};
	struct tsv_info info = {
		.reasons = alarm ? TSV_BIT(offset) : 0, .offset_ns = -35200, .path_delay_ns = 1700,
		.bound_parent_ns = 37000, .bound_gm_ns = -1, .bound_utc_ns = -1, .has_offset = 1,
		.gm_identity = { 2, 0, 0, 0xff, 0xfe, 0, 0, 1 }, .domain = 24,
	};

	snprintf(info.name, sizeof(info.name), "%s", clock ? "lead" : "follow");
	page_publish_info(page, clock, &info);
	page_publish(page, clock, &line);
}

/* A reader may round the published bound up by a little: "=0.000037001s" is as good as …000s. */
static void round_bound(char *text)
{
	static const char key[] = "_bound'=0.00003700";
	char *at = strstr(text, key);

	if (at)
		at[sizeof(key) - 1] = '0';
}

static void assert_check(const struct cli *c, int status, const char *line)
{
	struct output o;

	run(&o, cli_check, c);
	round_bound(o.text);
	assert_string_equal(o.text, line);
	assert_int_equal(o.status, status);
}

#define FIGURES " | 'follow_offset'=-0.000035200s 'follow_bound'=0.000037000s\n"

static void test_check(void **state)
{
	char path[64];
	struct page *page = open_page(path, sizeof(path));
	struct cli c = { .command = "check", .page = path, .clock = "follow" };

	(void)state;
	assert_check(&c, 3, "TIMESVC UNKNOWN: follow UNKNOWN, no time has been published yet\n");
	publish(page, 0, TSV_TRUSTED, 0, 60 * NS_PER_S);
	assert_check(&c, 0, "TIMESVC OK: follow TRUSTED, offset -35.2 us, bound 37.0 us" FIGURES);
	publish(page, 0, TSV_TRUSTED, 1, 60 * NS_PER_S);
	assert_check(&c, 1,
		"TIMESVC WARNING: follow TRUSTED ALARM, offset -35.2 us, bound 37.0 us (offset)" FIGURES);
	publish(page, 0, TSV_HOLDOVER, 0, 60 * NS_PER_S);
	assert_check(&c, 1,
		"TIMESVC WARNING: follow HOLDOVER, offset -35.2 us, bound 37.0 us" FIGURES);
	publish(page, 0, TSV_LOCAL_RTT, 0, 60 * NS_PER_S);
	assert_check(&c, 2,
		"TIMESVC CRITICAL: follow LOCAL_RTT, offset -35.2 us, bound 37.0 us" FIGURES);
	publish(page, 0, TSV_SETTLING, 0, 60 * NS_PER_S);
	assert_check(&c, 3,
		"TIMESVC UNKNOWN: follow SETTLING, offset -35.2 us, bound 37.0 us" FIGURES);
	publish(page, 0, TSV_TRUSTED, 0, 0);
	assert_check(&c, 2,
		"TIMESVC CRITICAL: follow STALE, nobody vouches for it: does timesvcd run?\n");
	c.clock = "nobody";
	assert_check(&c, 3, "TIMESVC UNKNOWN: nobody: the trust page has no such clock yet\n");
	page_close(page);
}

static void write_conf(const char *path, int port)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "[global]\nrun_dir %s\nhttp_port %d\n[clock follow]\ninterface lo\n"
		"[clock lead]\ninterface lo\n", page_path, port);
	assert_int_equal(fclose(f), 0);
}

/* The worst of all clocks of the configuration, whose page the configuration names. */
static void test_check_all(void **state)
{
	char path[64], conf[64];
	struct page *page = open_page(path, sizeof(path));
	struct cli c = { .command = "check", .conf = conf };

	(void)state;
	snprintf(conf, sizeof(conf), "%s/conf", page_path);
	write_conf(conf, 0);
	publish(page, 0, TSV_TRUSTED, 0, 60 * NS_PER_S);
	publish(page, 1, TSV_TRUSTED, 0, 0);
	assert_check(&c, 2, "TIMESVC CRITICAL: follow TRUSTED, offset -35.2 us, bound 37.0 us; "
		"lead STALE, nobody vouches for it: does timesvcd run?" FIGURES);
	c.conf = "/nonexistent";
	assert_check(&c, 3,
		"TIMESVC UNKNOWN: cannot open /nonexistent: No such file or directory\n");
	page_close(page);
	unlink(conf);
}

static void test_check_without_a_page(void **state)
{
	struct cli c = { .command = "check", .page = "/nonexistent/page" };

	(void)state;
	assert_check(&c, 3,
		"TIMESVC UNKNOWN: there is no trust page: timesvcd has never run here\n");
}

static void test_status_without_a_daemon(void **state)
{
	char path[64];
	struct page *page = open_page(path, sizeof(path));
	struct cli c = { .command = "status", .page = path, .url = "http://127.0.0.1:1",
		.json = 1 };
	json_t *schema = schema_load("status.json"), *status, *clock;
	struct output o;

	(void)state;
	publish(page, 0, TSV_TRUSTED, 0, 0);
	run(&o, cli_status, &c);
	assert_int_equal(o.status, 3);
	status = json_loads(o.text, 0, NULL);
	assert_true(schema_check(schema, schema, status, "status"));
	assert_true(json_is_null(json_object_get(status, "daemon")));
	clock = json_array_get(json_object_get(status, "clocks"), 0);
	assert_string_equal(text_get(clock, "name"), "follow");
	assert_string_equal(text_get(clock, "state"), "STALE");
	assert_true(json_is_null(json_object_get(clock, "offset_ns")));
	json_decref(status);

	publish(page, 0, TSV_TRUSTED, 1, 60 * NS_PER_S);
	run(&o, cli_status, &c);
	assert_int_equal(o.status, 3);
	status = json_loads(o.text, 0, NULL);
	assert_true(schema_check(schema, schema, status, "status"));
	clock = json_array_get(json_object_get(status, "clocks"), 0);
	assert_string_equal(text_get(clock, "state"), "TRUSTED");
	assert_true(json_is_true(json_object_get(clock, "alarm")));
	assert_int_equal(json_integer_value(json_object_get(clock, "offset_ns")), -35200);
	assert_true(json_is_null(json_object_get(
		json_object_get(json_object_get(clock, "bound"), "terms"), "path_ns")));
	json_decref(status);
	json_decref(schema);
	page_close(page);
}

static void test_watch_from_a_daemon(void **state)
{
	char url[96], *text = NULL, *reply = NULL;
	struct cli c = { .command = "watch", .url = url, .jsonl = 1, .count = 1,
		.interval_ns = NS_PER_S };
	json_t *status = fixture_status(&fix), *got;
	struct output o;
	struct url u;
	size_t size;
	FILE *out;
	pid_t pid;

	(void)state;
	text = json_dumps(status, 0);
	out = open_memstream(&reply, &size);
	fprintf(out, "HTTP/1.0 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(text), text);
	fclose(out);
	pid = serve_once(reply, size, &u);
	snprintf(url, sizeof(url), "http://%s:%s", u.host, u.port);
	run(&o, cli_watch, &c);
	waitpid(pid, NULL, 0);
	assert_int_equal(o.status, 0);
	assert_ptr_equal(strchr(o.text, '\n') + 1, o.text + strlen(o.text));
	got = json_loads(o.text, 0, NULL);
	assert_true(json_equal(got, status));
	json_decref(got);
	json_decref(status);
	free(text);
	free(reply);
}

static int cleanup(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/page", page_path);
	unlink(path);
	return rmdir(page_path);
}

#define TEST(fn) cmocka_unit_test_setup(fn, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_arguments), TEST(test_wrong_use), TEST(test_url), TEST(test_reply),
		TEST(test_get),
		TEST(test_check), TEST(test_check_all), TEST(test_check_without_a_page),
		TEST(test_status_without_a_daemon), TEST(test_watch_from_a_daemon),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
