/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels before 6.12 have it. */
#include <asm/unaligned.h>
