/*
 * shapes_change.c - what bodies look like: changes, their reports, the history, key sets.
 */
#include "daemon/routes/shapes.h"

static const struct shape_member changes_sent[] = {
    {"add?", "[node_sent]", NULL},
    {"drain?", "[name]", NULL},
    {"activate?", "[name]", NULL},
    {"rejoin?", "[name]", NULL},
    {"remove?", "[name]", NULL},
    {"patch?", "{node_patch}", NULL},
    {"reweight?", "{weight|null}", NULL},
    {"copies?", "copies", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member changes_whole[] = {
    {"placement?", "placement_choice", NULL},
    {"keys?", "[key_sent]", "To report on, instead of the stored ones"},
    {NULL, NULL, NULL},
};

static const struct shape_member report[] = {
    {"plan", "text|null", "Its id; null: it is not kept"},
    {"pool", "name", NULL},
    {"outcome", "outcome", NULL},
    {"refusal", "refusal|null", "Of a dry run: what would refuse it"},
    {"state", "'running'|'done'|'stopped'|'failed'|null", "null: no report is made"},
    {"progress?", "share", NULL},
    {"failure?", "text", NULL},
    {"epoch_before", "epoch|null", "null: there was no pool"},
    {"epoch_after", "epoch|null", "null: there is none"},
    {"copies?", "copies", "After the change"},
    {"copies_before?", "copies", "Where it differs"},
    {"change", "[op]", NULL},
    {"warnings?", "[warning]", "What is odd about the nodes as they are then"},
    {"nodes?", "[report_node]", "All of before and after, by name"},
    {"moves?", "[report_move]", NULL},
    {"changes_url?", "text", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member totals[] = {
    {"keys?", "counted_keys", NULL},
    {"owners?", "counted_owners", NULL},
    {"copies_lost?", "count", "Over all keys"},
    {"copies_gained?", "count", "Over all keys"},
    {"needless?", "count", "Changed, though none of their nodes was concerned"},
    {"keys_without_source?", "count", "Something is gained, and no node can give it"},
    {"keys_with_leaving_source?", "count", "It can be had only from a node that is leaving"},
    {"copies_missing?", "count_pair", "Holders that are cold, over all keys"},
    {"keys_without_copy?", "count_pair", "Keys that no node has warm"},
    {"leftovers?", "leftovers|null", "Old copies on nodes that gain; null: not known"},
    {NULL, NULL, NULL},
};

static const struct shape_member report_changes[] = {
    {"changes?", "[key_change]", "The first of them; all stand at changes_url"},
    {"changes_truncated?", "flag", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member listed_plan[] = {
    {"changes_truncated?", "flag", NULL},
    {"at", "time", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member plans[] = {
    {"plans", "[listed_report]", "Newest first, without their single changes"},
    {"next?", "text", "The list was cut: ask again with after= this"},
    {NULL, NULL, NULL},
};

static const struct shape_member op[] = {
    {"op",
	"'add'|'drain'|'activate'|'rejoin'|'remove'|'patch'|'copies'|'placement'|'max_moved'|"
	"'settles_after'|'max_ttl'|'settle'|'make'|'drop'|'restore'|'keys-put'|'keys-add'|'keys-"
	"delete'",
	NULL},
    {"node?", "name", NULL},
    {"fields?", "[text]", "Of a patch"},
    {"from?", "placement|count|text", "Of placement and copies; of restore a lineage"},
    {"to?", "placement|count|text", "Of placement and copies; of restore a lineage"},
    {NULL, NULL, NULL},
};

static const struct shape_member warning[] = {
    {"code",
	"'same-address'|'same-hash'|'lines-end-in-cr'|'byte-order-mark'|'nul-in-keys'|'utf-16'",
	"Stable"},
    {"detail", "text", "What it is, and how to mend it if it was not meant"},
    {"nodes?", "[name]", "Those concerned"},
    {NULL, NULL, NULL},
};

static const struct shape_member refusal[] = {
    {"code", "code", NULL},
    {"detail", "text", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member counted_keys[] = {
    {"source?", "'stored'|'request'|'estimate'", "estimate: sample keys, as none is known"},
    {"total", "count", "All that were looked at"},
    {"changed?", "count", "With another set of holders"},
    {"generation?", "count", "Of the stored key set"},
    {"share?", "counted_share", "Of an estimate"},
    {NULL, NULL, NULL},
};

static const struct shape_member count_pair[] = {
    {"before", "count", NULL},
    {"after", "count", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member leftovers[] = {
    {"keys", "count", NULL},
    {"nodes", "[leftover_node]", "Those that have some, by name"},
    {NULL, NULL, NULL},
};

static const struct shape_member leftover_node[] = {
    {"node", "name", NULL},
    {"keys", "count", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member counted_share[] = {
    {"changed", "share", NULL},
    {"low", "share", "Wilson's interval, 95 %"},
    {"high", "share", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member counted_owners[] = {
    {"changed", "count", "Keys with another owner"},
    {"cold", "count", "Those whose new owner was not warm: reads that would miss"},
    {NULL, NULL, NULL},
};

static const struct shape_member report_node[] = {
    {"node", "name", NULL},
    {"before", "count", NULL},
    {"after", "count", NULL},
    {"gains", "count", NULL},
    {"loses", "count", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member report_move[] = {
    {"lost", "name|null", NULL},
    {"gained", "name|null", NULL},
    {"keys", "count", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member key_change[] = {
    {"lost", "[name]", "Held a copy before and not after"},
    {"gained", "[name]", "Hold one after and not before"},
    {"from", "name|null", "The node that the copy can be made from"},
    {"leftovers?", "[name]", "With leftover=true: delete the old copy on these, before the change"},
    {NULL, NULL, NULL},
};

static const struct shape_member plan_id[] = {
    {"plan", "text", "The id of the report: GET /plans/{id}"},
    {NULL, NULL, NULL},
};

static const struct shape_member history[] = {
    {"history", "[history_entry]", "Newest first"},
    {"next?", "count", "The list was cut: ask again with after= this"},
    {NULL, NULL, NULL},
};

static const struct shape_member entry[] = {
    {"id", "count", NULL},
    {"at", "time", NULL},
    {"pool", "name", NULL},
    {"epoch_before", "epoch|null", NULL},
    {"epoch_after", "epoch|null", NULL},
    {"by", "text|null", "The token's name"},
    {"from", "text|null", "The client's address"},
    {"reason", "text|null", "What Hrw-Reason said"},
    {"forced", "[code]", "Guards that were overridden"},
    {"outcome", "'applied'|'refused'", NULL},
    {"change", "[op]", NULL},
    {"summary", "plan_summary|keyset_change|refusal|null",
	"What became of the keys, of the key set, or what refused; null: no report was made"},
    {NULL, NULL, NULL},
};

static const struct shape_member key_text[] = {
    {"key", "text", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member key_encoded[] = {
    {"key_base64", "base64", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member whose_keys[] = {
    {"pool", "name", NULL},
    {NULL, NULL, NULL},
};

static const struct shape_member keyset_stats[] = {
    {"keys", "count", "In the set"},
    {"bytes", "count", "Of the keys themselves"},
    {"generation", "count", "One more with each change of the set"},
    {NULL, NULL, NULL},
};

static const struct shape_member keyset_change[] = {
    {"added", "count", "Keys that were not there before"},
    {"removed", "count", "Keys that are there no more"},
    {"warnings?", "[warning]", "In the answer: what is odd about the lines of text that were sent"},
    {NULL, NULL, NULL},
};

/* clang-format off: a row a line, as far as it goes */
const struct shape shapes_change[] = {
    {"changes", "Changes made as one", {changes_sent, changes_whole}, NULL, NULL},
    {"comparison_change", "Changes made as one, of which no keys are sent", {changes_sent}, NULL,
	NULL},
    {"report", "What a change does to keys", {report, totals, report_changes}, NULL, NULL},
    {"listed_report", "A report without its single changes", {report, totals, listed_plan}, NULL,
	NULL},
    {"plans", "Kept reports", {plans}, NULL, NULL},
    {"op", "One step of a change", {op}, NULL, NULL},
    {"warning", "What was done, but is most often a slip", {warning}, NULL, NULL},
    {"refusal", "What refuses, as an error would say it", {refusal}, NULL, NULL},
    {"counted_keys", "The keys that were counted", {counted_keys}, NULL, NULL},
    {"counted_share", "The part of all keys that would change", {counted_share}, NULL, NULL},
    {"count_pair", "A number before and after", {count_pair}, NULL, NULL},
    {"leftovers", "Keys of which a gaining node may have an old copy", {leftovers}, NULL, NULL},
    {"leftover_node", "Those of one node", {leftover_node}, NULL, NULL},
    {"counted_owners", "Owners that change", {counted_owners}, NULL, NULL},
    {"report_node", "The copies on a node", {report_node}, NULL, NULL},
    {"report_move", "Keys that lost a copy on the one and gained one on the other", {report_move},
	NULL, NULL},
    {"key_change", "What changes for a key", {shape_key, key_change}, NULL, NULL},
    {"plan_summary", "A report in short", {plan_id, totals}, NULL, NULL},
    {"history", "What was done or refused", {history}, NULL, NULL},
    {"history_entry", "A change, or what refused it", {entry}, NULL, NULL},

    {"key_sent", "A key", {NULL}, "text|key_text|key_encoded", NULL},
    {"keys", "Keys", {NULL}, "[key_sent]", NULL},
    {"key_text", "A key as text", {key_text}, NULL, NULL},
    {"key_encoded", "A key as Base64", {key_encoded}, NULL, NULL},
    {"keyset", "A pool's stored key set", {whose_keys, keyset_stats}, NULL, NULL},
    {"keyset_changed", "A key set and what was done to it",
	{whose_keys, keyset_stats, keyset_change}, NULL, NULL},
    {"keyset_change", "The same, in the history", {keyset_stats, keyset_change}, NULL, NULL},
    {NULL, NULL, {NULL}, NULL, NULL},
};
/* clang-format on */
