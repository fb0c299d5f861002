/* SPDX-License-Identifier: MIT */
/*
 * PID 1 of a test guest. It loads what the root file system needs, mounts the
 * root, loads the modules under test, runs one command and carries its output
 * and exit status to the host, one port per stream: a virtio port under QEMU, a
 * serial line in User Mode Linux.
 *
 * The order of work and its inputs are files that the host packs into the
 * initial RAM file system below /job (see qemu/lib/initrd.py).
 *
 * prototypes are grouped by the file that implements them
 */
#ifndef VM_INIT_H
#define VM_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define NEW_ROOT	"/new"
#define MODULE_DIR	"/run/vkfd"
#define MAX_SHARES	16
#define MAX_MODULES	16
#define MAX_HOST_DIRS	4

struct share {
	char *tag;
	char *path;
	bool writable;
};

/* A directory of the host shown elsewhere, or below /sys: hostfs only */
struct host_dir {
	char *path;		/* of the host */
	char *where;
};

struct module {
	char *file;		/* name below /job and MODULE_DIR */
	char *args;
	bool load;		/* false: only lay it down in MODULE_DIR */
};

/** struct job - what the host asked for; strings live as long as the guest */
struct job {
	char **argv;
	char **envp;
	char *cwd;
	char *root_type;	/* file system of the root and of shares */
	char *root_opts;
	struct share shares[MAX_SHARES];
	unsigned int nr_shares;
	struct host_dir host_dirs[MAX_HOST_DIRS];
	unsigned int nr_host_dirs;
	struct module modules[MAX_MODULES];
	unsigned int nr_modules;
	bool tty;
	unsigned int rows, cols;
	bool serial;		/* ports are serial lines */
};

/* init.c */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* job.c */
void job_read(struct job *job);
char *read_file(const char *path, size_t *len);

/* caches.c */
void caches_show(void);

/* setup.c */
void mkdir_p(const char *path);
void setup_early(void);
void setup_boot_modules(void);
void setup_root(const struct job *job);
void setup_modules(const struct job *job);
void setup_teardown(const struct job *job);

/* ports.c */
int port_open(const char *name);
int port_open_serial(unsigned int index);
void port_write(int fd, const void *data, size_t len);
void port_printf(int fd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* run.c */
struct run_result {
	const char *how;	/* "exit", "signal" or "stuck" */
	int status;
	unsigned long long bytes[2];
};

void run_command(const struct job *job, const int ports[5], struct run_result *res);

#endif /* VM_INIT_H */
