"""Imports recordings made by Python itself: `import_check.py SOMA`.

Pickles are written by the pickle module in every protocol, and JSON by the json module, so that what soma reads is not
what soma's authors believe these formats to be.
"""

import gzip
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

SOMA = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "soma"

FRAMES = [{"filename": "model.py", "line": 7, "name": "forward"}] * 3


def event(action, addr, size, stream=0, time=None):
    entry = {"action": action, "addr": addr, "size": size, "stream": stream, "frames": list(FRAMES)}
    if time is not None:
        entry["time_us"] = time
    return entry


def snapshot():
    base = 0x7F0000000000
    high = 0xF000000000000000  # needs more than 63 bits
    trace = [
        event("segment_alloc", base, 2097152, 0, 1000),
        event("alloc", base, 1000, 0, 1001),
        event("free_requested", base + 4096, 500, 5, 1010),  # from before
        event("free_completed", base + 4096, 500, 5, 1010),
        event("alloc", high, 70000, 0x5500, 1020),
        event("free_requested", high, 70000, 0x5500, 1030),
        event("alloc", base + 8192, 300, 0, 1040),
        event("free_completed", high, 70000, 0x5500, 1050),
        {"action": "oom", "device_free": 77, "size": 1 << 40, "stream": 0, "frames": [], "time_us": 1060},
        event("snapshot", 0, 0, 0, 1070),
    ]
    return {
        "segments": [
            {"device": 0, "address": base, "total_size": 2097152, "stream": 0, "segment_type": "small",
             "allocated_size": 1512, "active_size": 1512, "is_expandable": False,
             "blocks": [
                 {"address": base, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": FRAMES},
                 {"address": base + 8192, "size": 512, "requested_size": 300, "state": "active_allocated"},
                 {"address": base + 16384, "size": 1024, "requested_size": 900, "state": "active_allocated"},
                 {"address": base + 17408, "size": 1024, "requested_size": 0, "state": "inactive"}]},
            {"device": 1, "address": base, "total_size": 4096, "stream": 0, "blocks": []},
        ],
        "device_traces": [trace, [event("alloc", 1, 4096, 0, 5)]],
        "allocator_settings": {"expandable_segments": False, "garbage_collection_threshold": 0.5, "x": None, "y": -1},
        "external_annotations": [{"name": "step", "stage": "START", "time_us": 1}],
    }


SNAPSHOT_TRACE = """op,id,bytes,stream,time_us
malloc,3,500,1,0
malloc,6,900,0,0
segment_malloc,1,2097152,0,0
malloc,2,1000,0,1
free,3,500,1,10
malloc,4,70000,2,20
free,4,70000,2,30
malloc,5,300,0,40
sync,4,70000,2,50
"""


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_soma(self, content, *options, name="recording"):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return subprocess.run([SOMA, "import", path, *options], capture_output=True, text=True)

    def trace_of(self, content, *options):
        done = self.run_soma(content, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.notes = done.stderr
        path = os.path.join(self.folder.name, "trace.csv")
        with open(path, "w") as file:
            file.write(done.stdout)
        replayed = subprocess.run([SOMA, "replay", path], capture_output=True, text=True)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        return done.stdout

    def error_of(self, content, *options):
        done = self.run_soma(content, *options)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_snapshots_of_every_protocol(self):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with self.subTest(protocol=protocol):
                content = pickle.dumps(snapshot(), protocol)
                self.assertEqual(self.trace_of(content), SNAPSHOT_TRACE)
                self.assertIn("dropped: 1 event of kind oom", self.notes)
                self.assertIn("1 free was done only later", self.notes)
                self.assertEqual(self.trace_of(gzip.compress(content)), SNAPSHOT_TRACE)
                self.assertEqual(self.trace_of(content, "--from", "pytorch-snapshot"), SNAPSHOT_TRACE)

    def test_a_snapshot_of_the_other_device(self):
        self.assertEqual(self.trace_of(pickle.dumps(snapshot()), "--device", "1"),
                         "op,id,bytes,stream,time_us\nsegment_malloc,2,4096,0,0\nmalloc,1,4096,0,0\n")
        self.assertIn("there is no device 2", self.error_of(pickle.dumps(snapshot()), "--device", "2"))

    def test_a_snapshot_without_times(self):
        one = {"device_traces": [[event("alloc", 64, 10), event("free_requested", 64, 10), event("alloc", 64, 20)]]}
        self.assertEqual(self.trace_of(pickle.dumps(one)),
                         "op,id,bytes,stream,time_us\nmalloc,1,10,0,0\nfree,1,10,0,1\nmalloc,2,20,0,2\n")
        self.assertIn("no clock", self.notes)

    def test_pickles_that_are_no_snapshots(self):
        class Evil:
            def __reduce__(self):
                return (os.system, ("touch " + os.path.join(self_folder, "ran"),))

        self_folder = self.folder.name
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            text = self.error_of(pickle.dumps({"device_traces": [], "x": Evil()}, protocol), "--from", "pytorch-snapshot")
            self.assertIn("never done here", text)
            self.assertFalse(os.path.exists(os.path.join(self_folder, "ran")))
        self.assertIn("no device_traces", self.error_of(pickle.dumps({"segments": []})))
        self.assertIn("no device_traces", self.error_of(pickle.dumps([1, 2])))
        self.assertIn("no device was recorded", self.error_of(pickle.dumps({"device_traces": []})))
        self.assertIn("has no allocation", self.error_of(pickle.dumps({"device_traces": [[]]})))
        self.assertIn("event 0 of the device has no action", self.error_of(pickle.dumps({"device_traces": [[3]]})))
        self.assertIn("has no addr", self.error_of(pickle.dumps({"device_traces": [[{"action": "alloc", "addr": "x"}]]})))
        content = pickle.dumps(snapshot())
        for kept in range(2, len(content), 7):
            self.assertRegex(self.error_of(content[:kept]), "byte [0-9]+: .*(ends too early|cut off)")
        self.assertIn("instruction 0x8f", self.error_of(pickle.dumps({"a": {1, 2}})))

    def test_deep_and_circular_pickles(self):
        deep = []
        for _ in range(200):
            deep = [deep]
        loop = {"device_traces": [[event("alloc", 1, 2)]]}
        loop["self"] = loop
        self.trace_of(pickle.dumps({**loop, "deep": deep}))
        self.error_of(b"\x80\x04" + b"]" * 1000000 + b".")

    def test_chrome_traces(self):
        def memory(ts, addr, size, total=None, device=0, kind=1):
            args = {"Device Type": kind, "Device Id": device, "Addr": addr, "Bytes": size}
            if total is not None:
                args["Total Allocated"] = total
            return {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts,
                    "args": args}

        events = [
            {"ph": "X", "name": "aten::mm", "ts": 1.5, "dur": 3, "args": {"Bytes": 9, "Addr": 1, "nested": [{"args": {}}]}},
            memory(105.25, 64, 1024, 5024),
            memory(100, 4096, 2000, 4000),
            memory(110, 64, -1024, 4000),
            memory(112, 8192, -500, 3500),
            memory(1, 5, 77, None, -1, 0),
            memory(1, 5, 77, None, 1, 1),
        ]
        expected = ("op,id,bytes,stream,time_us\nmalloc,1,1500,0,0\nmalloc,4,500,0,0\n"
                    "malloc,2,2000,0,0\nmalloc,3,1024,0,5\nfree,3,1024,0,10\nfree,4,500,0,12\n")
        for content in (json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": events}),
                        json.dumps({"traceEvents": events}, indent=2), json.dumps(events)):
            self.assertEqual(self.trace_of(content), expected)
        self.assertIn("dropped: 1 [memory] events of the host", self.notes)
        self.assertIn("dropped: 1 [memory] events of other devices", self.notes)
        self.assertEqual(self.trace_of(json.dumps(events), "--device", "1").count("\n"), 2)
        self.assertIn("no traceEvents", self.error_of('{"a": 1}'))
        self.assertIn("none of a device", self.error_of('{"traceEvents": []}'))
        self.assertIn("is cut off", self.error_of(json.dumps(events)[:-3]))
        self.assertIn("is cut off", self.error_of("{x"))

    def test_rmm_logs(self):
        log = ("Thread,Time,Action,Pointer,Size,Stream\n"
               "1,23:59:59.999990,allocate,0x7f00,1024,0x0\n"
               "2,23:59:59.999995,allocate,0x8f00,100,0x55aa\n"
               "1,00:00:00.000005,allocate failure,0x0,99999999999,0x0\n"
               "1,00:00:00.000010,free,0x7f00,1024,0x0\n"
               "1,00:00:00.000020,free,0x9f00,2048,0x55aa\n")
        self.assertEqual(self.trace_of(log),
                         "op,id,bytes,stream,time_us\nmalloc,3,2048,1,0\nmalloc,1,1024,0,0\nmalloc,2,100,1,5\n"
                         "free,1,1024,0,20\nfree,3,2048,1,30\n")
        self.assertIn("dropped: 1 failed allocation", self.notes)
        self.assertEqual(self.trace_of(log.replace("\n", "\r\n")).count("\n"), 6)
        for change, told in ((("0x8f00", "somewhere"), ":3: Pointer is 'somewhere' and not an address"),
                             (("1024", "-1"), ":2: Size is '-1'"), (("23:59:59.999990", "noon"), "not a time"),
                             (("allocate,0x8", "alloc,0x8"), ":3: Action is 'alloc'"),
                             (("Pointer", "Address"), "it cannot be told what this is"),
                             (("free,0x9f00,2048,0x55aa\n", "free,0x9f"), ":6: the row has 4 cells and the header 6")):
            self.assertIn(told, self.error_of(log.replace(*change)))
        self.assertIn("there is no column 'Pointer'", self.error_of(log.replace("Pointer", "Address"), "--from", "rmm"))

    def test_ascend_operator_tables(self):
        header = ("Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
                  "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
                  "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
                  "Release Total Active(MB),Stream Ptr,Device Type\n")
        mib = 1024
        rows = [
            # 10 MiB live before; 1 MiB of it is freed between the second and the third row.
            f'"aten::a, b",{mib},1736408883697894.540\t,1736408883697900.540\t,1736408883697899\t,,,11.0,20.0,11.0,12.0,20.0,12.0,900,NPU:1\n',
            f"aten::c,{2 * mib},1736408883697898.000\t,,,,,13.0,20.0,13.0,,,,901,NPU:1\n",
            "aten::d,0.5,1736408883697902.000\t,1736408883697903.000\t,1736408883697905.000\t,,,11.00048828125,20,11,11,20,11,900,NPU:1\n",
            f"aten::e,{4 * mib},1736408883697904.000\t,N/A,,,,15.0,20.0,15.0,,,,900,NPU:1\n",
            f"cann::g,{4 * mib},1736408883697904.000\t,N/A,,,,15.0,20.0,15.0,,,,900,NPU:1\n",
            f"aten::h,{4 * mib},1736408883697904.000\t,N/A,,,,15.0,20.0,15.0,,,,,NPU:1\n",
            f"aten::i,{4 * mib},1736408883697904.000\t,N/A,,,,15.0,20.0,15.0,,,,3,NPU:0\n",
        ]
        text = header + "".join(rows)
        got = self.trace_of(text)
        lines = [line.split(",") for line in got.splitlines()[1:]]
        self.assertEqual([(op, int(size), int(time)) for op, _, size, _, time in lines],
                         [("malloc", 9 << 20, 0), ("malloc", 1 << 20, 0), ("malloc", 1 << 20, 0),
                          ("malloc", 2 << 20, 3), ("free", 1 << 20, 6), ("free", 1 << 20, 7), ("malloc", 512, 7),
                          ("free", 512, 8), ("malloc", 4 << 20, 9), ("sync", 512, 10)])
        for told in ("1 row of the graph engine", "1 row without a stream", "1 row of NPU:0", "the total changes 1 time"):
            self.assertIn(told, self.notes)
        self.assertEqual(self.trace_of(text, "--device", "0").count("\n"), 3)
        self.assertIn("there is no device 7: there are NPU:0, NPU:1", self.error_of(text, "--device", "7"))
        self.assertIn(":3: Allocation Time(us) is 'soon'", self.error_of(text.replace("1736408883697898.000\t", "soon")))
        self.assertIn(":4: Size(KB) is 'big'", self.error_of(text.replace("aten::d,0.5", "aten::d,big")))
        self.assertIn("a quote in this row has no end", self.error_of(text.replace('b",', "b,")))
        self.assertIn("is the file cut off?", self.error_of(text[:-30]))
        self.assertIn("no column 'Release Time(us)'", self.error_of(text.replace(",Release Time(us)", ",Freed")))

    def test_ascend_records(self):
        text = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\n"
        text += "APP,5.0\t,,100.0,,,NPU:0\n"
        for time, total in ((10, 8), (11, 10), (12, 10), (13, 13), (14, 10), (15, 4)):
            text += f"PTA,{time}.000\t,{total}.0,100.0,1,2,NPU:0\nPTA+GE,{time}.000\t,{total}.0,100.0,1,2,NPU:0\n"
        got = self.trace_of(text)
        sizes = [(line.split(",")[0], int(line.split(",")[2]) >> 20, int(line.split(",")[4]))
                 for line in got.splitlines()[1:]]
        self.assertEqual(sizes, [("malloc", 4, 0), ("malloc", 4, 0), ("malloc", 2, 0), ("malloc", 3, 2), ("free", 3, 3),
                                 ("free", 2, 4), ("free", 4, 4)])
        self.assertIn("component PTA, which change 4 times", self.notes)
        self.assertIn("1 row without a total", self.notes)
        self.assertIn("Total Allocated(MB) is 'x'", self.error_of(text.replace("13.0,100", "x,100")))
        self.assertIn("no row of the table has a total", self.error_of("\n".join(text.splitlines()[:2]) + "\n"))

    def test_what_is_none_of_these(self):
        self.assertIn("the file is empty", self.error_of(""))
        self.assertIn("it cannot be told what this is; if it is one of pytorch-snapshot", self.error_of("hello\n"))
        self.assertIn("a trace already", self.error_of("op,id,bytes,stream,time_us\n"))
        self.assertIn("zip archive", self.error_of(b"PK\x03\x04...."))
        self.assertIn("bad gzip data", self.error_of(gzip.compress(b"x" * 10000)[:-9]))
        self.assertIn("(read as rmm)", self.error_of("hello\n", "--from", "rmm"))
        wrong = subprocess.run([SOMA, "import", "x", "--from", "y"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        missing = subprocess.run([SOMA, "import", "/no/such"], capture_output=True, text=True)
        self.assertEqual((missing.returncode, "cannot be opened" in missing.stderr), (1, True))

    def test_the_trace_goes_to_a_file(self):
        out = os.path.join(self.folder.name, "out.csv")
        done = self.run_soma(pickle.dumps(snapshot()), "-o", out, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(out) as file:
            self.assertEqual(file.read(), SNAPSHOT_TRACE)
        self.assertIn("cannot be written", self.error_of(pickle.dumps(snapshot()), "-o", "/no/such/file"))


if __name__ == "__main__":
    unittest.main()
