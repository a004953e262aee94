/*
 * params.h - parameters of a draft as a whole: their defaults, which of them
 * count, and whether each is good; and what traits allow.
 */
#ifndef HRW_PARAMS_H
#define HRW_PARAMS_H

#include "core/membership.h"

/* Every parameter of the draft's placement gets its default, whatever it had. */
void hrw_params_reset(struct hrw_membership *m);

/* Does a parameter of its placement, by its row, count beside the others? Freeze
 * returns one that does not to its default. */
bool hrw_param_counts(const struct hrw_membership *m, size_t at);

/* Sets what was not given, or does not count, to its default: pools that place
 * alike have equal values. */
void hrw_params_complete(struct hrw_membership *m);

/* BAD_COPIES for more than the placement defines, which names its trait. */
int hrw_check_most_copies(
    const struct hrw_placement *placement, size_t copies, struct hrw_fault *fault);

/* Is it a weight that the placement takes? */
bool hrw_takes_weight(const struct hrw_weights *weights, double weight);

/* BAD_FIELD at "/placement/NAME" for one out of range, or required and absent. */
int hrw_params_check(const struct hrw_membership *m, struct hrw_fault *fault);

#endif
