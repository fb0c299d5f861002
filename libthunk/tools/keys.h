/* SPDX-License-Identifier: MIT */
/* Keys that count at once, as in top(1), where standard input is the terminal of this program. */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>

/* Until the program ends, also by a signal. False: there are no keys to be had. */
bool keys_begin(void);
/* The next key; 0: none within @seconds, or until the terminal has another size. */
int keys_wait(double seconds);

#endif /* KEYS_H */
