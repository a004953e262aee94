/*
 * kernel.c - the table of kernels, and the one chosen.
 */
#include "core/kernel.h"

#include <string.h>

#include "core/place/kernel.h"

#if defined(__x86_64__)
extern const struct hrw_kernel hrw_kernel_avx2, hrw_kernel_avx512;
#endif

static bool
always(void)
{
	return true;
}

static const struct hrw_kernel portable = {.name = "portable", .is_runnable = always};

/* The quickest last. */
static const struct hrw_kernel *const kernels[] = {
    &portable,
#if defined(__x86_64__)
    &hrw_kernel_avx2,
    &hrw_kernel_avx512,
#endif
};

enum { COUNT = sizeof(kernels) / sizeof(kernels[0]) };

/* Written before main() and by tests; a membership keeps what it found here. */
static const struct hrw_kernel *chosen = &portable;

__attribute__((constructor)) static void
choose_best(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
#endif
	for (size_t i = 0; i < COUNT; i++)
		if (kernels[i]->is_runnable())
			chosen = kernels[i];
}

int
hrw_kernel_choose(const char *name, struct hrw_fault *fault)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (strcmp(kernels[i]->name, name) != 0)
			continue;
		if (!kernels[i]->is_runnable())
			return hrw_fault(fault, HRW_BAD_FIELD,
			    "this CPU cannot run the kernel \"%s\": choose \"portable\"", name);
		chosen = kernels[i];
		return 0;
	}
	return hrw_fault(fault, HRW_BAD_FIELD,
	    "\"%s\" is no kernel: there are \"portable\", \"avx2\" and \"avx512\"", name);
}

const char *
hrw_kernel_chosen(void)
{
	return chosen->name;
}

const char *
hrw_kernel_runnable(size_t i)
{
	for (size_t at = 0; at < COUNT; at++)
		if (kernels[at]->is_runnable() && i-- == 0)
			return kernels[at]->name;
	return NULL;
}

const struct hrw_kernel *
hrw_kernel_now(void)
{
	return chosen;
}
