"""Opens the page of `soma replay --html` in headless Chromium: `report_browser_check.py SOMA`.

Exits with 77, which ctest counts as skipped, where there is no Chromium. The page must show the figures that the replay
prints, load without a complaint on the console, and be no wider than a screen of 360 pixels.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

# Written into a copy of the page in place of its policy: reports what only a browser knows.
PROBE = """<script>addEventListener("load", () => {
  const boxes = [...document.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect());
  const probe = document.createElement("p");
  probe.id = "probe";
  probe.textContent = [document.documentElement.scrollWidth, innerWidth, boxes.length,
    Math.min(...boxes.map((box) => Math.min(box.width, box.height)))].join(" ");
  document.body.append(probe);
});</script>"""


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    print("skipped: there is no chromium on this machine (apt-get install chromium)")
    sys.exit(SKIPPED)


def dump(program, folder, page, width):
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         f"--user-data-dir={folder}/profile", f"--window-size={width},2000", "--enable-logging=stderr",
         "--virtual-time-budget=3000", "--dump-dom", "file://" + page],
        capture_output=True, text=True, timeout=100)
    if done.returncode != 0 or not done.stdout:
        print("skipped: chromium does not start here:", done.stderr[-400:])
        sys.exit(SKIPPED)
    return done.stdout, done.stderr


def main(soma):
    program = chromium()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "t.csv")
        with open(trace, "w") as file:
            file.write("op,id,bytes,stream,time_us\n")
            for number in range(1, 200):
                file.write(f"malloc,{number},{number * 50000},0,{number}\n")
                if number > 9:
                    file.write(f"free,{number - 9},{(number - 9) * 50000},0,{number}\n")
        page = os.path.join(folder, "page.html")
        done = subprocess.run([soma, "replay", "--html", page, trace], capture_output=True, text=True, check=True)
        figures = dict(re.findall(r"^  (peak \w+) +(.+)$", done.stdout, re.MULTILINE))
        dom, log = dump(program, folder, page, 1200)
        assert "CONSOLE" not in log, log
        for name in ("requested", "used", "reserved"):
            shown = re.search(rf'data-figure="peak_{name}_bytes" data-value="\d+">([^<]+)<', dom).group(1)
            assert shown == figures[f"peak {name}"], (name, shown, figures)
        assert dom.count("<svg ") == 4, dom.count("<svg ")

        with open(page, encoding="utf-8") as file:
            text = file.read()
        probed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', PROBE, text)
        assert probed != text
        inner = os.path.join(folder, "inner.html")
        outer = os.path.join(folder, "outer.html")
        with open(inner, "w", encoding="utf-8") as file:
            file.write(probed)
        # A window of Chromium has a least width; a frame in it does not.
        with open(outer, "w", encoding="utf-8") as file:
            file.write("""<iframe id="f" style="width:360px;height:900px;border:0" srcdoc=""></iframe><script>
              onmessage = (event) => { document.title = event.data; };</script>""")
        probed = probed.replace("document.body.append(probe);", "parent.postMessage(probe.textContent, '*');")
        with open(outer, "r+", encoding="utf-8") as file:
            frame = file.read().replace('srcdoc=""', 'srcdoc="' + probed.replace("&", "&amp;").replace('"', "&quot;") + '"')
            file.seek(0)
            file.write(frame)
        dom, _ = dump(program, folder, outer, 800)
        found = re.search(r"<title>(\d+) (\d+) (\d+) ([\d.]+)</title>", dom)
        assert found, dom[:500]
        wide, screen, pictures, smallest = found.groups()
        assert int(screen) == 360 and int(wide) <= 360, f"the page is {wide} wide on a screen of {screen}"
        assert int(pictures) == 4 and float(smallest) > 50, f"{pictures} pictures, the smallest {smallest}"
    print("the page shows", figures)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
