#include "kernel_clock.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static int first_entry(const char *path, char *name, size_t size)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	int found = 0;

	while (d && !found && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			found = snprintf(name, size, "%s", entry->d_name) < (int)size;
	if (d)
		closedir(d);
	return found;
}

int kernel_clock_of_card(const char *devices, const char *address, char *ptp, size_t size)
{
	const char *dot = strrchr(address, '.');
	DIR *d = dot ? opendir(devices) : NULL;
	struct dirent *entry;
	char path[512];
	int found = 0;

	while (d && !found && (entry = readdir(d))) {
		if (strncmp(entry->d_name, address, (size_t)(dot + 1 - address)))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s/ptp", devices, entry->d_name) < (int)sizeof(path))
			found = first_entry(path, ptp, size);
	}
	if (d)
		closedir(d);
	return found;
}
