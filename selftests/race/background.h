/* SPDX-License-Identifier: MIT */
/* Memory that moves to the GPU and back, and is displaced there, beside all lives (background.c) */
#ifndef RACE_BACKGROUND_H
#define RACE_BACKGROUND_H

#include <stdbool.h>

void race_background_start(void);
/* False: somebody cannot be killed. */
bool race_background_stop(void);
/* How often memory has moved, and how often all of the GPU's was taken */
void race_background_rounds(unsigned int *moves, unsigned int *takes);

#endif /* RACE_BACKGROUND_H */
