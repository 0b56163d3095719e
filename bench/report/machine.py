"""What the figures were measured on."""

import os
import pathlib
import platform
import subprocess


def first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except OSError:
        return "unknown"
    return (done.stdout.splitlines() or ["unknown"])[0]


def processor():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def compiler(build):
    try:
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    for line in cache.splitlines():
        if line.startswith("CMAKE_CXX_COMPILER:"):
            return first_line([line.split("=", 1)[1], "--version"])
    return "unknown"


def describe(build, source):
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "compiler": compiler(build),
        "revision": first_line(["git", "-C", str(source), "describe", "--always", "--dirty"]),
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def busy(of):
    """A line that says so if the machine had other things to do, else nothing."""
    load = of.get("load_at_start", 0)
    return [f"THE MACHINE WAS BUSY (load {load}): figures are not to be relied on"] if load > 0.5 else []


def text(of):
    return (f"{of['processor']}, {of['cores']} cores, {of['memory_gib']} GiB; {of['system']}; {of['compiler']}; "
            f"revision {of['revision']}")
