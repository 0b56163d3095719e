"""What is done with the blocks of the documents that do not say it by themselves (see documents_test.py).

A rule is for the blocks of a document whose first line begins with a text. Kinds, and what each takes:

  program   a whole program in C or C++ is compiled and run: prints (all of its output, if given). Needs no rule.
  fragment  a part of a program is compiled: before, after (what stands around it)
  script    a program in Python is run: prints. Needs no rule.
  project   a part of a CMakeLists.txt: after. Needs no rule.
  quoted    lines of a file of the project: file
  saved     is written to a file that later commands take: file
  shell     commands, one a line, are run: not_run (command -> reason), expected (exit statuses), replace (text -> text),
            variables, before (a command that is run first)
  output    what a command writes: of (the command; if left out, the last one of the block of commands before; a list for
            several such blocks), expected, variables, and how the two are compared:
              exactly    all of it, but for numbers in hexadecimal
              loosely    all of it, but for numbers, times, sizes and spaces
              part       as loosely, but the output may have more lines in between
              somewhere  as part, in any order: for what depends on which thread is faster
              wrapped    all of it, exactly, but that lines may end elsewhere
  drawing   a picture made of letters
  not_run   nothing can be done: reason
"""


class Rule:
    def __init__(self, document, begins, kind, arguments):
        self.document = document
        self.begins = begins
        self.kind = kind
        self.arguments = arguments
        self.used = False


LONG = "it takes minutes, and is what continuous integration runs"
BUILDS = "it builds the whole project, as this test's own build tree was"
HARDWARE = "its figures are those of one machine, on one day"
PACKAGES = "tests/packages does the same"

RULES = []


def for_document(document):
    def add(begins, kind, **arguments):
        RULES.append(Rule(document, begins, kind, arguments))
    return add


rule = for_document("README.md")
rule("./tools/demo", "not_run", reason=LONG)
rule("import soma", "script", prints="1536.0\n")
rule("pool::malloc_async: the pool cannot serve", "output", how="wrapped",
     of="$CXX tests/docs/refusal.cpp -lsoma -o refusal && ./refusal")
rule("int add(const void*", "fragment", before="#include <stddef.h>\n#include <stdint.h>\n")
rule("  void* block = must(pool", "quoted", file="examples/races/use_after_free.cpp")
rule("soma check: use_after_free", "output", of="build/release/examples/races/use_after_free")
rule("SOMA_TRACE=trace.json", "shell")
rule("sequenceDiagram", "output", of="build/release/soma trace trace.json --sequence --call MallocAsync", how="loosely")
rule("build/release/soma record", "shell")
rule("soma: run.csv:", "output", how="part")
rule("build/release/soma replay run.csv", "shell")
rule("run.csv\n                                 (1)", "output")
rule("build/release/soma advise run.csv", "shell")
rule("run.csv", "output")
rule("build/release/examples/training_loop", "shell")
rule("build/release/soma import", "shell", before="PYTHONPATH=tests/tools python3 -B -c 'import pickle, import_check; "
            "pickle.dump(import_check.snapshot(), open(\"snapshot.pickle\", \"wb\"))'")
rule("# reader.soma", "saved", file="reader.soma")
rule("build/release/soma explore reader.soma", "shell", expected=(1,))
rule("build/release/soma stress", "shell", replace={"--seconds 60": "--seconds 2"})
rule("cmake --preset release", "not_run", reason=LONG)

rule = for_document("docs/architecture.md")
rule("   caller's thread", "drawing")

rule = for_document("docs/embedding.md")
rule("cmake --preset release && cmake --build", "not_run", reason=PACKAGES)
rule("auto allocator = must(", "fragment", after="}\n",
     before="#include <memory_resource>\n#include <string>\n#include <vector>\n#include \"soma/soma.hpp\"\n"
            "template <class T> T must(soma::expected<T> result) { return std::move(result).value(); }\n"
            "void use(soma::device& device) {\n")
rule("cc program.c", "not_run", reason=PACKAGES)
rule("cmake --preset release -B build/caf-1", "not_run", reason=BUILDS)
rule("cmake --preset release -DCMAKE_TOOLCHAIN_FILE", "not_run",
     reason="it needs vcpkg and Conan, and a network; tests/packages compares what they are told with CMake's lists")
rule("(cd build/release && cpack", "not_run", reason=PACKAGES)

rule = for_document("docs/performance.md")
rule("tools/bench", "not_run", reason=LONG)
rule("AMD EPYC", "not_run", reason=HARDWARE)

rule = for_document("docs/porting.md")
rule("g++ -std=c++17", "shell", variables={"LANG": "C"},
     before="cp tests/packages/drop_in/vector_add.cpp program.cpp; echo > kernels.cpp")
rule('extern "C" __global__', "not_run", reason="it is for CANN's own compiler")
rule('eval "$(tools/soma-env)"', "not_run", reason=PACKAGES)
rule("int easy(const void*", "fragment", before='#include "acl/acl.h"\n#include "acl/soma_kernel.h"\n')

rule = for_document("docs/race-detector.md")
for kind in ("use_before_malloc", "use_after_free: stream 4's task 2", "free_before_malloc", "free_before_last_use",
             "double_free", "foreign_free", "out_of_bounds", "leak", "stray_access"):
    rule(f"soma check: {kind}", "output", of=f"build/release/examples/races/{kind.split(':')[0]}")
rule("soma check: 0 reports", "output", of="build/release/examples/races/use_after_free_repaired")
rule("soma check: use_after_free: stream 4's task 3", "output", of="build/release/examples/races/unchanged_program",
     variables={"SOMA_CHECK": "1"})
rule('{"kind":"use_after_free"', "not_run", reason="it leaves out what does not matter; tests/cpp reads the real one")

rule = for_document("docs/recording.md")
rule("SOMA_RECORD=run.csv ./program", "shell", replace={" --its options": ""},
     before="ln -sf build/release/examples/event_reuse program")

rule = for_document("docs/replay.md")
rule("build/release/soma replay run.csv", "shell")

rule = for_document("docs/scenarios.md")
rule("soma explore tests/scenarios", "shell",
     replace={"FILE": "tests/scenarios/reuse_by_event.soma", "--programs 1000": "--programs 20",
              "--random 5000": "--random 50", "--pct 5000": "--pct 50"})

rule = for_document("docs/testing.md")
rule("./tools/check", "not_run", reason=LONG)

LOST_EDGE = "SOMA_TRACE=trace.json build/release/examples/races/use_after_free 2>/dev/null"
ADDRESS = "soma trace trace.json --dot | sed -n 's/.*malloc \\(0x[0-9a-f]*\\).*/\\1/p' > block"

rule = for_document("docs/tracing.md")
rule("soma trace trace.json", "shell", replace={"0x1e7266800000": "$(cat block)", "| dot -Tsvg": "| cat"},
     before=LOST_EDGE + " && " + ADDRESS)
rule("sequenceDiagram", "output", how="somewhere",
     of="SOMA_TRACE=pool.json build/release/examples/soma_pool >/dev/null && soma trace pool.json --sequence")
rule("soma check: use_after_free", "output", of="build/release/examples/races/use_after_free", how="part")
rule("block 0x1e7266800000", "output", how="loosely",
     of=LOST_EDGE + " && " + ADDRESS + " && soma trace trace.json --block $(cat block)")
rule("digraph order {", "output", how="loosely",
     of=["soma trace trace.json --dot",
         "SOMA_TRACE=repaired.json build/release/examples/races/use_after_free_repaired 2>/dev/null; "
         "soma trace repaired.json --dot"])
rule("Streams that waited", "output", how="part", of="soma trace trace.json")
rule("# HELP soma_pool_allocations_total", "output", how="part",
     of="SOMA_METRICS=metrics.txt build/release/examples/event_reuse >/dev/null && cat metrics.txt")
