#include "hwstamp_users.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONFIG_MAX 65536

struct hwstamp_users {
	DIR *proc;
	char root[64], ifname[64], netns[64];
	char args[4096], config[CONFIG_MAX];
};

/* As much as fits, NUL-terminated; its length, or -errno. */
static ssize_t slurp(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

static void read_netns(const struct hwstamp_users *u, const char *who, char *out, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s/ns/net", u->root, who);
	n = readlink(path, out, size - 1);
	out[n > 0 ? n : 0] = '\0';
}

int hwstamp_users_open(struct hwstamp_users **users, const char *proc, const char *ifname, struct err *e)
{
	struct hwstamp_users *u = calloc(1, sizeof(*u));

	if (!u)
		return err_set(e, -ENOMEM, "out of memory");
	snprintf(u->root, sizeof(u->root), "%s", proc);
	snprintf(u->ifname, sizeof(u->ifname), "%s", ifname);
	u->proc = opendir(proc);
	if (!u->proc) {
		free(u);
		return err_set(e, -errno, "%s cannot be read: %s", proc, strerror(errno));
	}
	read_netns(u, "self", u->netns, sizeof(u->netns));
	*users = u;
	return 0;
}

void hwstamp_users_close(struct hwstamp_users *u)
{
	if (!u)
		return;
	closedir(u->proc);
	free(u);
}

int hwstamp_users_section(const char *text, const char *ifname)
{
	size_t len = strlen(ifname);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, " \t\r\n");
		if (line[0] == '[' && !strncmp(line + 1, ifname, len) && line[1 + len] == ']')
			return 1;
	}
	return 0;
}

/* The option of ptp4l's with a value in `arg`, as getopt() would find it: its letter, or 0. */
static int option_of(const char *arg, const char *next, const char **value)
{
	const char *at = arg;

	if (arg[0] != '-' || arg[1] == '-')
		return 0;
	at += strcspn(arg, "fipl");
	*value = *at && at[1] ? at + 1 : next;
	return *at && *value ? *at : 0;
}

/* 1: a section there, or nobody knows. */
static int configured(struct hwstamp_users *u, const char *pid, const char *file)
{
	char path[PATH_MAX];

	if (file[0] == '/')
		snprintf(path, sizeof(path), "%s/%s/root%s", u->root, pid, file);
	else
		snprintf(path, sizeof(path), "%s/%s/cwd/%s", u->root, pid, file);
	return slurp(path, u->config, sizeof(u->config)) < 0 || hwstamp_users_section(u->config, u->ifname);
}

static int uses(struct hwstamp_users *u, const char *pid)
{
	const char *value, *next, *end, *arg = u->args;
	char path[PATH_MAX];
	ssize_t n;
	int option;

	snprintf(path, sizeof(path), "%s/%s/cmdline", u->root, pid);
	n = slurp(path, u->args, sizeof(u->args));
	if (n <= 0)
		return n == -EACCES;
	for (end = u->args + n; arg < end; arg = next) {
		next = arg + strlen(arg) + 1;
		option = option_of(arg, next < end ? next : NULL, &value);
		if (option == 'i' && !strcmp(value, u->ifname))
			return 1;
		if (option == 'f' && configured(u, pid, value))
			return 1;
	}
	return 0;
}

static int is_ptp4l(const struct hwstamp_users *u, const char *pid)
{
	char path[PATH_MAX], name[32], netns[sizeof(u->netns)];

	snprintf(path, sizeof(path), "%s/%s/comm", u->root, pid);
	if (slurp(path, name, sizeof(name)) <= 0 || strncmp(name, "ptp4l", 5))
		return 0;
	read_netns(u, pid, netns, sizeof(netns));
	return !netns[0] || !strcmp(netns, u->netns);
}

pid_t hwstamp_users_next(struct hwstamp_users *u)
{
	struct dirent *d;

	while ((d = readdir(u->proc)) && !isdigit((unsigned char)d->d_name[0]))
		;
	if (!d) {
		rewinddir(u->proc);
		return -ENOENT;
	}
	return is_ptp4l(u, d->d_name) && uses(u, d->d_name) ? (pid_t)atoi(d->d_name) : 0;
}

pid_t hwstamp_users_find(struct hwstamp_users *u)
{
	pid_t found;

	rewinddir(u->proc);
	while (!(found = hwstamp_users_next(u)))
		;
	return found > 0 ? found : 0;
}
