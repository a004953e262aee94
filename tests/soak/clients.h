/*
 * clients.h - who asks, and who means harm, during a soak.
 */
#ifndef TESTS_SOAK_CLIENTS_H
#define TESTS_SOAK_CLIENTS_H

#include <stdatomic.h>
#include <stdbool.h>

enum {
	CONNECTIONS = 200, /* limits.connections; a flood opens twice as many */
	FLOOD = 2 * CONNECTIONS,
	ANSWER_MS = 20000,
	NODES = 12, /* n0, n1, … */
};

/* What the clients share with who watches the daemon. */
struct soak {
	int lookup, admin; /* ports */
	atomic_bool is_over, is_resting;
	atomic_uint at_rest;
	atomic_ulong answers, refusals, silences;
	atomic_uint slowest_ms; /* until a new client was answered in a flood */
};
extern struct soak soak;

double now_s(void);
void pause_ms(unsigned ms);
/* Says why, kills the daemon by its pid, and ends the program. */
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Asks with a JSON body; the status, 0 for no answer. */
int ask_json(int port, const char *method, const char *path, const char *json);

/* What the clients do, each over and over: act() is a thread, its argument which. */
extern const unsigned client_count;
void *act(void *role);

#endif
