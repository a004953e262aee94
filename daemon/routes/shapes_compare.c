/*
 * shapes_compare.c - what bodies look like: placements held against each other; the daemon; errors.
 */
#include "daemon/routes/shapes.h"

static const struct shape_member comparison_sent[] = {
    {"placements", "[placement_choice]", NULL},
    {"copies?", "copies", "The pool's own when left out"},
    {"change?", "comparison_change", "To count what it moves"},
    {"keys?", "[key_sent]", "Instead of the stored ones"},
    {NULL, NULL, NULL},
};

static const struct shape_member comparison[] = {
    {"pool", "name", NULL},
    {"epoch", "epoch", NULL},
    {"copies", "copies", NULL},
    {"keys", "counted_keys", NULL},
    {"change", "[op]|null", NULL},
    {"results", "[compared_placement]", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member compared[] = {
    {"placement", "placement", NULL},
    {"error?", "refusal", "Instead of all that follows"},
    {"spread?", "spread|null", "Of owned keys, beside what weights ask for"},
    {"unplaced?", "count", "Keys that it finds no owner for"},
    {"moved?", "count|null", NULL},
    {"needless?", "count|null", NULL},
    {"prepare_ns?", "count", NULL},
    {"index_bytes?", "count", NULL},
    {"lookup_ns?", "number|null", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member spread[] = {
    {"deviation", "number", "Standard, of shares by fair shares"},
    {"busiest", "node_load", NULL},
    {"quietest", "node_load", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member load[] = {
    {"node", "name", NULL},
    {"keys", "count", NULL},
    {"share", "share", NULL},
    {"fair_share", "share", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member simulation_sent[] = {
    {"keys", "[key_sent]", "The requests, in order of time"},
    {"placements?", "[placement_choice]", "The pool's own when left out"},
    {"capacity?", "count|null", "Entries of each node's cache"},
    {"window?", "count", NULL},
    {"events?", "[event_sent]", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member event_sent[] = {
    {"at", "count", "So many requests come before"},
    {"leave?", "name", NULL},
    {"join?", "name|node_sent", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member simulation[] = {
    {"pool", "name", NULL},
    {"epoch", "epoch", NULL},
    {"requests", "count", NULL},
    {"distinct", "count", NULL},
    {"capacity", "count|null", NULL},
    {"window", "count", NULL},
    {"warnings?", "[warning]", "What is odd about the lines of a trace that was sent as text"},
    {"events", "[event]", NULL},
    {"results", "[simulated_placement]", "At random and in turn at the end"},
    {NULL, NULL, NULL},
};

static const struct shape_member event[] = {
    {"at", "count", NULL},
    {"leave?", "name", NULL},
    {"join?", "name", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member simulated[] = {
    {"placement", "placement|baseline", NULL},
    {"error?", "refusal", "Instead of all that follows"},
    {"hit_rate?", "hit_rate", NULL},
    {"hits?", "count", NULL},
    {"unplaced?", "count", NULL},
    {"busiest?", "busiest_node|null", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member baseline[] = {
    {"name", "'random'|'round-robin'", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member hit_rate[] = {
    {"overall", "share", NULL},
    {"steady", "share|null", "Of the second half before the first event"},
    {"worst", "worst_window", NULL},
    {"recovered", "share|null", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member worst[] = {
    {"rate", "share|null", NULL},
    {"at", "count", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member busiest[] = {
    {"node", "name", NULL},
    {"requests", "count", NULL},
    {"share", "share", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member host[] = {
    {"name", "text", "The zone of its nodes"},
    {"id?", "integer", NULL},
    {"weight?", "number", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member version[] = {
    {"name", "'hrwd'", NULL},
    {"version", "text", NULL},
    {"placements", "[text]", "Those it knows"},
    {NULL, NULL, NULL},
};

static const struct shape_member status[] = {
    {"version", "text", NULL},
    {"is_ready", "flag", "Are all memberships loaded?"},
    {"started", "time", NULL},
    {"uptime_seconds", "count", NULL},
    {"store", "store", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member store[] = {
    {"kind", "'sqlite'|'file'", NULL},
    {"path", "text", NULL},
    {"is_writable", "flag", "Does it take changes?"},
    {"failing_since?", "time",
	"A file is not taken since then, and the last good pools are served"},
    {NULL, NULL, NULL},
};

static const struct shape_member problem[] = {
    {"type", "'about:blank'", NULL},
    {"title", "text", "The code in words"},
    {"status", "count(400..599)", "The status of the answer"},
    {"code", "code", "Stable"},
    {"reason?", "'name'|'taken'|'collision'|'head'", "Which case of bad-server, too-large"},
    {"field?", "text", "JSON pointer or parameter at fault"},
    {"detail", "text", "What was wrong, with the value, and how to mend it"},
    {NULL, NULL, NULL},
};

/* clang-format off: a row a line, as far as it goes */
const struct shape shapes_compare[] = {
    {"comparison_request", "What to compare", {comparison_sent}, NULL, NULL},
    {"comparison", "Placements beside each other", {comparison}, NULL, NULL},
    {"compared_placement", "One of them", {compared}, NULL, NULL},
    {"spread", "How evenly keys are spread", {spread}, NULL, NULL},
    {"node_load", "What a node owns", {load}, NULL, NULL},
    {"simulation_request", "A trace and what to do with it", {simulation_sent}, NULL, NULL},
    {"event_sent", "A node leaves or joins", {event_sent}, NULL, NULL},
    {"simulation", "A trace under several placements", {simulation}, NULL, NULL},
    {"event", "A node leaves or joins", {event}, NULL, NULL},
    {"simulated_placement", "One of them", {simulated}, NULL, NULL},
    {"baseline", "What placements are held against", {baseline}, NULL, NULL},
    {"hit_rate", "Hits by requests", {hit_rate}, NULL, NULL},
    {"worst_window", "The window with the fewest hits", {worst}, NULL, NULL},
    {"busiest_node", "The node with the most requests", {busiest}, NULL, NULL},

    {"host", "A failure domain of a placement's own", {host}, NULL, NULL},
    {"version", "Who answers", {version}, NULL, NULL},
    {"status", "How the daemon is", {status}, NULL, NULL},
    {"store", "Where it keeps memberships", {store}, NULL, NULL},
    {"problem", "An error (RFC 9457)", {problem}, NULL, NULL},
    {NULL, NULL, {NULL}, NULL, NULL},
};
/* clang-format on */
