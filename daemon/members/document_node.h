/*
 * document_node.h - what document.c alone needs of a node's JSON.
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

#endif
