/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-private pages: they exist where the kernel was built with CONFIG_DEVICE_PRIVATE, and
 * their interface has changed several times.
 */
#ifndef COMPAT_ZONE_H
#define COMPAT_ZONE_H

#ifdef CONFIG_DEVICE_PRIVATE
#include <linux/memremap.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/swapops.h>
#ifdef COMPAT_HAVE_SOFTLEAF
#include <linux/leafops.h>
#endif

/* 6.19: with the order; 7.0: and the dev_pagemap. */
#if defined(COMPAT_HAVE_ZONE_PAGE_PGMAP)
#define compat_zone_page_init(page)	zone_device_page_init((page), page_pgmap(page), 0)
#elif defined(COMPAT_HAVE_ZONE_PAGE_ORDER)
#define compat_zone_page_init(page)	zone_device_page_init((page), 0)
#else
#define compat_zone_page_init(page)	zone_device_page_init(page)
#endif

/* 6.19: what is freed is a folio: compat_zone_free(struct page *) as a member of the ops. */
#ifdef COMPAT_HAVE_ZONE_FOLIO_FREE
#define COMPAT_ZONE_FREE(fn)						\
	static void fn ## _folio(struct folio *folio)			\
	{								\
		fn(folio_page(folio, 0));				\
	}
#define COMPAT_ZONE_FREE_OP(fn)		.folio_free = fn ## _folio,
#else
#define COMPAT_ZONE_FREE(fn)
#define COMPAT_ZONE_FREE_OP(fn)		.page_free = fn,
#endif

/* 6.14: through the folio. */
#ifdef COMPAT_HAVE_PAGE_PGMAP
#define compat_zone_pgmap(page)		page_pgmap(page)
#else
#define compat_zone_pgmap(page)		((page)->pgmap)
#endif

/* May who faults there write to the page, where it is? 7.1: entries have another name. */
static inline bool compat_zone_writable(pte_t pte)
{
#ifdef COMPAT_HAVE_SOFTLEAF
	return softleaf_is_device_private_write(softleaf_from_pte(pte));
#else
	return is_writable_device_private_entry(pte_to_swp_entry(pte));
#endif
}

#endif /* CONFIG_DEVICE_PRIVATE */
#endif /* COMPAT_ZONE_H */
