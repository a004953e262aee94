/*
 * placement.h - from (membership, key) to an order of nodes.
 *
 * Hosts with the same membership give the same order, whatever order they
 * learned the nodes in, on every CPU and compiler. A placement is one file in
 * place/ and one row in placement.c; lookups, plans and comparisons are written
 * once against this interface.
 *
 * Source: Thaler & Ravishankar, IEEE/ACM ToN 6(1), 1998; each row names its own.
 */
#ifndef HRW_PLACEMENT_H
#define HRW_PLACEMENT_H

#include "core/bytes.h"
#include "core/error.h"

struct hrw_membership;

/* What a placement can do, and which laws it keeps. */
enum hrw_trait {
	HRW_WEIGHTED = 1u << 0,	   /* weights count */
	HRW_ZONED = 1u << 1,	   /* copies spread over zones as zones.h says */
	HRW_SINGLE_COPY = 1u << 2, /* defines one owner, no replicas */
	HRW_KEYED = 1u << 3,	   /* takes a secret */
	HRW_FAIR = 1u << 4,	   /* a node's share is its weight by the total, exactly */
	HRW_MINIMAL = 1u << 5,	   /* a change moves only keys of the nodes it names */
	HRW_SLOTS = 1u << 6,	   /* nodes carry "slots" */
	HRW_TOKENS = 1u << 7,	   /* nodes carry "tokens" */
	HRW_REWEIGHT = 1u << 8,	   /* nodes carry "reweight" */
	HRW_HEALTH = 1u << 9,	   /* nodes carry "healthy", and it counts */
	HRW_BY_ID = 1u << 10,	   /* ids decide: hashed, the order of nodes, or ties */
	HRW_DELETES = 1u << 11,	   /* the ranking without a node is, exactly, the old one with
				    * that node deleted */
	HRW_HOSTS = 1u << 12,	   /* zones count, by a rule of its own */
	HRW_PAIR = 1u << 13,	   /* defines an owner and a second, no further replicas */
};

/* Which weights a placement takes. */
enum hrw_weight_rule {
	HRW_WEIGHT_REAL,    /* min..max */
	HRW_WEIGHT_WHOLE,   /* whole numbers min..max */
	HRW_WEIGHT_NONE,    /* 1 alone */
	HRW_WEIGHT_IGNORED, /* any, of no effect */
};

struct hrw_weights {
	enum hrw_weight_rule rule;
	double min, max; /* REAL and WHOLE */
};

/* What text stands for a node whose hash_name is left out. */
enum hrw_hashed {
	HRW_HASHED_NAME,    /* its name */
	HRW_HASHED_ADDRESS, /* its address */
	HRW_HASHED_HOST,    /* the address without port and brackets */
	HRW_HASHED_LABEL,   /* the host, and the port where it is not 11211; no brackets */
	HRW_HASHED_NOTHING, /* no text is hashed: a hash_name is refused */
};

enum hrw_param_type {
	HRW_PARAM_CHOICE, /* one of choices[]; the first is the default */
	HRW_PARAM_COUNT,  /* a whole number, min..max */
	HRW_PARAM_FLAG,	  /* true or false */
	HRW_PARAM_TEXT,	  /* any text of min..max bytes */
	HRW_PARAM_SET,	  /* a list out of choices[], each once, kept in their order */
	HRW_PARAM_HOSTS,  /* a list of hosts, see struct hrw_host */
	HRW_PARAM_SECRET, /* the name of a file that holds 128 bits */
};

/* One parameter of a placement: a row from which parsing, answers, the schema
 * and help all grow. */
struct hrw_param {
	const char *name; /* NULL ends the table */
	enum hrw_param_type type;
	const char *const *choices; /* CHOICE, SET: ends with NULL */
	uint64_t min, max;	    /* COUNT: the number; TEXT: its length in bytes */
	uint64_t initial;	    /* COUNT and FLAG: the default; SET: its bits, 0 where it
				     * may be left out, though never be empty */
	bool is_required;	    /* TEXT, SECRET: has no default */
	const char *with, *is;	    /* it counts only where this CHOICE is that; NULL: always */
	const char *help;
};

enum { HRW_PARAMS_MAX = 12 };

/* A failure domain that carries a number and a weight of its own. */
struct hrw_host {
	char *name; /* the zone of its nodes */
	bool has_id, has_weight;
	int32_t id;
	double weight;
};

enum { HRW_SECRET_BYTES = 16 };

/* The value of one parameter, in the order of the placement's table. What
 * memory it holds is the membership's. */
struct hrw_value {
	bool is_given;	       /* it was written; else the default, also after freeze */
	uint64_t number;       /* CHOICE: index into choices; COUNT; FLAG: 0 or 1; SET: bits */
	char *text;	       /* TEXT, SECRET: NULL when left out */
	struct hrw_host *host; /* HOSTS: in the order given */
	size_t host_count;
	bool has_secret; /* SECRET: the file was read; set by whoever can read files */
	uint8_t secret[HRW_SECRET_BYTES];
};

/* What explain tells of one node for one key. */
struct hrw_score {
	bool has_raw;	/* raw is meaningful: the placement has one */
	bool is_wide;	/* raw has 64 bits, not 32 */
	uint64_t raw;	/* the node's hash for this key, mixed */
	bool has_score; /* score is meaningful */
	double score;	/* for people; the order never depends on its last bits */
	uint32_t rank;	/* 1 is best; 0: takes no key, or the placement has no order */
};

struct hrw_placement {
	const char *name;
	const struct hrw_param *params; /* NULL: none */
	unsigned traits;		/* of enum hrw_trait */
	struct hrw_weights weights;
	enum hrw_hashed hashed;
	const char *source;

	/* Sets the numbers of parameters that were not given where the default
	 * depends on other parameters. NULL: none does. */
	void (*complete)(struct hrw_value *value);

	/* A key that it cannot place: BAD_KEY. The key's type was checked before.
	 * NULL: it can place every key of the type. */
	int (*check_key)(
	    const struct hrw_membership *m, struct hrw_bytes key, struct hrw_fault *fault);

	/* Writes the i-th sample key as text for pools whose keys have a form of
	 * their own: its length, below size. NULL: as the key type says. */
	int (*sample_key)(const struct hrw_membership *m, uint32_t i, char *room, size_t size);

	/* From a checked, sorted membership to an index that rank reads.
	 *   index   receives it; opaque, read only from then on, any thread
	 *   errors  BAD_SERVER with reason "collision" and others of the
	 *           placement's own rules; then *index is untouched
	 *   The index may point into the membership, which outlives it. */
	int (*prepare)(const struct hrw_membership *m, void **index, struct hrw_fault *fault);

	/* The best `want` nodes for a key, best first; see hrw_rank(). Called only
	 * where some node takes keys. NO_SERVERS where no node can take this key,
	 * BAD_KEY for one that check_key refuses. */
	int (*rank)(const void *index, struct hrw_bytes key, size_t want, uint32_t *out);

	/* raw and score of every node, out[] in the membership's order; rank is
	 * filled by hrw_explain(). NULL: the placement has neither. */
	void (*explain)(const void *index, struct hrw_bytes key, struct hrw_score *out);

	void (*free)(void *index);

	/* Bytes of memory that the index takes, the membership's own aside. */
	size_t (*size)(const void *index);
};

/* Every placement there is; ends with NULL. The first is the default. */
extern const struct hrw_placement *const hrw_placements[];

/* The placement of that name; NULL when there is none. */
const struct hrw_placement *hrw_placement_find(const char *name);

/* The best `want` nodes for a key, best first, zones not regarded.
 *   m        frozen; borrowed, read only, any thread
 *   key      bytes, not a string: NUL and non-UTF-8 are fine; 1 byte at least
 *   out      room for `want` indexes into the membership's node[]
 *   returns  indexes written, 1..want; fewer when fewer nodes take keys;
 *            out[] past that is untouched
 *   errors   HRW_BAD_COPIES: want is 0.  HRW_NO_SERVERS: nobody takes keys, or
 *            nobody this one.  HRW_BAD_KEY: see hrw_key_check()
 *   cost     one pass over the nodes, or a search; no allocation, no lock */
int hrw_rank(const struct hrw_membership *m, struct hrw_bytes key, size_t want, uint32_t *out);

/* Raw, score and rank of every node of the membership, draining ones too.
 *   out      m->count entries, in the membership's order
 *   cost     a full ranking: n log n */
void hrw_explain(const struct hrw_membership *m, struct hrw_bytes key, struct hrw_score *out);

#endif
