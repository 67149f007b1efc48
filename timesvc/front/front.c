#include "front.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../loop.h"
#include "http.h"
#include "io.h"
#include "log.h"
#include "metrics.h"
#include "probes.h"
#include "status.h"

#define CONF_MAX ((size_t)1024 * 1024)

struct front {
	struct settings settings;
	struct store store;
	struct probes *probes;
	struct loop *loop;
	struct loop_event *engine, *term, *intr;
	struct http *http;
	int engine_fd;
	int parent;
	char host[HOST_NAME_MAX + 1];
};

static void look(struct front *f, struct view *v)
{
	memset(v, 0, sizeof(*v));
	v->settings = &f->settings;
	v->store = &f->store;
	v->host = f->host;
	v->pid = f->parent;
	v->now_wall_ns = nstime_now(CLOCK_REALTIME);
	v->now_mono_ns = nstime_mono();
	probes_refresh(f->probes, v->now_mono_ns);
	for (int i = 0; i < f->settings.probe_count; i++)
		v->probe[i] = probes_data(f->probes, i);
}

static char *make_metrics(void *arg, size_t *len, unsigned *status)
{
	struct view v;

	(void)status;
	look(arg, &v);
	return metrics_text(&v, len);
}

static char *make_status(void *arg, size_t *len, unsigned *status)
{
	struct view v;
	json_t *object;
	char *text;

	(void)status;
	look(arg, &v);
	object = status_json(&v);
	text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	*len = text ? strlen(text) : 0;
	return text;
}

/* 200 while the engine speaks; what it says of the clocks is another matter. */
static char *make_health(void *arg, size_t *len, unsigned *status)
{
	enum { SIZE = 80 };
	struct view v;
	char *text = malloc(SIZE);

	look(arg, &v);
	if (!text)
		return NULL;
	if (view_stale(&v) || !v.store->have)
		*status = 503;
	if (!v.store->have)
		snprintf(text, SIZE, "the engine has said nothing yet\n");
	else if (view_stale(&v))
		snprintf(text, SIZE, "stale: no word from the engine for %.1f s\n",
			(double)view_age_ns(&v) / (double)NS_PER_S);
	else
		snprintf(text, SIZE, "ok\n");
	*len = strlen(text);
	return text;
}

static const struct http_page pages[] = {
	{ "/metrics", "text/plain; version=0.0.4; charset=utf-8", make_metrics },
	{ "/status.json", "application/json", make_status },
	{ "/healthz", "text/plain; charset=utf-8", make_health },
	{ NULL, NULL, NULL }
};

static void hang_up(struct front *f, const char *why)
{
	log_warn("front: %s: every clock is shown STALE", why);
	loop_event_free(f->engine);
	f->engine = NULL;
	close(f->engine_fd);
	f->engine_fd = -1;
}

static void on_engine(void *arg, int fd)
{
	struct front *f = arg;
	char msg[sizeof(struct snapshot) + 1];
	ssize_t n;

	while ((n = recv(fd, msg, sizeof(msg), MSG_DONTWAIT)) > 0) {
		if (store_take(&f->store, msg, (size_t)n, nstime_mono()) < 0) {
			hang_up(f, "the engine sent something that is no snapshot");
			return;
		}
	}
	if (n == 0)
		hang_up(f, "the engine hung up");
	else if (errno != EAGAIN && errno != EINTR)
		hang_up(f, strerror(errno));
}

static void on_signal(void *arg, int signo)
{
	struct front *f = arg;

	(void)signo;
	loop_stop(f->loop);
}

static int read_settings(struct front *f, int conf_fd)
{
	struct err e;
	char *text;
	size_t len;
	int rc = io_read_fd(conf_fd, CONF_MAX, &text, &len, &e);

	close(conf_fd);
	if (rc >= 0) {
		rc = settings_parse(&f->settings, "timesvc.conf", text, len, &e);
		free(text);
	}
	if (rc < 0)
		log_error("front: %s", e.msg);
	return rc;
}

static int start_http(struct front *f)
{
	struct err e;
	int rc;

	if (!f->settings.http_port)
		return 0;
	rc = http_start(&f->http, f->loop, f->settings.http_address, f->settings.http_port, pages,
		f, &e);
	if (rc < 0)
		log_error("front: %s", e.msg);
	return rc;
}

/* A front that outlived its daemon would hold the port against the next one. */
static int follow_parent(struct front *f)
{
	f->parent = getppid();
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
		return -errno;
	return getppid() == f->parent ? 0 : -ESRCH;
}

static int start(struct front *f)
{
	int rc = follow_parent(f);

	if (rc < 0)
		return rc;
	if (gethostname(f->host, sizeof(f->host)) < 0)
		return -errno;
	f->host[sizeof(f->host) - 1] = '\0';
	store_init(&f->store, nstime_mono());
	f->loop = loop_new();
	f->probes = probes_new(&f->settings);
	if (!f->loop || !f->probes)
		return -ENOMEM;
	f->engine = loop_read(f->loop, f->engine_fd, on_engine, f);
	f->term = loop_signal(f->loop, SIGTERM, on_signal, f);
	f->intr = loop_signal(f->loop, SIGINT, on_signal, f);
	if (!f->engine || !f->term || !f->intr)
		return -ENOMEM;
	return start_http(f);
}

static void stop(struct front *f)
{
	http_stop(f->http);
	loop_event_free(f->engine);
	loop_event_free(f->term);
	loop_event_free(f->intr);
	probes_free(f->probes);
	loop_free(f->loop);
	if (f->engine_fd >= 0)
		close(f->engine_fd);
	free(f);
}

int front_run(int engine_fd, int conf_fd)
{
	struct front *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return -ENOMEM;
	f->engine_fd = engine_fd;
	rc = read_settings(f, conf_fd);
	if (rc >= 0)
		rc = start(f);
	if (rc >= 0)
		rc = loop_run(f->loop);
	stop(f);
	return rc;
}
