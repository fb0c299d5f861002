/* SPDX-License-Identifier: MIT */
/* Small files as sysfs, debugfs and control groups have them. */
#ifndef FILE_UTIL_H
#define FILE_UTIL_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All of a file; its length, or -1. */
static inline ssize_t file_read(const char *path, char *buf, size_t bytes)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, bytes - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

/* The number that a file begins with; -1 if it cannot be read. */
static inline long long file_number(const char *path)
{
	char buf[64];

	return file_read(path, buf, sizeof(buf)) > 0 ? atoll(buf) : -1;
}

/* The number behind @name in a file of lines "NAME NUMBER"; -1 if there is none. */
static inline long long file_value(const char *path, const char *name)
{
	char key[64];
	long long n, found = -1;
	FILE *f = fopen(path, "r");

	while (f && fscanf(f, "%63s %lld%*[^\n]", key, &n) == 2)
		if (!strcmp(key, name))
			found = n;
	if (f)
		fclose(f);
	return found;
}

/* 0 or the errno. */
static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

#endif /* FILE_UTIL_H */
