# SPDX-License-Identifier: MIT
"""A guest in User Mode Linux: the kernel is a process, the root comes by
hostfs, ports are serial lines on sockets that the kernel inherits."""

import os
import signal

from guest import PORTS, Guest


class Uml(Guest):
    KERNEL_ARGS = ("loglevel=5 printk.time=1 log_buf_len=4M oops=panic softlockup_panic=1 "
                   "watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60")
    BOOT_MODULES = []
    # A serial line of arch um that was full once does not listen any more: less
    # than the 4 KiB of a terminal's buffer are on their way at a time
    INPUT_CHUNK = 2048
    INPUT_ACKS = True
    EXTRA_PORTS = ["console"]

    @staticmethod
    def job(opts, modules):
        """The CPUs are the host's, but this kernel knows nothing of their caches
        and nodes, without which ROCm's runtime does not start: the host tells."""
        lines = ["ports serial", f"hostdir /lib/modules/{os.path.basename(modules)} {modules}"]
        if opts.smp <= os.cpu_count():
            lines.append("hostdir /sys/devices/system /sys/devices/system")
        return lines

    @staticmethod
    def root(path):
        return f"hostfs {path}"

    @staticmethod
    def image(path):
        return path

    def _arguments(self, linux, fds):
        """A line for every port, in the order that qemu/init/init.c opens them.

        Several CPUs want seccomp=on. The kernel would make a directory for its
        control socket and remove it at its end, where it does not stay if the
        kernel is killed; below /proc nothing can be made or removed, and it
        does without."""
        o = self.opts
        args = [linux, f"mem={o.mem}", f"ncpus={o.smp}", "seccomp=on", "uml_dir=/proc/",
                f"initrd=/proc/self/fd/{self.initrd.fileno()}",
                "con=null", f"con0=null,fd:{fds['console']}", "ssl=null"]
        args += [f"ssl{i}=fd:{fds[name]}" for i, name in enumerate(PORTS)]
        return args + o.append.split()

    def _end(self):
        """On SIGTERM the kernel cleans up in the signal's handler, wherever it is, and with
        several CPUs that never ends: timeout would kill it after five seconds. There is nothing
        to clean up, and its user processes die with it. It has left timeout's process group."""
        pid = self.process.pid
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
                for child in f.read().split():
                    os.kill(int(child), signal.SIGKILL)
        except OSError:
            pass        # it is gone
