#include "plan.h"

static void print_child(FILE *out, const struct settings *s, enum child_kind kind, int index)
{
	struct child_id id = { .kind = (uint16_t)kind, .index = (uint16_t)index };
	struct command c;
	char name[48], text[sizeof(c.text)];

	if (!confgen_wants(s, id) || confgen_command(s, id, &c))
		return;
	fprintf(out, "  %-22s %s\n", confgen_child_name(s, id, name, sizeof(name)),
		confgen_command_text(&c, text, sizeof(text)));
}

static void print_processes(FILE *out, const struct settings *s, const struct host *h)
{
	const char *user = h->root ? s->user : "this user";

	fprintf(out, "processes\n  %-22s as %s\n  %-22s as %s\n  %-22s as %s\n", "monitor",
		h->root ? "root" : "this user", "engine", user, "front", user);
	for (int i = 0; i < s->clock_count; i++) {
		print_child(out, s, CHILD_PTP4L, i);
		print_child(out, s, CHILD_PHC2SYS, i);
	}
	for (int i = 0; i < s->probe_count; i++)
		print_child(out, s, CHILD_PROBE, i);
}

static void print_files(FILE *out, const struct settings *s)
{
	char path[PATH_SIZE + NAME_SIZE + 16];

	fprintf(out, "page\n  %s\n", settings_page_path(s, path, sizeof(path)));
	fprintf(out, "sockets\n");
	for (int i = 0; i < s->clock_count; i++)
		fprintf(out, "  %-22s %s, asked from %s\n", s->clocks[i].name, s->clocks[i].ptp4l_socket,
			confgen_mgmt_path(s, i, path, sizeof(path)));
	if (s->http_port)
		fprintf(out, "  %-22s %s port %d\n", "http", s->http_address, s->http_port);
	for (int i = 0; i < s->probe_count; i++)
		fprintf(out, "segment of probe %s\n  %s\n", s->probes[i].name,
			settings_segment_path(s, i, path, sizeof(path)));
}

void plan_print(FILE *out, const char *file, const struct settings *s, const struct host *h)
{
	char path[PATH_SIZE + NAME_SIZE + 16], text[CONFGEN_TEXT_MAX];

	fprintf(out, "configuration\n  %s\n", file);
	print_processes(out, s, h);
	print_files(out, s);
	for (int i = 0; i < s->clock_count; i++) {
		struct child_id id = { .kind = CHILD_PTP4L, .index = (uint16_t)i };

		if (!confgen_wants(s, id) ||
		    confgen_ptp4l(s, i, h->ptp4l, text, sizeof(text)) < 0)
			continue;
		fprintf(out, "file %s\n%s", confgen_ptp4l_path(s, i, path, sizeof(path)), text);
	}
}
