#define _GNU_SOURCE
#include "patch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void write_entry(uint8_t *entry, const uint8_t *code)
{
	uintptr_t page = (uintptr_t)entry & ~(uintptr_t)4095;

	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		perror("rig shim: mprotect");
		_exit(97);
	}
	memcpy(entry, code, PATCH_SIZE);
	mprotect((void *)page, 8192, PROT_READ | PROT_EXEC);
}

void *patch_symbol(const char *symbol)
{
	void *address = dlsym(RTLD_DEFAULT, symbol);

	if (!address) {
		fprintf(stderr, "rig shim: this QEMU does not export %s\n", symbol);
		_exit(97);
	}
	return address;
}

void patch_make(struct patch *p, const char *symbol, void (*replacement)(void))
{
	static const uint8_t jump_to_the_next_8_bytes[6] = { 0xff, 0x25 };

	p->entry = patch_symbol(symbol);
	memcpy(p->original, p->entry, PATCH_SIZE);
	memcpy(p->jump, jump_to_the_next_8_bytes, 6);
	memcpy(p->jump + 6, &replacement, 8);
	patch_apply(p);
}

void patch_restore(const struct patch *p)
{
	write_entry(p->entry, p->original);
}

void patch_apply(const struct patch *p)
{
	write_entry(p->entry, p->jump);
}
