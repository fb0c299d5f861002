#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/report-hardware: what it tells of a machine, and what it must not."""

import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../..")
LOADER = importlib.machinery.SourceFileLoader("report_hardware",
                                              os.path.join(TOP, "scripts/report-hardware"))
rh = importlib.util.module_from_spec(importlib.util.spec_from_loader("report_hardware", LOADER))
LOADER.exec_module(rh)

FILES = {
    "etc/os-release": 'NAME="X"\nPRETTY_NAME="X GNU/Linux 1"\n',
    "sys/module/amdgpu/version": "6.10.5\n",
    "sys/module/amdgpu/parameters/user_queue": "-1\n",
    "sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 4\nsimd_count 0\n",
    "sys/class/kfd/kfd/topology/nodes/1/properties":
        "simd_count 440\ngfx_target_version 90010\nfw_version 78\ndrm_render_minor 128\n"
        "unique_id 987654321987\nlocation_id 768\n",
    "sys/class/kfd/kfd/topology/nodes/1/name": "aldebaran\n",
    "sys/class/kfd/kfd/topology/nodes/10/properties": "no numbers\nsimd_count x\n",
    "sys/class/drm/renderD128/device/device": "0x740f\n",
    "sys/class/drm/renderD128/device/unique_id": "deadbeef12345678\n",
    "sys/class/drm/renderD128/device/serial_number": "SN0815\n",
}


class ReportHardware(unittest.TestCase):
    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.addCleanup(self.tmp.cleanup)
        self.root = self.tmp.name
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path, text, mode=0o644):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)

    def test_versions_and_no_more(self):
        text = "\n".join(rh.report(self.root, self.root, []))
        for wanted in ("X GNU/Linux 1", "version: 6.10.5", "user_queue: -1", "name: aldebaran",
                       "gfx_target_version: 90010", "fw_version: 78", "device.device: 0x740f",
                       "node 10: ValueError", "kernel: " + os.uname().release):
            self.assertIn(wanted, text)
        for private in ("987654321987", "deadbeef12345678", "SN0815", "location_id"):
            self.assertNotIn(private, text)
        self.assertNotIn("GPU of node 0", text)

    def test_no_gpu(self):
        self.assertEqual(rh.gpus(os.path.join(self.root, "etc")), ["no GPU in the topology"])

    def test_programs(self):
        self.write("t/good", "#!/bin/sh\necho ok 1 - a\n", 0o755)
        self.write("t/bad", "#!/bin/sh\necho not ok 1; echo oops >&2; exit 3\n", 0o755)
        self.write("t/hangs", "#!/bin/sh\necho begun\nexec sleep 60\n", 0o755)
        self.write("t/script", "no program\n", 0o644)
        out = rh.run_tests(os.path.join(self.root, "t"), ["good", "bad", "script", "none"], 60)
        self.assertEqual(out, ["# program good", "ok 1 - a", "# exit status 0", "# program bad",
                               "not ok 1", "oops", "# exit status 3", "# program script",
                               "# is not there", "# program none", "# is not there"])
        self.assertEqual(rh.run_tests(os.path.join(self.root, "t"), ["hangs"], 1)[-1],
                         "# did not end within 1 s")

    def test_names_are_struck_out(self):
        words = [("/home/jane", "HOME"), ("janes-box", "HOST"), ("jane", "USER")]
        lines = ["janes-box: in /home/jane/x by jane", "janet 00:1a:2b:3c:4d:5e", "ok 1 - janes-boxes"]
        self.assertEqual(rh.scrub(lines, words),
                         ["<HOST>: in <HOME>/x by <USER>", "janet <MAC>", "ok 1 - janes-boxes"])
        self.assertNotIn("/", [word for word, _ in rh.private_words()])


if __name__ == "__main__":
    unittest.main()
