#include "core/place/ketama.h"

#include <math.h>

#include "core/hash/md5.h"

size_t
hrw_ketama_groups(double weight, double total, size_t nodes, bool adds_double)
{
	float part = (float)weight / (float)total;
	float groups = part * 160.0f / 4.0f * (float)nodes;

	if (adds_double)
		groups = (float)((double)groups + 1e-10);
	else
		groups = groups + 1e-10f;
	return (size_t)floorf(groups);
}

int
hrw_ketama_add(struct hrw_points *p, const char *label, size_t groups, uint32_t node)
{
	char room[HRW_POINT_TEXT];
	uint8_t digest[16];
	int rc = 0;

	for (size_t i = 0; i < groups; i++) {
		hrw_md5(hrw_point_text(room, label, "-", i), digest);
		for (size_t word = 0; rc == 0 && word < 4; word++)
			rc = hrw_points_add(p, hrw_md5_word(digest, word), node);
	}
	return rc;
}

int
hrw_ketama_ring(struct hrw_points *p, const struct hrw_membership *m, const uint32_t *order,
    size_t count, bool adds_double, struct hrw_fault *fault)
{
	double total = 0;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		total += m->node[order[i]].weight;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct hrw_node *node = &m->node[order[i]];
		size_t groups = hrw_ketama_groups(node->weight, total, count, adds_double);

		rc = hrw_ketama_add(p, node->hash_name, groups, order[i]);
	}
	if (rc == 0)
		rc = hrw_points_sort(p);
	return rc < 0 ? hrw_fault(fault, HRW_INTERNAL, "out of memory") : 0;
}
