/*
 * config.h - what a configuration says of the listeners and of HTTP.
 */
#ifndef HRWD_HTTP_CONFIG_H
#define HRWD_HTTP_CONFIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http/listen.h"
#include "daemon/http/tls.h"
#include "daemon/http/tokens.h"

enum { CONFIG_ADDRESSES_MAX = 16 };

/* TCP addresses speak TLS where there is a certificate, unless told not to. */
enum config_tls { CONFIG_TLS_IF_ANY, CONFIG_TLS_ALWAYS, CONFIG_TLS_NEVER };

struct config_address {
	char *text; /* "host:port", "[v6]:port", "unix:/path" */
	struct listen_access access;
	enum config_tls tls;
};

struct config_addresses {
	size_t count; /* 0: off */
	struct config_address at[CONFIG_ADDRESSES_MAX];
};

/* Read by every loop, owned by the configuration. A reload may change what is atomic
 * while they read it. */
struct http_config {
	struct config_addresses lookup, admin;
	size_t host_count;
	char **hosts;	  /* further names allowed in Host on the admin listener */
	unsigned workers; /* lookup loops: 1..64 */
	size_t parameters, connections, connections_per_address;
	unsigned idle_seconds, head_seconds, body_seconds, stop_seconds;
	atomic_size_t key_bytes, json_bytes, body_bytes;
	/* What the certificate's files come to; a reload puts another in its place.
	 * NULL: no TLS. */
	struct tls *_Atomic tls;
	/* What the file of tokens says; a reload puts another in its place. NULL: no
	 * tokens are asked for. */
	struct tokens *_Atomic tokens;
	atomic_bool auth_lookup; /* they are asked for on the lookup listener, too */
	atomic_bool log_access;	 /* a line for each request */
};

#endif
