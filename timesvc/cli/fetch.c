#include "fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../front/js.h"
#include "../front/status.h"
#include "nstime.h"
#include "timesvc.h"

#define TIMEOUT_NS (3 * NS_PER_S)

json_t *fetch_status(const struct place *p, struct err *e)
{
	json_error_t why;
	json_t *status;
	char *body;
	size_t len;

	if (!p->has_http) {
		err_set(e, -ENOENT, "the configuration serves no HTTP (http_port 0)");
		return NULL;
	}
	if (http_get(&p->url, "/status.json", TIMEOUT_NS, &body, &len, e) < 0)
		return NULL;
	status = json_loadb(body, len, 0, &why);
	free(body);
	if (json_integer_value(json_object_get(status, "schema")) == STATUS_SCHEMA)
		return status;
	json_decref(status);
	err_set(e, -EPROTO, "http://%s:%s is no timesvcd of this version", p->url.host,
		p->url.port);
	return NULL;
}

const char *fetch_page_error(int rc)
{
	switch (-rc) {
	case ENOENT:
		return "there is no trust page: timesvcd has never run here";
	case EAGAIN:
		return "the trust page has no such clock yet";
	case EPROTO:
		return "the trust page is of another version";
	case ESTALE:
		return "the trust page was replaced";
	default:
		return strerror(-rc);
	}
}

static void blank(struct clock_snapshot *c, const char *name, int state)
{
	memset(c, 0, sizeof(*c));
	memcpy(c->name, name, strnlen(name, NAME_SIZE - 1));
	c->mode = UINT8_MAX;	/* the page does not say */
	c->state = (uint8_t)state;
	c->bound_parent_ns = c->bound_gm_ns = c->bound_utc_ns = -1;
}

static void take_time(struct clock_snapshot *c, const struct tsv_time *t)
{
	c->have_line = 1;
	c->page_ns = t->ns;
	c->good_until_ns = t->good_until_ns;
	c->epoch = t->epoch;
	c->alarm = !!(t->flags & TSV_ALARM);
	c->software = !!(t->flags & TSV_SOFTWARE);
	c->ptp_timescale = !!(t->flags & TSV_PTP_SCALE);
	c->role = t->flags & TSV_REFERENCE ? ROLE_REFERENCE : ROLE_AUTO;
}

static void take_info(struct clock_snapshot *c, const struct tsv_info *info)
{
	c->reasons = info->reasons;
	c->have_offset = info->has_offset;
	c->offset_ns = info->offset_ns;
	c->path_delay_ns = info->path_delay_ns;
	c->bound_parent_ns = info->bound_parent_ns;
	c->bound_gm_ns = info->bound_gm_ns;
	c->bound_utc_ns = info->bound_utc_ns;
	c->steps_removed = info->steps_removed;
	c->domain = info->domain;
	memcpy(c->clock_identity.id, info->clock_identity, sizeof(info->clock_identity));
	memcpy(c->parent_identity.id, info->parent_identity, sizeof(info->parent_identity));
	memcpy(c->gm_identity.id, info->gm_identity, sizeof(info->gm_identity));
}

/* What nobody vouches for is not shown as if somebody did. */
static json_t *read_clock(const struct tsv *h, const char *name)
{
	struct clock_snapshot c;
	struct tsv_time t;
	struct tsv_info info;
	int state = tsv_now(h, &t);

	if (tsv_info(h, &info) < 0)
		memset(&info, 0, sizeof(info));
	blank(&c, name ? name : info.name, state < 0 ? TSV_UNKNOWN : state);
	if (state < 0 || state == TSV_STALE || !info.name[0])
		return status_clock_from(&c, STATUS_NOBODY);
	take_time(&c, &t);
	take_info(&c, &info);
	return status_clock_from(&c, STATUS_PAGE);
}

/* 0 or the error of tsv_open(). */
static int add_clock(json_t *clocks, const char *page, const char *name)
{
	struct tsv *h;
	int rc = tsv_open(&h, page, name);

	if (rc < 0)
		return rc;
	json_array_append_new(clocks, read_clock(h, name));
	tsv_close(h);
	return 0;
}

static int add_clocks(json_t *clocks, const struct place *p)
{
	int rc = p->names_count ? -ENOENT : add_clock(clocks, p->page, NULL);

	for (int i = 0; i < p->names_count; i++)
		rc = add_clock(clocks, p->page, p->names[i]);
	return json_array_size(clocks) ? 0 : rc;
}

json_t *fetch_page(const struct place *p, struct err *e)
{
	char host[256] = "";
	json_t *clocks = json_array();
	int rc = add_clocks(clocks, p);

	if (rc < 0) {
		err_set(e, rc, "%s: %s", p->page, fetch_page_error(rc));
		json_decref(clocks);
		return NULL;
	}
	gethostname(host, sizeof(host) - 1);
	return json_pack("{s:i, s:o, s:s, s:n, s:o, s:[], s:[]}",
		"schema", STATUS_SCHEMA,
		"now_ns", js_instant(1, nstime_now(CLOCK_REALTIME)),
		"host", host, "daemon", "clocks", clocks, "probes", "events");
}
