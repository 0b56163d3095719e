"""Records programs: `record_check.py SOMA RECORDED` (tests/programs/recorded.cpp)."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

RECORDED = os.path.abspath(sys.argv.pop(2))
SOMA = os.path.abspath(sys.argv.pop(1))


class Record(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = self.folder.name

    def record(self, scenario, *options, output="t.csv"):
        return subprocess.run([SOMA, "record", "-o", output, *options, "--", RECORDED, scenario], cwd=self.path,
                              capture_output=True, text=True, timeout=100)

    def rows(self, name="t.csv"):
        """The rows without their times, which must not go back."""
        with open(os.path.join(self.path, name)) as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "op,id,bytes,stream,time_us")
        fields = [line.split(",") for line in lines[1:]]
        times = [int(row[4]) for row in fields]
        self.assertEqual(times, sorted(times))
        return [",".join(row[:4]) for row in fields]

    def test_the_c_interface(self):
        done = self.record("c_interface")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(self.rows(), ["malloc,1,1000,0", "malloc,2,2000,1", "free,1,1000,1", "free,2,2000,1",
                                       "sync,0,0,-1"])
        self.assertIn("t.csv: 2 mallocs, 2 frees and 1 synchronise on 2 streams; at most 2.93 KiB requested", done.stderr)
        replayed = subprocess.run([SOMA, "replay", "t.csv"], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)

    def test_synchronises(self):
        self.record("synchronizes")
        self.assertEqual(self.rows(), ["malloc,1,1,0", "malloc,2,2,1", "free,1,1,0", "sync,0,0,-1", "free,2,2,1"])

    def test_pools_of_several_devices(self):
        self.record("pools")
        # The first synchronise has seen only one of the two devices.
        self.assertEqual(self.rows(), ["malloc,1,1,0", "malloc,2,2,1", "malloc,3,3,1", "sync,0,0,-1"])
        done = self.record("pools", output="p%p-%d%%.csv")
        self.assertEqual(self.rows("p1-1%.csv"), ["malloc,1,1,0", "sync,0,0,-1"])
        self.assertEqual(self.rows("p2-0%.csv"), ["malloc,1,2,0", "sync,0,0,-1"])
        self.assertEqual(self.rows("p3-0%.csv"), ["malloc,1,3,0", "sync,0,0,-1"])
        self.assertEqual(done.stderr.count("1 malloc,"), 3, done.stderr)
        self.record("pools", output="d%d.csv")
        self.assertEqual(self.rows("d0.csv"), ["malloc,1,2,0", "malloc,2,3,0", "sync,0,0,-1"])

    def test_calls_that_fail_leave_no_row(self):
        self.record("refused")
        self.assertEqual(self.rows(), ["malloc,1,100,0", "free,1,100,1"])

    def test_threads(self):
        done = self.record("threads")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("12,000 mallocs, 12,000 frees", done.stderr)
        # Each address goes to the next only when it was freed: no more blocks are live than there are threads.
        live = peak = 0
        for row in self.rows():
            live += {"malloc": 1, "free": -1}.get(row.split(",")[0], 0)
            peak = max(peak, live)
        self.assertLessEqual(peak, 4)

    # A lock of AddressSanitizer's allocator that another thread has at the fork stays locked in the child.
    @unittest.skipIf("address" in os.environ.get("SOMA_SANITIZE", ""), "no fork of a process with threads")
    def test_a_fork_does_not_write_twice(self):
        self.record("forks")
        self.assertEqual(self.rows(), ["malloc,1,1,0", "free,1,1,0"])

    def test_what_was_written_before_a_crash_is_whole(self):
        done = self.record("aborts")
        self.assertEqual(done.returncode, 128 + signal.SIGABRT)
        self.assertGreaterEqual(len(self.rows()), 4000)
        self.assertIn("mallocs", done.stderr)

    def test_without_the_variable_nothing_is_written(self):
        environment = {name: value for name, value in os.environ.items() if name != "SOMA_RECORD"}
        for value in (None, ""):
            done = subprocess.run([RECORDED, "refused"], cwd=self.path, capture_output=True, text=True,
                                  env=environment if value is None else {**environment, "SOMA_RECORD": value})
            self.assertEqual((done.returncode, done.stderr, os.listdir(self.path)), (7, "", []))

    def test_the_program_goes_on_where_nothing_can_be_written(self):
        for name, told in (("/no/such/t.csv", "No such file or directory"), ("/dev/full", "No space left on device"),
                           (".", "Is a directory")):
            done = self.record("refused", output=name)
            self.assertEqual(done.returncode, 7)
            self.assertRegex(done.stderr, re.escape(name) + " cannot be written: " + told +
                             "; the program goes on, but is not recorded\n")
            self.assertEqual(done.stderr.count("SOMA_RECORD"), 1)
        done = self.record("refused", output="t%x")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr, 'SOMA_RECORD is ".*/t%x": after % there can be d')

    def test_two_processes_cannot_share_a_file(self):
        script = f'"{RECORDED}" refused & "{RECORDED}" threads; wait'
        environment = {**os.environ, "SOMA_RECORD": "%i.csv"}
        subprocess.run(["sh", "-c", script], cwd=self.path, env=environment, capture_output=True)
        self.assertEqual(len(os.listdir(self.path)), 2)
        import fcntl
        with open(os.path.join(self.path, "held.csv"), "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            done = self.record("refused", output="held.csv")
        self.assertIn("another process is recording to it", done.stderr)

    def test_wrong_usage(self):
        self.assertEqual(subprocess.run([SOMA, "record"], capture_output=True).returncode, 2)
        done = subprocess.run([SOMA, "record", "--", "/no/such/program"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "soma: /no/such/program: cannot be run: No such file or directory\n"))
        done = subprocess.run([SOMA, "record", "-o", os.path.join(self.path, "t"), "--", "true"], capture_output=True,
                              text=True)
        self.assertIn("nothing was recorded", done.stderr)

    def test_the_file_is_where_the_user_is(self):
        inner = os.path.join(self.path, "a%b")
        os.mkdir(inner)
        subprocess.run([SOMA, "record", "-o", "%p.csv", "--", "sh", "-c", f'cd / && "{RECORDED}" refused'], cwd=inner,
                       capture_output=True)
        self.assertEqual(os.listdir(inner), ["1.csv"])

    def test_options_of_the_program_are_its_own(self):
        done = subprocess.run([SOMA, "record", "--quiet", "--", "echo", "-o", "--help"], cwd=self.path,
                              capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("-o --help\n", ""))


if __name__ == "__main__":
    unittest.main()
