/*
 * document_node.h - a node's JSON from within: what document.c, document_node.c and
 * document_field.c share.
 */
#ifndef HRWD_MEMBERS_DOCUMENT_NODE_H
#define HRWD_MEMBERS_DOCUMENT_NODE_H

#include "daemon/members/document.h"

/* Who wrote the object, and so which members are passed over. */
enum node_source {
	NODE_FROM_REQUEST, /* none */
	NODE_FROM_ANSWER,  /* the read-only ones of answers */
	NODE_FROM_STORE,   /* those of newer versions too */
};

/* As document_node_read(). */
int document_node_from(const struct json *j, unsigned allowed, enum node_source source,
    const struct hrw_limits *limits, struct hrw_node *out, unsigned *set, struct hrw_fault *fault);

/* One field, of enum node_field, into `out`. `allowed` as there: without NODE_NAME a
 * null brings back the default. */
int document_field_read(const struct json *j, unsigned bit, unsigned allowed,
    enum node_source source, const struct hrw_limits *limits, struct hrw_node *out,
    struct hrw_fault *fault);

/* Marks a BAD_SERVER as one of the name, not of a clash; returns it. */
int document_bad_name(struct hrw_fault *fault);

#endif
