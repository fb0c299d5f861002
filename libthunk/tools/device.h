/* SPDX-License-Identifier: MIT */
/* What tools say about a GPU that cannot be opened. */
#ifndef DEVICE_H
#define DEVICE_H

/* aql_open() of GPU @index has failed with @err: why, in one line, and what to do. */
const char *device_why(unsigned int index, int err);
/* /dev/kfd cannot be opened: likewise. */
const char *device_closed(void);

#endif /* DEVICE_H */
