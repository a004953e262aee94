/*
 * shapes_pool.c - what bodies look like: nodes, lookups and pools.
 */
#include "daemon/routes/shapes.h"

const struct shape_member shape_key[] = {
    {"key?", "text", "The key, where its bytes are UTF-8"},
    {"key_base64?", "base64", "The key, where they are not"},
    {NULL, NULL, NULL},
};

static const struct shape_member owner[] = {
    {"pool", "name", NULL},
    {"owner", "name", "By placement alone"},
    {"node", "name", "Where to go now: another only while health passes the owner over"},
    {"address", "address", "Of node"},
    {"passed_over", "[name]", NULL},
    {"fallback", "[place]", "Nodes that have the key warm and do not hold it now"},
    {"epoch", "epoch", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member replicas[] = {
    {"pool", "name", NULL},
    {"copies", "copies", NULL},
    {"replicas", "[replica]", "Best first"},
    {"fallback", "[place]", "Nodes that have the key warm and do not hold it now"},
    {"epoch", "epoch", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member replica[] = {
    {"node", "name", NULL},
    {"address", "address", NULL},
    {"weight", "weight", NULL},
    {"zone", "zone|null", NULL},
    {"warm", "flag", "Its copy is known to be in place"},
    {"healthy", "flag|null", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member place[] = {
    {"node", "name", NULL},
    {"address", "address", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member explanation[] = {
    {"pool", "name", NULL},
    {"copies", "copies", NULL},
    {"epoch", "epoch", NULL},
    {"nodes", "[explained_node]", "Best first"},
    {NULL, NULL, NULL},
};

static const struct shape_member explained[] = {
    {"node", "name", NULL},
    {"rank", "count|null", "1 is best; null: it takes no key"},
    {"raw", "count|hex|null", "The hash of node and key; hex where it is wider than 32 bits"},
    {"score", "number|null", "For people: the order never depends on its last bits"},
    {"weight", "weight", NULL},
    {"state", "state", NULL},
    {"zone", "zone|null", NULL},
    {"chosen", "flag", "It holds a copy"},
    {"why", "text", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member owners[] = {
    {"pool", "name", NULL},
    {"epoch", "epoch", NULL},
    {"results", "[located_key]", "In the order of the keys"},
    {NULL, NULL, NULL},
};

static const struct shape_member located[] = {
    {"owner?", "name", "Where no copies= was asked for"},
    {"replicas?", "[name]", "Where it was"},
    {NULL, NULL, NULL},
};

/* What a node object says of itself in an answer. */
static const struct shape_member node[] = {
    {"name", "name", "Its identity"},
    {"id", "integer", "A number for placements that hash one; fixed when it joins"},
    {"address", "address", "Where clients reach it; may change without moving a key"},
    {"weight", "weight", NULL},
    {"zone", "zone|null", "Copies are spread over zones"},
    {"state", "state", NULL},
    {"state_since", "time|null", NULL},
    {"joined_epoch?", "epoch", "When it was added, or came back empty"},
    {"empty?", "flag", "In a settled membership: it has no copies there"},
    {"hash_name?", "text", "The text that is hashed for it"},
    {"hash_name_default?", "flag", "That text is the placement's own choice"},
    {"slots?", "[slots]", NULL},
    {"tokens?", "[token]", NULL},
    {"reweight?", "share", "The part of its keys that it keeps"},
    {"healthy?", "flag", "false: passed over by placements in which health counts"},
    {NULL, NULL, NULL},
};

static const struct shape_member listed[] = {
    {"share", "share", "The part of all keys that it owns; 0 while it drains"},
    {"health", "null", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member whose[] = {
    {"pool", "name", NULL},
    {"epoch", "epoch", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member nodes[] = {
    {"nodes", "[listed_node]", "By name"},
    {"next?", "name", "The list was cut: ask again with after= this"},
    {"warnings?", "[warning]", "What is odd about them; left out where nothing is"},
    {NULL, NULL, NULL},
};

static const struct shape_member identity[] = {
    {"name?", "name", "Its identity, never changed"},
    {"state?", "state",
	"joining when left out, active in a pool without nodes; in a list, that of a node already "
	"there stays"},
    {"id?", "integer|null",
	"The next free one when left out; in a list, that of a node already there stays"},
    {"hash_name?", "text", NULL},
    {NULL, NULL, NULL},
};

/* What may be said of a node; null brings back the default. */
static const struct shape_member settings[] = {
    {"address?", "address|null", NULL},
    {"weight?", "weight|null", "1 when left out"},
    {"zone?", "zone|null", NULL},
    {"slots?", "[slots]|null", NULL},
    {"tokens?", "[token]|null", NULL},
    {"reweight?", "share|null", NULL},
    {"healthy?", "flag|null", NULL},
    {NULL, NULL, NULL},
};

/* Members of answers that may be sent back, and are not regarded. */
static const struct shape_member regardless[] = {
    {"state_since?", "any", "Not regarded"},
    {"joined_epoch?", "any", "Not regarded"},
    {"empty?", "any", "Not regarded"},
    {"hash_name_default?", "any", "Not regarded"},
    {"share?", "any", "Not regarded"},
    {"health?", "any", "Not regarded"},
    {"pool?", "any", "Not regarded"},
    {"epoch?", "any", "Not regarded"},
    {NULL, NULL, NULL},
};

static const struct shape_member nodes_given[] = {
    {"nodes", "[listed_node_sent]", NULL},
    {"pool?", "name", "It must be the pool that is changed"},
    {"epoch?", "any", "Not regarded"},
    {"warnings?", "any", "Not regarded"},
    {NULL, NULL, NULL},
};

static const struct shape_member membership[] = {
    {"placement", "placement", NULL},
    {"copies", "copies", NULL},
    {"nodes", "[node]", "By name"},
    {NULL, NULL, NULL},
};

static const struct shape_member pool[] = {
    {"name", "name", NULL},
    {"max_moved", "share|null", "Of the sample's keys, so many may change owner unforced"},
    {"settles_after", "count|null", "Seconds until a membership counts as settled"},
    {"max_ttl", "count|null", "Seconds that the longest value lives"},
    {"epoch", "epoch", NULL},
    {"lineage", "text", "Random, of the pool's making"},
    {"fingerprint", "fingerprint", NULL},
    {"settled", "true|membership", "The one under which all copies were last in place"},
    {"only_joins?", "flag",
	"Where it is not settled: the last activation of a joining node settles it"},
    {"keys", "count|null", "In its stored key set; null for an earlier epoch"},
    {NULL, NULL, NULL},
};

static const struct shape_member pool_summary[] = {
    {"name", "name", NULL},
    {"epoch", "epoch", NULL},
    {"placement", "text", NULL},
    {"copies", "copies", NULL},
    {"nodes", "count", NULL},
    {"settled", "flag", NULL},
    {"keys", "count|null", NULL},
    {"fingerprint", "fingerprint", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member pools[] = {
    {"pools", "[pool_summary]", "By name"},
    {"next?", "name", "The list was cut: ask again with after= this"},
    {NULL, NULL, NULL},
};

static const struct shape_member pool_settings[] = {
    {"placement?", "placement_choice", "rendezvous when left out"},
    {"copies?", "copies", "1 when left out"},
    {"max_moved?", "share|null", NULL},
    {"settles_after?", "count|null", NULL},
    {"max_ttl?", "count|null", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member pool_sent[] = {
    {"nodes?", "[listed_node_sent]", NULL},
    {"name?", "any", "Not regarded"},
    {"pool?", "any", "Not regarded"},
    {"epoch?", "any", "Not regarded"},
    {"lineage?", "any", "Not regarded"},
    {"fingerprint?", "any", "Not regarded"},
    {"settled?", "any", "Not regarded"},
    {"only_joins?", "any", "Not regarded"},
    {"keys?", "any", "Not regarded"},
    {NULL, NULL, NULL},
};

static const struct shape_member removable[] = {
    {"node", "name", NULL},
    {"pool", "name", NULL},
    {"epoch", "epoch", NULL},
    {"removable", "flag", "Every check is ok: it may be switched off"},
    {"checks", "[removable_check]", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member removable_check[] = {
    {"check", "'draining'|'settled'|'guards'|'asked'", NULL},
    {"ok", "flag", NULL},
    {"detail?", "text", "What it waits for"},
    {NULL, NULL, NULL},
};

static const struct shape_member copies[] = {
    {"to", "[name]", "The holders that are cold"},
    {"from", "[name]", "The nodes that have it warm, best first"},
    {NULL, NULL, NULL},
};

static const struct shape_member revert[] = {
    {"to", "epoch", "Whose membership is made the present one"},
    {NULL, NULL, NULL},
};

/* clang-format off: a row a line, as far as it goes */
const struct shape shapes_pool[] = {
    {"owner", "Where a key is at home", {shape_key, owner}, NULL, NULL},
    {"replicas", "Who holds a key's copies", {shape_key, replicas}, NULL, NULL},
    {"replica", "A holder", {replica}, NULL, NULL},
    {"place", "A node to ask", {place}, NULL, NULL},
    {"explanation", "Why a key is where it is", {shape_key, explanation}, NULL, NULL},
    {"explained_node", "A node's place for a key", {explained}, NULL, NULL},
    {"owners", "The homes of many keys", {owners}, NULL, NULL},
    {"located_key", "A key with its owner or its holders", {shape_key, located}, NULL, NULL},

    {"node", "A cache server", {node}, NULL, NULL},
    {"listed_node", "A node as lists show it", {node, listed}, NULL, NULL},
    {"one_node", "A node with its pool", {node, listed, whose}, NULL, NULL},
    {"nodes", "The nodes of a pool", {whose, nodes}, NULL, NULL},
    {"node_sent", "A node to be added, or to be as this says", {identity, settings, regardless},
	NULL, NULL},
    {"listed_node_sent", "A node of a list", {identity, settings, regardless}, NULL,
	"name address"},
    {"node_patch", "What is to be changed of a node", {settings}, NULL, NULL},
    {"nodes_sent", "The list of nodes that is to be", {NULL}, "[listed_node_sent]|nodes_answered",
	NULL},
    {"nodes_answered", "What GET /nodes gave", {nodes_given}, NULL, NULL},

    {"membership", "Nodes with what places keys on them", {membership}, NULL, NULL},
    {"pool", "A whole pool", {pool, membership}, NULL, NULL},
    {"pool_summary", "A pool in short", {pool_summary}, NULL, NULL},
    {"pools", "Every pool", {pools}, NULL, NULL},
    {"pool_sent", "A pool to be made, or to be as this says", {pool_settings, pool_sent}, NULL,
	NULL},
    {"pool_patch", "What is to be changed of a pool", {pool_settings}, NULL, NULL},
    {"revert", "Where to go back to", {revert}, NULL, NULL},
    {"removable", "May a node be switched off?", {removable}, NULL, NULL},
    {"removable_check", "One condition of it", {removable_check}, NULL, NULL},
    {"key_copies", "The copies of a key that are to be made", {shape_key, copies}, NULL, NULL},
    {NULL, NULL, {NULL}, NULL, NULL},
};
/* clang-format on */
