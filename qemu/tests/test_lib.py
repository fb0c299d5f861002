#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The libraries of vm and of the runners: TAP, splats, logs, archives."""

import os
import platform
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../../scripts/lib")]

import initrd   # noqa: E402
import kcsan    # noqa: E402
import kernel   # noqa: E402
import kmemleak # noqa: E402
import log      # noqa: E402
import runner   # noqa: E402
import splat    # noqa: E402
import tap      # noqa: E402
import tsc      # noqa: E402


def counts(text, status=0):
    suite = tap.parse("t", text, status)
    return suite.count(tap.PASS), suite.count(tap.FAIL), suite.count(tap.SKIP)


class Tap(unittest.TestCase):
    def test_good(self):
        self.assertEqual(counts("TAP version 13\n1..2\nok 1 - a\nok 2 - b # SKIP no gpu\n"), (1, 0, 1))

    def test_ktap_with_subtests(self):
        self.assertEqual(counts("KTAP version 1\n1..1\n    1..2\n    ok 1 x\n    not ok 2 y\nok 1 a\n"),
                         (1, 0, 0))

    def test_silence_fails(self):
        self.assertEqual(counts(""), (0, 1, 0))

    def test_no_plan_fails(self):
        self.assertEqual(counts("ok 1 - a\n"), (1, 1, 0))

    def test_short_count_fails(self):
        self.assertEqual(counts("1..3\nok 1 - a\nok 2 - b\n"), (2, 1, 0))

    def test_long_count_fails(self):
        self.assertEqual(counts("1..1\nok 1 - a\nok 2 - b\n")[1], 1)

    def test_wrong_number_fails(self):
        self.assertEqual(counts("1..2\nok 1 - a\nok 3 - b\n")[1], 1)

    def test_bail_out_fails(self):
        self.assertEqual(counts("1..1\nok 1 - a\nBail out! no device\n")[1], 1)

    def test_status_contradicts(self):
        self.assertEqual(counts("1..1\nok 1 - a\n", 1), (1, 1, 0))
        self.assertEqual(counts("1..1\nok 1 - a\n", -11), (1, 1, 0))
        self.assertEqual(counts("1..1\nnot ok 1 - a\n", 1), (0, 1, 0))

    def test_all_skipped_is_not_ok(self):
        suite = tap.parse("t", "1..0 # SKIP no gpu\n", 4)
        self.assertEqual(suite.count(tap.SKIP), 1)
        self.assertFalse(tap.ok([suite]))

    def test_summary(self):
        suites = [tap.parse("a", "1..1\nok 1 x\n"), tap.parse("b", "1..1\nnot ok 1 y\n")]
        self.assertEqual(tap.summary(suites), "1 passed, 1 failed")


class Again(unittest.TestCase):
    """What runs of one program say, the first of which failed."""

    @staticmethod
    def outcomes(texts):
        for text in texts:
            outcome = runner.Outcome("t")
            outcome.suite = tap.parse("t", text)
            yield outcome

    def tried(self, *texts, times=2):
        outcomes = self.outcomes(texts)
        first = next(outcomes)
        runner.try_again(first, lambda: next(outcomes), times)
        return [r[0] for r in first.suite.results], first.unsteady

    GOOD = "1..2\nok 1 - a\nok 2 - b\n"
    BAD = "1..2\nok 1 - a\nnot ok 2 - b\n"

    def test_unsteady(self):
        self.assertEqual(self.tried(self.BAD, self.GOOD, self.GOOD), ([tap.PASS, tap.SKIP], True))

    def test_fails_again(self):
        self.assertEqual(self.tried(self.BAD, self.GOOD, self.BAD), ([tap.PASS, tap.FAIL], False))
        self.assertEqual(self.tried(self.BAD, "1..1\nnot ok 1 - a\n"), ([tap.PASS, tap.FAIL], False))

    def test_only_if_asked(self):
        self.assertEqual(self.tried(self.BAD, times=0), ([tap.PASS, tap.FAIL], False))

    def test_whole_program_is_not_excused(self):
        self.assertEqual(self.tried("1..2\nok 1 - a\n", self.GOOD, self.GOOD),
                         ([tap.PASS, tap.FAIL], False))

    def test_success_is_not_run_again(self):
        self.assertEqual(self.tried(self.GOOD), ([tap.PASS, tap.PASS], False))


class Splat(unittest.TestCase):
    def test_kinds(self):
        for line, kind in [
                ("BUG: kernel NULL pointer dereference, address: 0000000000000000", "bug"),
                ("BUG: KASAN: use-after-free in foo+0x1/0x2", "bug"),
                ("WARNING: CPU: 0 PID: 88 at fs/foo.c:12 foo+0x1/0x2", "warning"),
                ("WARNING: possible circular locking dependency detected", "warning"),
                ("UBSAN: shift-out-of-bounds in a.c:1:2", "undefined behaviour"),
                ("refcount_t: underflow; use-after-free.", "refcount"),
                ("INFO: task foo:12 blocked for more than 120 seconds.", "hung task"),
                ("rcu: INFO: rcu_preempt self-detected stall on CPU", "rcu stall"),
                ("watchdog: BUG: soft lockup - CPU#0 stuck for 22s!", "bug"),
                ("general protection fault, probably for non-canonical address", "oops"),
                ("vkfd: 3 buffer objects leaked", "leak"),
                ("int3: 0000 [#1] PREEMPT SMP NOPTI", "oops"),
        ]:
            self.assertEqual(splat.kind(line), kind, line)

    def test_harmless(self):
        for line in ["RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable",
                     "vkfd: module verification failed: signature missing",
                     "debug: unmapping init memory", "rcu: Hierarchical RCU implementation."]:
            self.assertIsNone(splat.kind(line), line)

    def test_full_cgroup(self):
        start = ["vkfd-fault/64 invoked oom-killer: gfp_mask=0x440dc0(GFP_KERNEL_ACCOUNT)",
                 "Call Trace:", " dump_stack_lvl+0xd9/0x108"]
        end = "oom-kill:constraint=%s,nodemask=(null),oom_memcg=/a,task=a,pid=64,uid=0"
        self.assertEqual(splat.find(start + [end % "CONSTRAINT_MEMCG"]), [])
        self.assertEqual(splat.find(start + [end % "CONSTRAINT_NONE"]), [(1, "stack trace")])
        self.assertEqual(splat.find(start), [(1, "stack trace")])
        nobody = "Out of memory and no killable processes..."
        usage = "memory: usage 65536kB, limit 65536kB, failcnt 4011"
        self.assertEqual(splat.find(start + [usage, nobody]), [])
        self.assertEqual(splat.find(start + [nobody]), [(1, "stack trace")])
        self.assertEqual(splat.find(start[1:] + [end % "CONSTRAINT_MEMCG"]), [(0, "stack trace")])

    def test_taint(self):
        self.assertEqual(splat.taints(1 << 12 | 1 << 13), [])
        self.assertEqual(splat.taints(1 << 9 | 1 << 12), ["warning"])

    def test_text_poke_is_one_signature(self):
        self.assertTrue(log.is_text_poke(["[    3.000000] int3: 0000 [#1] PREEMPT SMP NOPTI"]))
        site = ["[   60.000000] RIP: 0010:__schedule+0x91/0xa00",
                "[   60.000000] Code: 02 48 8b 75 08 0f 84 be 05 00 00 <0f> 1f 44 00 00 0f 1f 44"]
        stall = ["[   60.000000] rcu: INFO: rcu_preempt self-detected stall on CPU"]
        self.assertTrue(log.is_text_poke(stall + site))
        self.assertFalse(log.is_text_poke(site))
        self.assertFalse(log.is_text_poke(stall + [site[0].replace("__schedule", "cu_run"), site[1]]))
        self.assertFalse(log.is_text_poke(stall + [site[0], site[1].replace("<0f>", "<f3>")]))
        self.assertFalse(log.is_text_poke(["[    3.000000] Oops: 0000 [#1] PREEMPT SMP NOPTI",
                                           "[    3.000000] BUG: soft lockup - CPU#0 stuck"]))


class Kcsan(unittest.TestCase):
    """Which reports of races are ours to look at."""

    @staticmethod
    def report(title, *stack):
        return ["=" * 66, f"BUG: KCSAN: data-race in {title}", "",
                "write to 0xffff888004f0 of 8 bytes by task 7 on cpu 1:", *(f" {f}+0x1/0x2" for f in stack),
                "", "Reported by Kernel Concurrency Sanitizer on:", "=" * 66]

    def test_ours(self):
        lines = self.report("gpu_poke [vkfd] / gpu_peek [vkfd]") + ["ok"]
        self.assertEqual(splat.find(lines), [(1, "data race")])

    def test_ours_below(self):
        lines = self.report("rb_insert_color / rb_next", "rb_insert_color", "gpu_vm_map [vkfd]")
        lines[5] = " gpu_vm_map+0x1/0x2 [vkfd]"
        self.assertEqual([kind for _, kind in splat.find(lines)], ["data race"])

    def test_of_the_kernel_alone(self):
        lines = self.report("dput / lookup_fast", "dput", "vfs_fstatat")
        self.assertEqual(splat.find(lines + ["gpu_poke [vkfd]"]), [])
        self.assertEqual(splat.find(lines + ["BUG: sleeping"]), [(len(lines), "bug")])

    def test_behind_a_stamp(self):
        lines = [f"[   12.345678] {line}" for line in self.report("a [vkfd] / b [vkfd]")]
        self.assertEqual(log.splats(lines), [(1, "data race")])

    def test_ignored(self):
        rows = [(["gpu_peek", "gpu_poke*"], "why")]
        self.assertEqual(kcsan.ignored("gpu_poke_all [vkfd] / gpu_peek [vkfd]", rows), "why")
        self.assertEqual(kcsan.ignored("gpu_peek [vkfd] / gpu_poke+0x3/0x9 [vkfd]", rows), "why")
        self.assertIsNone(kcsan.ignored("gpu_peek [vkfd] / gpu_peek [vkfd]", rows))
        self.assertIsNone(kcsan.ignored("gpu_peek [vkfd]", rows))

    def test_reasons_are_given(self):
        for patterns, reason in kcsan.read_ignored():
            self.assertIn(len(patterns), (1, 2))
            self.assertGreater(len(reason), 20, patterns)


class Log(unittest.TestCase):
    RECORDS = b"6 1.000002 first\n4 12.5 not us\n3 12.000500 second\n"

    def test_merge(self):
        lines = log.merge(self.RECORDS, b"[   12.000500] second\r\n[   13.000000] last breath\r\n")
        self.assertEqual(lines[0], "[    1.000002] first")
        self.assertEqual(lines[2:], ["[   12.000500] second", "--- seen on the console only ---",
                                     "[   13.000000] last breath"])

    def test_dump_is_no_splat(self):
        lines = ["[ 1.000000] fine", "[ 2.000000] sysrq: Show Blocked State", "[ 2.1] Call Trace:"]
        self.assertEqual(log.splats(lines), [])


class Kmemleak(unittest.TestCase):
    OURS = ("unreferenced object 0xffff88800a0b1c00 (size 96):\n"
            "  comm \"debug_nth\", pid 311, jiffies 4294937563 (age 8.5s)\n"
            "  backtrace:\n"
            "    [<ffffffff814b1c5a>] kmalloc_trace+0x2a/0x60\n"
            "    [<ffffffffa0012345>] vkfd_open+0x45/0x120 [vkfd]\n")
    UNLOADED = OURS.replace("vkfd_open+0x45/0x120 [vkfd]", "0xffffffffa0012345")
    OTHERS = OURS.replace("vkfd_open+0x45/0x120 [vkfd]", "drm_open+0x1/0x2 [drm]")
    # Linux 7.2: no addresses
    NEWER = ("unreferenced object 0x652e0900 (size 128):\n"
             "  comm \"kfd_device\", pid 46, jiffies 4294938306\n"
             "  hex dump (first 32 bytes):\n"
             "    00 00 00 00 00 00 00 00 b3 3b 45 00 00 00 00 00  .........;E.....\n"
             "  backtrace (crc f8cd3d39):\n"
             "    __kmalloc_cache_noprof+0x525/0x8c0\n"
             "    vkfd_open+0x45/0x120 [vkfd]\n")

    def test_without_addresses(self):
        self.assertTrue(kmemleak.is_ours(self.NEWER.splitlines()))
        self.assertTrue(kmemleak.is_ours(self.NEWER.replace("vkfd_open+0x45/0x120 [vkfd]", "0x1612a38f5")
                                         .splitlines()))
        self.assertFalse(kmemleak.is_ours(self.NEWER.replace("[vkfd]", "[drm]").splitlines()))

    def test_reports(self):
        reports = kmemleak.objects(self.OURS + self.OTHERS)
        self.assertEqual([len(r) for r in reports], [5, 5])
        self.assertEqual([kmemleak.is_ours(r) for r in reports], [True, False])

    def test_names_are_gone_with_the_module(self):
        self.assertTrue(kmemleak.is_ours(self.UNLOADED.splitlines()))


class Archive(unittest.TestCase):
    def test_cpio_is_aligned_and_ends(self):
        cpio = initrd.Cpio()
        cpio.file("a", b"x")
        data = cpio.finish()
        self.assertEqual(len(data) % 4, 0)
        self.assertTrue(data.startswith(b"070701"))
        self.assertIn(b"TRAILER!!!\0", data)

    def test_newest_kernel(self):
        names = ["6.1.0-9", "6.1.0-56", "6.1.0-41"]
        self.assertEqual(max(names, key=kernel.version_key), "6.1.0-56")


class Tsc(unittest.TestCase):
    def test_frequency(self):
        if platform.machine() != "x86_64":
            self.skipTest("another machine")
        first = tsc.khz()
        self.assertGreater(first, 100000)
        self.assertAlmostEqual(tsc.khz() / first, 1, 2)
        self.assertRegex(tsc.argument(), r"^tsc_early_khz=\d+$")


if __name__ == "__main__":
    unittest.main(verbosity=0)
