"""Checks the page of `soma replay --html` without any of its code: `report_page_check.py SOMA`.

The page must be well-formed, load nothing, run nothing, escape what comes from file names, and show the figures that
--json prints for the same trace.
"""

import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOMA = sys.argv.pop(1) if len(sys.argv) > 1 else "soma"
VOID = {"meta", "link", "br", "hr", "img", "input", "path"}
EVIL = "a<script>alert(1)</script>&\"'.csv"


class Page(html.parser.HTMLParser):
    """Collects what the tests ask for; fails where tags do not nest."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.ids = []
        self.figures = {}
        self.references = []
        self.scripts = []
        self.handlers = []
        self.text = []
        self.json = ""
        self.shown = {}
        self.showing = None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        self.references += [values[name] for name in ("src", "href", "action", "data", "xlink:href") if name in values]
        self.handlers += [name for name in values if name.startswith("on")]
        if "data-figure" in values:
            self.figures[values["data-figure"]] = values["data-value"]
            self.showing = values["data-figure"]
        if tag == "script":
            self.scripts.append(values.get("type"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()
        self.showing = None

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.json += data
        else:
            self.text.append(data)
            if self.showing:
                self.shown[self.showing] = self.shown.get(self.showing, "") + data


def trace(rows=300):
    lines = ["op,id,bytes,stream,time_us"]
    for number in range(1, rows + 1):
        size = 100000 * (1 + number * 7919 % 97)
        lines.append(f"malloc,{number},{size},{number % 2},{number}")
        if number > 20:
            old = number - 20
            lines.append(f"free,{old},{100000 * (1 + old * 7919 % 97)},{old % 2},{number}")
        if number % 100 == 0:
            lines.append(f"sync,0,0,-1,{number}")
    return "\n".join(lines) + "\n"


def replay(folder, *arguments):
    done = subprocess.run([SOMA, "replay", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class ReportPage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = self.folder.name

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(text)

    def page(self, *arguments):
        replay(self.path, "--html", "page.html", *arguments)
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as file:
            text = file.read()
        page = Page()
        page.feed(text)
        page.close()
        self.assertEqual(page.open, [])
        self.assertEqual(len(page.ids), len(set(page.ids)), "ids are unique")
        return page, text

    def test_shows_the_figures_of_the_replay(self):
        self.write("t.csv", trace())
        page, _ = self.page("t.csv")
        told = json.loads(replay(self.path, "--json", "t.csv"))[0]
        inside = json.loads(page.json)[0]
        for figures in (told, inside):
            for name in ("peak_requested_bytes", "peak_used_bytes", "peak_reserved_bytes", "events"):
                self.assertEqual(page.figures[name], str(figures[name]), name)
            for kind, count in figures["reuse"].items():
                self.assertEqual(page.figures["served_" + kind], str(count), kind)
            self.assertEqual(page.figures["backing_requests"], str(figures["backing"]["requests"]))
            self.assertEqual(page.figures["live_blocks"], str(figures["live_at_end"]["blocks"]))
        table = replay(self.path, "t.csv")
        self.assertRegex(table, r"peak reserved +" + re.escape(page.shown["peak_reserved_bytes"]) + "\n")

    def test_loads_and_runs_nothing(self):
        self.write("t.csv", trace())
        self.write("u.csv", trace(30))
        page, text = self.page("t.csv", "u.csv")
        self.assertEqual(page.scripts, ["application/json"])
        self.assertEqual(page.handlers, [])
        self.assertTrue(all(reference.startswith("#") for reference in page.references), page.references)
        for reference in page.references:
            self.assertIn(reference[1:], page.ids)
        self.assertNotRegex(text, r"url\(|@import|https?://")
        self.assertIn("default-src 'none'", text)

    def test_escapes_names(self):
        os.makedirs(os.path.join(self.path, "a<script>alert(1)<"), exist_ok=True)
        self.write(EVIL, trace(5))
        page, text = self.page(EVIL)
        self.assertNotIn("<script>alert", text)
        self.assertIn(EVIL, "".join(page.text))
        self.assertEqual(json.loads(page.json)[0]["file"], EVIL)

    def test_a_file_that_fails_is_told(self):
        self.write("good.csv", trace(5))
        self.write("bad.csv", "op,id,bytes,stream,time_us\nfree,1,<b>,0,0\n")
        done = subprocess.run([SOMA, "replay", "--html", "p.html", "bad.csv", "good.csv"], cwd=self.path,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        with open(os.path.join(self.path, "p.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("bytes &#39;&lt;b&gt;&#39; is not a number", text)
        self.assertIn("Replay of good.csv", text)

    def test_an_empty_trace_has_a_page(self):
        self.write("empty.csv", "op,id,bytes,stream,time_us\n")
        page, _ = self.page("empty.csv")
        self.assertIn("The trace allocates nothing.", "".join(page.text))

    def test_a_page_of_many_events_stays_small(self):
        self.write("long.csv", trace(50000))
        _, text = self.page("--min-block", "512", "long.csv")
        self.assertLess(len(text), 2_000_000)
        self.assertIn("block small", text)

    def test_can_go_to_standard_output(self):
        self.write("t.csv", trace(5))
        self.assertTrue(replay(self.path, "--html", "-", "t.csv").startswith("<!doctype html>"))


if __name__ == "__main__":
    unittest.main()
