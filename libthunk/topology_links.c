// SPDX-License-Identifier: MIT
/*
 * Changes to a snapshot after parsing: GPUs the caller may not use go away, and paths that take
 * more than one link become links.  Pure, like the parser.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology.h"

#define GONE	UINT32_MAX

static void renumber_links(struct topo_node *nd, const uint32_t *map, uint32_t nr_old)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nd->props.NumIOLinks; i++) {
		HsaIoLinkProperties *l = &nd->links[i];

		if (l->NodeFrom >= nr_old || l->NodeTo >= nr_old)
			continue;
		if (map[l->NodeFrom] == GONE || map[l->NodeTo] == GONE)
			continue;
		nd->links[n] = *l;
		nd->links[n].NodeFrom = map[l->NodeFrom];
		nd->links[n].NodeTo = map[l->NodeTo];
		n++;
	}
	nd->props.NumIOLinks = n;
}

/**
 * topo_drop_hidden() - remove hidden nodes, renumber the rest and their links
 *
 * Return: 0 or -ENOMEM.
 */
int topo_drop_hidden(struct topo *t)
{
	uint32_t *map = malloc((t->nr_nodes + 1) * sizeof(*map));
	uint32_t nr_old = t->nr_nodes, n = 0;

	if (!map)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr_old; i++) {
		if (t->nodes[i].hidden) {
			map[i] = GONE;
			free(t->nodes[i].mem);
			free(t->nodes[i].caches);
			free(t->nodes[i].links);
			continue;
		}
		map[i] = n;
		t->nodes[n++] = t->nodes[i];
	}
	t->nr_nodes = n;
	t->sys.NumNodes = n;
	for (uint32_t i = 0; i < n; i++)
		renumber_links(&t->nodes[i], map, nr_old);
	free(map);
	return 0;
}

static const HsaIoLinkProperties *find_link(const struct topo *t, uint32_t from, uint32_t to)
{
	const struct topo_node *nd = &t->nodes[from];

	for (uint32_t i = 0; i < nd->props.NumIOLinks; i++)
		if (nd->links[i].NodeTo == to)
			return &nd->links[i];
	return NULL;
}

/* The CPU node that a GPU hangs on. */
static uint32_t home_cpu(const struct topo *t, uint32_t gpu)
{
	const struct topo_node *nd = &t->nodes[gpu];

	for (uint32_t i = 0; i < nd->props.NumIOLinks; i++)
		if (!t->nodes[nd->links[i].NodeTo].gpu_id)
			return nd->links[i].NodeTo;
	return GONE;
}

/* Add the link @a -> @b as the sum of what lies between; nothing if it is there or impossible. */
static int add_indirect(struct topo *t, uint32_t a, uint32_t b)
{
	uint32_t ca = t->nodes[a].gpu_id ? home_cpu(t, a) : a;
	uint32_t cb = t->nodes[b].gpu_id ? home_cpu(t, b) : b;
	const HsaIoLinkProperties *hop[3] = { NULL };
	HsaIoLinkProperties l = { 0 }, *more;
	struct topo_node *nd = &t->nodes[a];

	if (ca == GONE || cb == GONE || find_link(t, a, b))
		return 0;
	hop[0] = a == ca ? NULL : find_link(t, a, ca);
	hop[1] = ca == cb ? NULL : find_link(t, ca, cb);
	hop[2] = b == cb ? NULL : find_link(t, cb, b);
	/* no CPU -> GPU link: the GPU's memory cannot be reached from outside */
	if ((a != ca && !hop[0]) || (ca != cb && !hop[1]) || (b != cb && !hop[2]))
		return 0;

	l.NodeFrom = a;
	l.NodeTo = b;
	for (int i = 0; i < 3; i++) {
		if (!hop[i])
			continue;
		l.Weight += hop[i]->Weight;
		l.MinimumLatency += hop[i]->MinimumLatency;
		l.MaximumLatency += hop[i]->MaximumLatency;
		l.Flags.LinkProperty |= hop[i]->Flags.LinkProperty;
		if (!l.MinimumBandwidth || hop[i]->MinimumBandwidth < l.MinimumBandwidth)
			l.MinimumBandwidth = hop[i]->MinimumBandwidth;
		if (!l.MaximumBandwidth || hop[i]->MaximumBandwidth < l.MaximumBandwidth)
			l.MaximumBandwidth = hop[i]->MaximumBandwidth;
	}
	l.IoLinkType = ca == cb ? HSA_IOLINKTYPE_PCIEXPRESS : HSA_IOLINK_TYPE_QPI_1_1;

	more = realloc(nd->links, (nd->props.NumIOLinks + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[nd->props.NumIOLinks++] = l;
	nd->links = more;
	return 0;
}

/**
 * topo_add_indirect_links() - links between GPUs, and from GPUs to far CPUs, through CPUs
 *
 * Only where no peer link was printed.  Return: 0 or -ENOMEM.
 */
int topo_add_indirect_links(struct topo *t)
{
	int err = 0;

	for (uint32_t a = 0; a < t->nr_nodes && !err; a++)
		for (uint32_t b = 0; b < t->nr_nodes && !err; b++)
			if (a != b && (t->nodes[a].gpu_id || t->nodes[b].gpu_id))
				err = add_indirect(t, a, b);
	return err;
}
