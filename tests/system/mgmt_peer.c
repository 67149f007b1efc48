/* mgmt_peer: polls a ptp4l's management socket with the daemon's own client and prints one
 * JSON object a line: a reading per poll, and an event when ptp4l pushes one.
 *
 *   mgmt_peer [-n POLLS] [-i INTERVAL_MS] [-d DOMAIN] [-t TRANSPORT_SPECIFIC] [-u POLL] SOCKET
 *
 * -u takes away the program's own socket path before that poll, as a cleaner of temporary
 * files would. A lost ptp4l is connected to again at every poll. Exit 0 when the last poll
 * was answered in full. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <jansson.h>

#include "nstime.h"
#include "num.h"
#include "timesvc/sources/mgmt.h"

struct options {
	const char *server;
	char own[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int64_t polls, interval_ms, domain, transport_specific, unlink_at;
};

static int set_path(struct sockaddr_un *to, const char *path)
{
	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(to->sun_path))
		return -ENAMETOOLONG;
	strcpy(to->sun_path, path);
	return 0;
}

static int connect_to(const struct options *o)
{
	struct sockaddr_un own, server;
	int fd, rc;

	if (set_path(&own, o->own) < 0 || set_path(&server, o->server) < 0)
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	unlink(o->own);
	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) == 0 &&
			connect(fd, (struct sockaddr *)&server, sizeof(server)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	unlink(o->own);
	return rc;
}

static json_t *identity(const struct ptp_identity *id)
{
	char buf[PTP_IDENTITY_SIZE];

	return json_string(ptp_identity_format(buf, sizeof(buf), id));
}

static json_t *port_identity(const struct ptp_port_identity *port)
{
	char buf[PTP_PORT_IDENTITY_SIZE];

	return json_string(ptp_port_identity_format(buf, sizeof(buf), port));
}

/* Absolute nanoseconds pass 2^53. */
static json_t *instant(int64_t ns)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%lld", (long long)ns);
	return json_string(buf);
}

static json_t *time_status(const struct ptp_time_status *t)
{
	return json_pack("{s:I, s:o, s:i, s:b, s:o}", "master_offset_ns", (json_int_t)t->master_offset_ns,
		"ingress_ns", instant(t->ingress_ns),
		"cumulative_scaled_rate_offset", (int)t->cumulative_scaled_rate_offset,
		"gm_present", t->gm_present, "gm", identity(&t->gm));
}

static json_t *defaults(const struct ptp_default_ds *d)
{
	return json_pack("{s:o, s:i, s:b, s:i}", "clock", identity(&d->clock), "domain", d->domain,
		"slave_only", d->slave_only, "ports", d->ports);
}

static json_t *current(const struct ptp_current_ds *c)
{
	return json_pack("{s:i, s:I, s:I}", "steps_removed", c->steps_removed,
		"offset_from_master_ns", (json_int_t)c->offset_from_master_ns,
		"mean_path_delay_ns", (json_int_t)c->mean_path_delay_ns);
}

static json_t *parent(const struct ptp_parent_ds *p)
{
	return json_pack("{s:o, s:o, s:i, s:i, s:i, s:i, s:i}", "parent", port_identity(&p->parent),
		"gm", identity(&p->gm), "gm_class", p->gm_class, "gm_accuracy", p->gm_accuracy,
		"gm_variance", p->gm_variance, "gm_priority1", p->gm_priority1,
		"gm_priority2", p->gm_priority2);
}

static json_t *properties(const struct ptp_time_properties *p)
{
	return json_pack("{s:i, s:b, s:b, s:b, s:b, s:b, s:b, s:i}", "utc_offset", p->utc_offset,
		"utc_offset_valid", p->utc_offset_valid, "leap59", p->leap59, "leap61", p->leap61,
		"time_traceable", p->time_traceable, "frequency_traceable", p->frequency_traceable,
		"ptp_timescale", p->ptp_timescale, "time_source", p->time_source);
}

static json_t *port(const struct ptp_port_ds *p)
{
	return json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:I, s:i, s:i, s:i}",
		"port", port_identity(&p->port), "state", ptp_port_state_name(p->state),
		"log_min_delay_req", p->log_min_delay_req, "log_announce", p->log_announce,
		"log_sync", p->log_sync, "log_min_pdelay_req", p->log_min_pdelay_req,
		"peer_mean_path_delay_ns", (json_int_t)p->peer_mean_path_delay_ns,
		"announce_receipt_timeout", p->announce_receipt_timeout,
		"delay_mechanism", p->delay_mechanism, "version", p->version);
}

static json_t *stats(const struct ptp_port_stats *s)
{
	json_t *rx = json_array(), *tx = json_array();

	for (int i = 0; i < 16; i++) {
		json_array_append_new(rx, json_integer((json_int_t)s->rx[i]));
		json_array_append_new(tx, json_integer((json_int_t)s->tx[i]));
	}
	return json_pack("{s:o, s:o, s:o}", "port", port_identity(&s->port), "rx", rx, "tx", tx);
}

static json_t *counters(const struct mgmt_counters *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"polls", (json_int_t)c->polls, "answered", (json_int_t)c->answered,
		"late", (json_int_t)c->late, "malformed", (json_int_t)c->malformed,
		"foreign", (json_int_t)c->foreign, "refused", (json_int_t)c->refused,
		"send_errors", (json_int_t)c->send_errors, "events", (json_int_t)c->events);
}

static void print_line(json_t *line)
{
	json_dumpf(line, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	fflush(stdout);
	json_decref(line);
}

static void print_reading(const struct mgmt *m, int rc, int complete)
{
	const struct ptp_reading *r = mgmt_reading(m);
	json_t *line = json_pack("{s:b, s:o}", "complete", complete, "error",
		rc < 0 ? json_string(strerror(-rc)) : json_null());

	if (r->answered_ns)
		json_object_set_new(line, "latency_ns", json_integer(r->answered_ns - r->asked_ns));
	if (r->have & PTP_HAVE_TIME_STATUS)
		json_object_set_new(line, "time_status", time_status(&r->time_status));
	if (r->have & PTP_HAVE_PORT)
		json_object_set_new(line, "port", port(&r->port));
	if (r->have & PTP_HAVE_CURRENT)
		json_object_set_new(line, "current", current(&r->current));
	if (r->have & PTP_HAVE_PARENT)
		json_object_set_new(line, "parent", parent(&r->parent));
	if (r->have & PTP_HAVE_PROPERTIES)
		json_object_set_new(line, "properties", properties(&r->properties));
	if (r->have & PTP_HAVE_DEFAULT)
		json_object_set_new(line, "default", defaults(&r->defaults));
	if (r->have & PTP_HAVE_STATS)
		json_object_set_new(line, "stats", stats(&r->stats));
	json_object_set_new(line, "counters", counters(mgmt_counters(m)));
	print_line(line);
}

static void print_event(int64_t since_poll_ns)
{
	print_line(json_pack("{s:s, s:I}", "event", "port_state", "since_poll_ns",
		(json_int_t)since_poll_ns));
}

/* Listens until `end_ns`; returns whether the poll was completed, printing it when it was. */
static int listen_until(struct mgmt *m, int64_t start_ns, int64_t end_ns)
{
	int complete = 0;

	for (int64_t now = nstime_mono(); now < end_ns; now = nstime_mono()) {
		struct pollfd p = { .fd = mgmt_fd(m), .events = POLLIN };
		int todo;

		if (poll(&p, 1, (int)((end_ns - now) / NS_PER_MS) + 1) <= 0)
			continue;
		now = nstime_mono();
		todo = mgmt_receive(m, now);
		if (todo & MGMT_STATE_EVENT)
			print_event(now - start_ns);
		if (todo & MGMT_POLL_COMPLETE) {
			print_reading(m, 0, 1);
			complete = 1;
		}
	}
	return complete;
}

static int poll_once(struct mgmt *m, const struct options *o)
{
	int64_t start = nstime_mono();
	int rc = 0, complete;

	if (mgmt_fd(m) < 0) {
		rc = connect_to(o);
		if (rc >= 0)
			mgmt_attach(m, rc);
	}
	if (rc >= 0)
		rc = mgmt_poll(m, start);
	complete = listen_until(m, start, nstime_add(start, o->interval_ms * NS_PER_MS));
	if (!complete)
		print_reading(m, rc, 0);
	if (rc == -ECONNREFUSED)
		mgmt_attach(m, -1);
	return complete;
}

static int read_options(int argc, char **argv, struct options *o, struct err *e)
{
	int c, rc = 0;

	*o = (struct options){ .polls = 10, .interval_ms = 100 };
	while (rc == 0 && (c = getopt(argc, argv, "n:i:d:t:u:")) != -1) {
		switch (c) {
		case 'n': rc = num_parse_i64(optarg, 1, INT32_MAX, &o->polls, e); break;
		case 'i': rc = num_parse_i64(optarg, 1, 60000, &o->interval_ms, e); break;
		case 'd': rc = num_parse_i64(optarg, 0, 255, &o->domain, e); break;
		case 't': rc = num_parse_i64(optarg, 0, 15, &o->transport_specific, e); break;
		case 'u': rc = num_parse_i64(optarg, 1, INT32_MAX, &o->unlink_at, e); break;
		default: return err_set(e, -EINVAL, "unknown option");
		}
	}
	if (rc == 0 && optind + 1 != argc)
		return err_set(e, -EINVAL, "one argument, the path of ptp4l's socket, is needed");
	o->server = argv[optind];
	if (rc == 0 && snprintf(o->own, sizeof(o->own), "%s.peer.%d", o->server, (int)getpid()) >=
			(int)sizeof(o->own))
		return err_set(e, -ENAMETOOLONG, "the path of the socket is too long");
	return rc;
}

int main(int argc, char **argv)
{
	struct options o;
	struct mgmt *m;
	struct err e;
	int complete = 0;

	if (read_options(argc, argv, &o, &e) < 0) {
		fprintf(stderr, "mgmt_peer: %s\n", e.msg);
		return 2;
	}
	m = mgmt_new((uint8_t)o.domain, (uint8_t)o.transport_specific);
	if (!m)
		return 2;
	for (int64_t i = 1; i <= o.polls; i++) {
		if (i == o.unlink_at)
			unlink(o.own);
		complete = poll_once(m, &o);
	}
	mgmt_free(m);
	unlink(o.own);
	return complete ? 0 : 1;
}
