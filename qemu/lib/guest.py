# SPDX-License-Identifier: MIT
"""One guest: its life, and the streams to and from it. What carries it is a
subclass: tcg.py (QEMU) or uml.py (User Mode Linux).

The guest has five ports: out, err, log (kernel log records), in (see
qemu/init/run.c for its framing) and result. The result says how many bytes of
out and err there are, so a lost byte is noticed."""

import ctypes
import fcntl
import os
import selectors
import signal
import socket
import struct
import subprocess
import termios
import time

PORTS = ["result", "out", "err", "log", "in"]
CHUNK = 1 << 16
DUMP_WAIT = 2.0
PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Also undone by a set-uid exec, which neither vm nor QEMU is."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def memory_file(name, data=b""):
    f = os.fdopen(os.memfd_create(name), "w+b")
    f.write(data)
    f.flush()
    return f


def contents(f):
    f.seek(0)
    return f.read()


class Result:
    """What came back. how is None unless the guest told its result."""

    def __init__(self):
        self.how = None
        self.status = None
        self.taint = 0
        self.failure = None     # the guest's init says why it could not run the command
        self.timed_out = False
        self.short_output = False
        self.records = b""      # kernel log records, see relay_kmsg()
        self.times = {}


class Guest:
    """Run a guest to its end; see Result. Its files are in memory, so that
    nothing is left even if vm is killed. A subclass says:

    KERNEL_ARGS     its kernel command line
    clock()         more of it: what the kernel cannot find out on a busy host
    BOOT_MODULES    what the root and the ports need
    INPUT_CHUNK     bytes of standard input at a time; with INPUT_ACKS the first waits
                    until the guest is ready, each other until the last is taken
    EXTRA_PORTS     streams besides PORTS that the host only reads
    job(opts, modules)  lines of the job, see qemu/init/job.c; where the kernel's modules are
    root(path)      the job's root: file system and its options
    image(path)     the file to start, for a kernel of kernel.find()
    _arguments()    the command
    """

    INPUT_CHUNK = CHUNK // 4
    INPUT_ACKS = False
    EXTRA_PORTS = []

    clock = staticmethod(str)

    @staticmethod
    def job(_opts, _modules):
        return []

    def __init__(self, kernel, initrd, opts):
        self.opts = opts
        self.initrd = memory_file("initrd", initrd)
        self.serial = memory_file("serial")         # the console
        self.messages = memory_file("messages")     # the emulator's own
        self.result = Result()
        self.received = {"out": 0, "err": 0}
        self.expected = None
        self.line = b""
        self.stdin_fd = None
        self.to_guest = b""
        self.taken = True           # the last chunk of standard input
        self.listening = not self.INPUT_ACKS
        self.start = time.monotonic()
        self.host = {}
        self.process = self._spawn(kernel)

    def _spawn(self, kernel):
        fds, ends = {}, []
        for name in PORTS + self.EXTRA_PORTS:
            self.host[name], end = socket.socketpair()
            ends.append(end)
            fds[name] = end.fileno()
        # timeout(1) is the net below this process's own clock
        args = ["timeout", "-k", "5", str(int(self.opts.timeout) + 30),
                *self._arguments(kernel, fds)]
        keep = [*fds.values(), self.initrd.fileno(), self.serial.fileno()]
        process = subprocess.Popen(args, pass_fds=keep, stdin=subprocess.DEVNULL,
                                   stdout=self.messages, stderr=self.messages,
                                   preexec_fn=die_with_parent)
        for end in ends:
            end.close()
        return process

    def stop(self):
        if self.process.poll() is None:
            self._end()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def _end(self):
        self.process.terminate()        # timeout passes it on

    def _mark(self, what):
        self.result.times[what] = time.monotonic() - self.start

    def _told(self, line):
        words = line.decode(errors="replace").split()
        if words[:1] == ["ready"]:
            self._mark("ready")
            self.listening = True
        elif words[:1] == ["took"]:
            self.taken = True
        elif words[:1] == ["failed"]:
            self.result.failure = line.decode(errors="replace").partition(" ")[2]
        elif len(words) == 5:
            self._mark("result")
            self.result.how, self.result.status = words[0], int(words[1])
            self.expected = {"out": int(words[2]), "err": int(words[3])}
            self.result.taint = int(words[4])

    def _receive(self, name):
        data = self.host[name].recv(CHUNK)
        if name == "result":
            *lines, self.line = (self.line + data).split(b"\n")
            for line in lines:
                self._told(line)
        elif name == "log":
            self.result.records += data
        elif name == "console":
            self.serial.write(data)
            self.serial.flush()
        else:
            self.received[name] += len(data)
            write_all(1 if name == "out" else 2, data)
        return bool(data)

    def _read_stdin(self):
        data = os.read(self.stdin_fd, self.INPUT_CHUNK)
        self.taken = not self.INPUT_ACKS
        self.to_guest += struct.pack("<I", len(data)) + data
        if not data:
            self.stdin_fd = None

    def _send_input(self):
        try:
            self.to_guest = self.to_guest[self.host["in"].send(self.to_guest):]
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            pass

    def _complete(self):
        return self.expected is not None and self.received == self.expected

    def _watch(self, selector):
        """Which side of standard input can move now?"""
        wanted = {}
        if self.to_guest and self.listening:
            wanted[self.host["in"]] = selectors.EVENT_WRITE
        elif self.stdin_fd is not None and self.taken:
            wanted[self.stdin_fd] = selectors.EVENT_READ
        for key in list(selector.get_map().values()):
            if key.data in ("stdin", "in") and key.fileobj not in wanted:
                selector.unregister(key.fileobj)
        for fileobj, events in wanted.items():
            if fileobj not in selector.get_map():
                selector.register(fileobj, events, "in" if fileobj is self.host["in"] else "stdin")

    def run(self, stdin_fd):
        """Relay until the result and all output are here, the guest is gone, or time is up."""
        # poll, since epoll takes no regular file
        selector = selectors.PollSelector()
        readable = PORTS[:-1] + self.EXTRA_PORTS
        for name in readable:
            selector.register(self.host[name], selectors.EVENT_READ, name)
        self.host["in"].setblocking(False)
        self.stdin_fd = stdin_fd
        if stdin_fd is None:
            self.to_guest = struct.pack("<I", 0)
        deadline = self.start + self.opts.timeout
        open_ports = len(readable)
        while open_ports and not self._complete():
            left = deadline - time.monotonic()
            if left <= 0:
                self.result.timed_out = self.expected is None
                break
            self._watch(selector)
            for key, _ in selector.select(left):
                if key.data == "stdin":
                    self._read_stdin()
                elif key.data == "in":
                    self._send_input()
                elif not self._receive(key.data):
                    selector.unregister(key.fileobj)
                    open_ports -= 1
        self._drain_log(DUMP_WAIT if self._ask_for_dump() else 0.05)
        self.stop()
        self.result.short_output = self.expected is not None and not self._complete()
        self._mark("end")
        return self.result

    def _ask_for_dump(self):
        """A guest that is late may still say what it waits for."""
        if not self.result.timed_out or "ready" not in self.result.times:
            return False
        try:
            self.host["result"].send(b"dump\n")
        except OSError:
            return False
        return True

    def _drain_log(self, quiet):
        """Read until the log has been quiet for so many seconds; the log's
        last records were sent before the result."""
        self.host["log"].settimeout(quiet)
        try:
            while self._receive("log"):
                pass
        except (TimeoutError, ConnectionResetError):
            pass


def write_all(fd, data):
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view):]
        except BlockingIOError:     # somebody made our stdout non-blocking
            wait_writable(fd)


def wait_writable(fd):
    with selectors.PollSelector() as selector:
        selector.register(fd, selectors.EVENT_WRITE)
        selector.select()


def window_size(fd):
    rows, cols, _, _ = struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, b"\0" * 8))
    return rows, cols
