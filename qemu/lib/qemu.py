# SPDX-License-Identifier: MIT
"""A guest in QEMU, by TCG or KVM: the root by 9p, ports by virtio."""

import accel
import kernel
import tsc
from guest import Guest


class Qemu(Guest):
    # oops=panic: a visible end instead of a limping guest. The limits are generous
    # because a busy host may not run the guest for many seconds.
    KERNEL_ARGS = ("console=ttyS0 loglevel=5 printk.time=1 log_buf_len=4M panic=-1 oops=panic "
                   "tsc=reliable no_timer_check random.trust_cpu=on watchdog_thresh=30 "
                   "softlockup_panic=1 sysctl.kernel.hung_task_timeout_secs=60 rcupdate.rcu_cpu_stall_timeout=60")
    BOOT_MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console"]

    image = staticmethod(kernel.vmlinux)
    clock = staticmethod(tsc.argument)

    @staticmethod
    def root(_path):
        return "9p trans=virtio,version=9p2000.L,msize=512000,cache=loose"

    def _accelerator(self):
        kind, *rest = accel.ARGUMENTS["tcg"][1:]
        return ["-accel", f"{kind},thread={'multi' if self.opts.parallel else 'single'}", *rest]

    def _numa(self):
        o = self.opts
        if not o.numa:
            return []
        mbytes = int(o.mem[:-1]) * {"M": 1, "G": 1024}[o.mem[-1]] // len(o.numa)
        # pc wants all of the memory to be some node's
        # CPUs of one socket would share a cache, and so be of one node
        args, first = ["-m", f"{mbytes * len(o.numa)}M", "-smp", f"{o.smp},sockets={o.smp}"], 0
        for node, cpus in enumerate(o.numa):
            place = f",cpus={first}-{first + cpus - 1}" if cpus else ""
            args += ["-object", f"memory-backend-ram,id=numa{node},size={mbytes}M",
                     "-numa", f"node,nodeid={node},memdev=numa{node}{place}"]
            first += cpus
        return args

    def _arguments(self, vmlinux, fds):
        o = self.opts
        args = [accel.QEMU, *self._accelerator(), "-name", "vkfd", "-nodefaults", "-display", "none",
                "-no-reboot", "-machine", "pc,hpet=off", "-smp", str(o.smp), "-m", o.mem,
                "-kernel", vmlinux, "-initrd", f"/dev/fd/{self.initrd.fileno()}", "-append", o.append,
                "-chardev", f"file,id=serial,path=/dev/fd/{self.serial.fileno()}", "-serial", "chardev:serial",
                "-device", "virtio-serial-pci,max_ports=8"]
        args += self._numa()
        for name, fd in fds.items():
            args += ["-chardev", f"socket,id={name},fd={fd}",
                     "-device", f"virtserialport,chardev={name},name=vkfd.{name}"]
        for tag, path, writable in o.mounts:
            args += ["-virtfs", f"local,path={path.replace(',', ',,')},mount_tag={tag},"
                     "security_model=none,multidevs=remap" + ("" if writable else ",readonly=on")]
        return args


class Kvm(Qemu):
    # The kernel looks itself whether the TSC is to be relied upon
    KERNEL_ARGS = Qemu.KERNEL_ARGS.replace(" tsc=reliable", "")
    clock = staticmethod(str)

    def _accelerator(self):
        return accel.ARGUMENTS["kvm"]
