"""Runs what the documents show: README.md and docs/*.md.

  documents_test.py --build DIR --source DIR --work DIR --cc PROGRAM --cxx PROGRAM [--python PROGRAM --python-path DIR]
                    [--list]

Each fenced block is compiled, run, or compared with what a command or a file really says. What a block is follows
from its language and, where that does not tell, from tests/docs/rules.py. A block that has no rule is a failure, and so
is a rule that no block follows. --list prints what is done with each block.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import rules

PATIENCE = 120  # seconds, for each command


@dataclasses.dataclass
class Block:
    document: str
    line: int
    language: str
    text: str

    @property
    def place(self):
        return f"{self.document}:{self.line}"

    @property
    def first(self):
        return self.text.split("\n", 1)[0]


class Wrong(Exception):
    """What a document shows is not so."""


def blocks_of(path, name):
    """The fenced blocks of a document, in order."""
    found = []
    inside = None
    for number, line in enumerate(path.read_text().split("\n"), 1):
        fence = re.fullmatch(r"\s*```(\S*)\s*", line)
        if inside is None and fence:
            inside = Block(name, number, fence[1], "")
        elif inside is not None and fence:
            found.append(inside)
            inside = None
        elif inside is not None:
            inside.text += line + "\n"
    if inside is not None:
        raise Wrong(f"{inside.place}: the block has no end")
    return found


# -- comparing ------------------------------------------------------------------------------------------------------

def loose(text):
    """What is compared where figures differ from run to run: each address, number and unit of time or size becomes
    one sign, and spaces count as one. Words, and the order of lines, stay."""
    text = re.sub(r"0x[0-9a-f]+(\.\.\.)?|0x\.\.\.", "#", text)
    text = re.sub(r"[-+]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?", "#", text)
    text = re.sub(r"# ?(ns|us|ms|s|B|KiB|MiB|GiB|bytes|x|%)(?!\w)", "#", text)
    return "\n".join(re.sub(r"\s+", " ", line).strip() for line in text.strip().split("\n"))


def addresses_apart(text):
    return re.sub(r"0x[0-9a-f]+|0x\.\.\.", "0x...", text).rstrip("\n")


def expect_shown(block, output, how, what):
    """That the block is what a command has written; rules.py says what each way of comparing means."""
    if how == "wrapped":
        shown, written = [" ".join(block.text.split())], [" ".join(output.split())]
    else:
        make = addresses_apart if how == "exactly" else loose
        shown, written = make(block.text).split("\n"), make(output).split("\n")
    if how == "part":
        rest = iter(written)
        missing = [line for line in shown if line and not any(line == other for other in rest)]
    elif how == "somewhere":
        missing = [line for line in shown if line not in written]
    else:
        missing = [line for line in shown if line not in written] or (shown != written and ["(another order or more)"])
    if missing:
        raise Wrong(f"{what} writes something else; this is not there, or not in this order:\n"
                    + "\n".join(f"  {line}" for line in missing) + f"\nIt writes:\n{output}")


# -- doing ----------------------------------------------------------------------------------------------------------

class Bench:
    """A folder in which the documents' commands find what they name: build/release, examples, tools and so on."""

    def __init__(self, options):
        self.options = options
        self.folder = options.work / "documents"
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "build").mkdir(parents=True)
        (self.folder / "build/release").symlink_to(options.build)
        for name in ("api", "examples", "tests", "tools", "docs", "bench"):
            (self.folder / name).symlink_to(options.source / name)
        self.shown_by = {}  # what a command of the documents wrote
        self.counts = {}

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def run(self, command, expected=(0,), variables=None):
        build = self.options.build
        env = {**os.environ, **(variables or {})}
        for name in ("SOMA_CHECK", "SOMA_TRACE", "SOMA_RECORD", "SOMA_METRICS"):
            env.pop(name, None)
        env["PATH"] = f"{build}:{env['PATH']}"
        env["LD_LIBRARY_PATH"] = f"{build}/api"
        env["PYTHONPATH"] = str(self.options.python_path)
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        env["CXX"] = f"{self.options.cxx} -std=c++20 -I{self.options.source}/api/include -L{build}/api"
        env.update(variables or {})
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=env, capture_output=True, text=True,
                              timeout=PATIENCE)
        if done.returncode not in expected:
            raise Wrong(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def compile(self, block, language, text, and_run):
        compiler, standard = ((self.options.cc, "-std=c11") if language == "c" else (self.options.cxx, "-std=c++20"))
        source = self.folder / f"block.{language}"
        source.write_text(text)
        flags = f"{standard} -Wall -Wextra -Werror -I{self.options.source}/api/include"
        if not and_run:
            self.run(f"{compiler} {flags} -fsyntax-only {source}")
            self.count("compiled")
            return None
        # A C program needs the C++ runtime where the library is static.
        link = f"-L{self.options.build}/api -Wl,--as-needed -lsoma"
        self.run(f"{compiler} {flags} {source} -o block {link}")
        self.count("compiled and run")
        return self.run("./block")

    def follow(self, block, rule):
        getattr(self, rule.kind)(block, **rule.arguments)

    # Each of these is a kind of rule.

    def program(self, block, prints=None):
        """A whole program in C or C++."""
        output = self.compile(block, block.language, block.text, True)
        if prints is not None and output != prints:
            raise Wrong(f"the program prints {output!r} and not {prints!r}")

    def fragment(self, block, before="", after=""):
        """A part of a program, with what it takes for granted around it."""
        self.compile(block, block.language, before + block.text + after, False)

    def script(self, block, prints=None):
        """A program in Python; where the package is not built, only its grammar is looked at."""
        if not self.options.python:
            compile(block.text, block.place, "exec")
            self.count("not run: the Python package is not built")
            return
        (self.folder / "block.py").write_text(block.text)
        output = self.run(f"{self.options.python} block.py")
        if prints is not None and output != prints:
            raise Wrong(f"the program prints {output!r} and not {prints!r}")
        self.count("run")

    def quoted(self, block, file):
        """Lines of a file of the project, which may be indented further or less there."""
        def plain(text):
            return [line.strip() for line in text.strip().split("\n")]
        shown, lines = plain(block.text), plain((self.options.source / file).read_text())
        if not any(lines[at:at + len(shown)] == shown for at in range(len(lines))):
            raise Wrong(f"these are not lines of {file}, one behind the other")
        self.count("found in a file")

    def saved(self, block, file):
        """A file that later commands take."""
        (self.folder / file).write_text(block.text)
        self.count("saved for later commands")

    def shell(self, block, not_run=None, expected=(0,), replace=None, variables=None, before=None):
        """Commands, one a line. Those of not_run are not run, each for its reason; replace has texts that stand for
        others, for what a reader is to fill in; before is run first, by itself."""
        output = ""
        if before is not None:
            self.run(before)
        for line in block.text.strip().replace("\\\n", " ").split("\n"):
            command = re.sub(r"\s+#\s.*$", "", line).strip()
            if command in (not_run or {}):
                self.count(f"not run: {not_run[command]}")
                continue
            for text, instead in (replace or {}).items():
                command = command.replace(text, instead)
            if command:
                output = self.run(command, expected, variables)
                self.shown_by[command] = output
                self.count("run")
        self.last = output

    def output(self, block, of=None, how="exactly", expected=(0,), variables=None):
        """What a command writes, or, without one, what the commands of the block before wrote."""
        if isinstance(of, list):
            of = of.pop(0)
        written = self.last if of is None else self.run(of, expected, variables)
        expect_shown(block, written, how, of or "the command before")
        self.count("compared with an output")

    def project(self, block, after=""):
        """A part of a CMakeLists.txt: tests/packages builds with the same calls; here its grammar is looked at."""
        (self.folder / "block.cmake").write_text(
            "macro(find_package)\nendmacro()\nmacro(add_subdirectory)\nendmacro()\n"
            "macro(target_link_libraries)\nendmacro()\n" + block.text + after)
        self.run("cmake -P block.cmake")
        self.count("read by CMake")

    def drawing(self, block):
        """A picture made of letters."""
        self.count("a picture")

    def not_run(self, block, reason):
        """Nothing can be done with it here."""
        self.count(f"not run: {reason}")


def rule_for(block):
    """The first rule whose beginning the block has, or what its language says."""
    for rule in rules.RULES:
        if rule.document == block.document and block.text.startswith(rule.begins):
            rule.used = True
            return rule
    if block.language in ("c", "cpp") and re.search(r"\bint main\(", block.text):
        return rules.Rule(block.document, block.first, "program", {})
    if block.language == "python":
        return rules.Rule(block.document, block.first, "script", {})
    if block.language == "cmake":
        return rules.Rule(block.document, block.first, "project", {})
    raise Wrong("the block has no rule; tests/docs/rules.py is where one is added (it says how)")


def main():
    parser = argparse.ArgumentParser()
    for folder in ("--build", "--source", "--work"):
        parser.add_argument(folder, type=pathlib.Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--python", default="", help="the Python that the package is built for, if it is built")
    parser.add_argument("--python-path", default="", help="where the package is")
    parser.add_argument("--only", default="", help="a document, or the beginning of its name")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    bench = Bench(options)
    wrong = 0
    documents = [options.source / "README.md", *sorted((options.source / "docs").glob("*.md"))]
    for path in documents:
        name = str(path.relative_to(options.source))
        if not name.startswith(options.only):
            continue
        for block in blocks_of(path, name):
            try:
                rule = rule_for(block)
                if options.list:
                    print(f"{block.place}: {rule.kind}")
                bench.follow(block, rule)
            except (Wrong, subprocess.TimeoutExpired, SyntaxError) as problem:
                wrong += 1
                print(f"{block.place}: ```{block.language} {block.first}\n{problem}\n", file=sys.stderr)
    for rule in rules.RULES:
        if not rule.used and rule.document.startswith(options.only):
            wrong += 1
            print(f"{rule.document}: no block begins with: {rule.begins}", file=sys.stderr)
    for what, times in sorted(bench.counts.items()):
        print(f"{times:4} {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
