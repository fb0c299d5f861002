/* SPDX-License-Identifier: GPL-2.0-only */
/* The engines (hw/engine.h), for the code that chooses one for a GPU. */
#ifndef ENGINE_ENGINES_H
#define ENGINE_ENGINES_H

struct engine_ops;

extern const struct engine_ops interp_engine_ops;	/* interp/ */

#endif /* ENGINE_ENGINES_H */
