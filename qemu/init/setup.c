// SPDX-License-Identifier: MIT
/*
 * Mounts and modules. The root arrives read-only, by 9p or hostfs, and gets a
 * tmpfs overlay, so that a command may write anywhere and the host sees nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"

#define P9_OPTS		"trans=virtio,version=9p2000.L,msize=512000"
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct mnt {
	const char *what, *where, *type, *opts;
	unsigned long flags;
	bool optional;
};

static const struct mnt early[] = {
	{ "proc", "/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false },
	{ "sysfs", "/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false },
	{ "devtmpfs", "/dev", "devtmpfs", "mode=0755", MS_NOSUID, false },
};

static const struct mnt fresh[] = {
	{ "tmpfs", NEW_ROOT "/tmp", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, false },
	{ "tmpfs", NEW_ROOT "/run", "tmpfs", "mode=0755", MS_NOSUID | MS_NODEV, false },
};

static const struct mnt late[] = {
	{ "tmpfs", "/dev/shm", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, false },
	{ "devpts", "/dev/pts", "devpts", "gid=5,mode=620,ptmxmode=666", MS_NOSUID, false },
	{ "debugfs", "/sys/kernel/debug", "debugfs", NULL, 0, true },
	{ "tracefs", "/sys/kernel/tracing", "tracefs", NULL, 0, true },
	{ "configfs", "/sys/kernel/config", "configfs", NULL, 0, true },
	{ "cgroup2", "/sys/fs/cgroup", "cgroup2", NULL, 0, true },
};

void mkdir_p(const char *path)
{
	char buf[PATH_MAX];

	snprintf(buf, sizeof(buf), "%s", path);
	for (char *p = buf + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(buf, 0755);
		*p = '/';
	}
	mkdir(buf, 0755);
}

static void mount_all(const struct mnt *m, size_t n)
{
	for (; n; n--, m++) {
		mkdir_p(m->where);
		if (mount(m->what, m->where, m->type, m->flags, m->opts) && !m->optional)
			die("cannot mount %s: %m", m->where);
	}
}

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		say("%s: %m", path);
	close(fd);
}

void setup_early(void)
{
	mount_all(early, ARRAY_SIZE(early));
}

static void module_load(const char *path, const char *args)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (syscall(SYS_finit_module, fd, args, 0) && errno != EEXIST))
		die("cannot load %s%s%s: %m", path, *args ? " " : "", args);
	close(fd);
}

/* /mods/order lists what the root and the ports need, dependencies first */
void setup_boot_modules(void)
{
	char *list = read_file("/mods/order", NULL), *save, *name;

	for (name = strtok_r(list, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "/mods/%s", name);
		module_load(path, "");
		unlink(path);
	}
	free(list);
}

/*
 * The working directory stays visible where a fresh tmpfs would cover it:
 * people build and run below /tmp. Another root does not have it, and there it
 * is a share, which is mounted over the tmpfs.
 */
static bool covered(const char *cwd)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), NEW_ROOT "%s", cwd);
	return (!strncmp(cwd, "/tmp/", 5) || !strncmp(cwd, "/run/", 5)) && !access(path, F_OK);
}

static void save_cwd(const struct job *job)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), NEW_ROOT "%s", job->cwd);
	mkdir_p("/cwd");
	if (mount(path, "/cwd", NULL, MS_BIND, NULL))
		die("cannot keep %s: %m", job->cwd);
}

static void restore_cwd(const struct job *job)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), NEW_ROOT "%s", job->cwd);
	mkdir_p(path);
	if (mount("/cwd", path, NULL, MS_MOVE, NULL))
		die("cannot restore %s: %m", job->cwd);
}

static void copy_file(const char *from, const char *to)
{
	size_t len;
	char *buf = read_file(from, &len), *p = buf;
	int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		die("cannot create %s: %m", to);
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n <= 0)
			die("cannot write %s: %m", to);
		p += n;
		len -= n;
	}
	close(fd);
	free(buf);
}

/* Leave modules and their parameters where a test can load them again */
static void lay_down_modules(const struct job *job)
{
	mkdir_p(NEW_ROOT MODULE_DIR);
	for (unsigned int i = 0; i < job->nr_modules; i++) {
		const struct module *m = &job->modules[i];
		char from[PATH_MAX], to[PATH_MAX];
		FILE *f;

		snprintf(from, sizeof(from), "/job/%s", m->file);
		snprintf(to, sizeof(to), NEW_ROOT MODULE_DIR "/%s", m->file);
		copy_file(from, to);
		unlink(from);
		strncat(to, ".args", sizeof(to) - strlen(to) - 1);
		f = fopen(to, "we");
		if (!f || fprintf(f, "%s\n", m->args) < 0 || fclose(f))
			die("cannot write %s: %m", to);
	}
}

static void mount_shares(const struct job *job)
{
	for (unsigned int i = 0; i < job->nr_shares; i++) {
		const struct share *s = &job->shares[i];
		const char *opts = s->path;	/* hostfs: which path of the host */
		char path[PATH_MAX];

		snprintf(path, sizeof(path), NEW_ROOT "%s", s->path);
		mkdir_p(path);
		/* cache=mmap: the host sees writes when they happen, mmap works */
		if (!strcmp(job->root_type, "9p"))
			opts = s->writable ? P9_OPTS ",cache=mmap" : P9_OPTS ",cache=loose";
		if (mount(s->tag, path, job->root_type, s->writable ? 0 : MS_RDONLY, opts))
			die("cannot mount %s: %m", s->path);
	}
}

static void mount_host_dirs(const struct job *job)
{
	for (unsigned int i = 0; i < job->nr_host_dirs; i++) {
		const struct host_dir *d = &job->host_dirs[i];

		mkdir_p(d->where);
		if (mount("host", d->where, "hostfs", MS_RDONLY, d->path))
			die("cannot mount %s: %m", d->where);
	}
}

static void switch_root(void)
{
	static const char * const keep[] = { "/proc", "/sys", "/dev" };

	for (size_t i = 0; i < ARRAY_SIZE(keep); i++) {
		char path[64];

		snprintf(path, sizeof(path), NEW_ROOT "%s", keep[i]);
		mkdir_p(path);
		if (mount(keep[i], path, NULL, MS_MOVE, NULL))
			die("cannot move %s: %m", keep[i]);
	}
	if (chdir(NEW_ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		die("cannot switch root: %m");
}

static void net_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* The kernel that tests run on has no IPv4 */
	if (fd < 0 ? errno != EAFNOSUPPORT : ioctl(fd, SIOCSIFFLAGS, &ifr))
		say("lo: %m");
	if (fd >= 0)
		close(fd);
	if (sethostname("vkfd", 4))
		say("hostname: %m");
}

void setup_root(const struct job *job)
{
	bool keep;

	mkdir_p("/lower");
	mkdir_p("/rw");
	mkdir_p(NEW_ROOT);
	if (mount("hostroot", "/lower", job->root_type, MS_RDONLY, job->root_opts))
		die("cannot mount the root: %m");
	if (mount("tmpfs", "/rw", "tmpfs", 0, "mode=0755"))
		die("cannot mount the overlay's tmpfs: %m");
	mkdir_p("/rw/upper");
	mkdir_p("/rw/work");
	if (mount("overlay", NEW_ROOT, "overlay", 0,
		  "lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work,index=off,xino=off"))
		die("cannot mount the overlay: %m");

	keep = covered(job->cwd);
	if (keep)
		save_cwd(job);
	mount_all(fresh, ARRAY_SIZE(fresh));
	if (keep)
		restore_cwd(job);
	mount_shares(job);
	lay_down_modules(job);
	switch_root();
	mount_all(late, ARRAY_SIZE(late));
	if (symlink("/proc/self/fd", "/dev/fd") || symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") || symlink("/proc/self/fd/2", "/dev/stderr"))
		say("/dev links: %m");
	mount_host_dirs(job);
	if (job->nr_host_dirs)
		caches_show();
	put_file("/proc/sys/kernel/sysrq", "1");
	net_up();
}

/*
 * No udev runs here, so nothing would give the nodes the group and mode that
 * a distribution gives them. Anybody may use them, as in a container.
 */
static void open_nodes(void)
{
	DIR *dir = opendir("/dev/dri");
	struct dirent *d;

	chmod("/dev/kfd", 0666);
	if (!dir)
		return;
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.')
			fchmodat(dirfd(dir), d->d_name, 0666, 0);
	closedir(dir);
}

void setup_modules(const struct job *job)
{
	for (unsigned int i = 0; i < job->nr_modules; i++) {
		const struct module *m = &job->modules[i];
		char path[PATH_MAX];

		if (!m->load)
			continue;
		snprintf(path, sizeof(path), MODULE_DIR "/%s", m->file);
		module_load(path, m->args);
	}
	open_nodes();
}

/* What the command wrote to a share is on the host before the result is told */
void setup_teardown(const struct job *job)
{
	sync();
	if (chdir("/"))
		say("chdir: %m");
	for (unsigned int i = job->nr_shares; i--;)
		if (umount2(job->shares[i].path, 0) && job->shares[i].writable)
			say("cannot unmount %s: %m", job->shares[i].path);
}
