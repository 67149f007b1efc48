#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../options.h"

#define DEFAULT_CONF SYSCONFDIR "/timesvc.conf"

/* A host without a configuration may still be asked about by --url and --page. */
static int load(struct settings *s, const struct cli *c, struct err *e)
{
	if (c->conf)
		return settings_load(s, c->conf, e);
	if (access(DEFAULT_CONF, F_OK) == 0)
		return settings_load(s, DEFAULT_CONF, e);
	memset(s, 0, sizeof(*s));
	option_presets(SECTION_GLOBAL, s);
	return 0;
}

static void take_url(struct place *p, const struct settings *s)
{
	const char *host = s->http_address;

	/* A server that listens on every address is found on this one. */
	if (!strcmp(host, "0.0.0.0"))
		host = "127.0.0.1";
	else if (!strcmp(host, "::"))
		host = "::1";
	snprintf(p->url.host, sizeof(p->url.host), "%s", host);
	snprintf(p->url.port, sizeof(p->url.port), "%d", s->http_port);
	p->has_http = s->http_port != 0;
}

static void take_settings(struct place *p, const struct settings *s)
{
	settings_page_path(s, p->page, sizeof(p->page));
	take_url(p, s);
	p->names_count = s->clock_count;
	for (int i = 0; i < s->clock_count; i++)
		memcpy(p->names[i], s->clocks[i].name, NAME_SIZE);
}

int place_find(struct place *p, const struct cli *c, struct err *e)
{
	const char *page = c->page ? c->page : getenv("TIMESVC_PAGE");
	struct settings *s = malloc(sizeof(*s));
	int rc;

	if (!s)
		return err_set(e, -ENOMEM, "out of memory");
	memset(p, 0, sizeof(*p));
	rc = load(s, c, e);
	if (rc >= 0)
		take_settings(p, s);
	free(s);
	if (rc < 0)
		return rc;
	if (page && snprintf(p->page, sizeof(p->page), "%s", page) >= (int)sizeof(p->page))
		return err_set(e, -ENAMETOOLONG, "the path of the page is too long");
	if (!c->url)
		return 0;
	p->has_http = 1;
	return url_parse(c->url, &p->url, e);
}
