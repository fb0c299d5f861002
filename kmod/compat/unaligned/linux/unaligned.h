/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernels before 6.12 have this header in asm/. */
#include <asm/unaligned.h>
