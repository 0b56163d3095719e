"""Tests of what is installed: as a tree, for CMake and pkg-config, as Debian packages, and of soma as a part of
somebody else's project.

  packages_test.py STEP --build DIR --source DIR --work DIR [--launcher PROGRAM] [--python PROGRAM]
                   [--caf DIR]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys


CAF = ""  # the folder of a CAF that is not the system's


def run(*command, env=None, cwd=None):
    """Runs a command and returns what it printed; its failure is the test's."""
    words = [str(word) for word in command]
    variables = {**os.environ, **(env or {})}
    if CAF:  # shared, it is where neither the linker nor the loader look by themselves
        variables["LD_LIBRARY_PATH"] = f"{CAF}/lib:{variables.get('LD_LIBRARY_PATH', '')}"
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=variables)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(condition, text):
    if not condition:
        sys.exit(text)


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def library_folder(prefix):
    return next(prefix.rglob("libsoma.so")).parent


def install(options):
    """The installed tree, which the other steps use. It is moved after it was installed: nothing in it may depend
    on the prefix."""
    first = fresh(options.work / "first")
    run("cmake", "--install", options.build, "--prefix", first)
    shutil.rmtree(options.work / "installed", ignore_errors=True)
    first.rename(options.work / "installed")


def cmake_consumer(options):
    prefix = options.work / "installed"
    build = fresh(options.work / "cmake_consumer")
    run("cmake", "-S", options.source / "tests/packages/consumer", "-B", build, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCAF_ROOT={CAF}")
    run("cmake", "--build", build)
    expect(run(build / "from_c") == "from C: 7\n", "from_c printed something else")
    for program in ("from_cpp", "from_cpp_static"):
        expect(run(build / program) == "from C++: the same block again\n", f"{program} printed something else")
    needed = run("readelf", "-d", build / "from_cpp_static")
    expect("libsoma" not in needed, "the static program needs libsoma.so")


def pkg_config_consumer(options):
    prefix = options.work / "installed"
    libraries = library_folder(prefix)
    build = fresh(options.work / "pkg_config_consumer")
    consumer = options.source / "tests/packages/consumer"
    found = {"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "soma", env=found).split()
    at_run_time = {"LD_LIBRARY_PATH": str(libraries)}
    run("cc", "-std=c11", consumer / "from_c.c", "-o", build / "from_c", *flags)
    expect(run(build / "from_c", env=at_run_time) == "from C: 7\n", "from_c printed something else")
    run("c++", "-std=c++20", consumer / "from_cpp.cpp", "-o", build / "from_cpp", *flags)
    expect(run(build / "from_cpp", env=at_run_time) == "from C++: the same block again\n",
           "from_cpp printed something else")
    static = run("pkg-config", "--cflags", "--libs", "--static", "soma", env=found).replace("-lsoma", "-l:libsoma.a").split()
    run("cc", "-std=c11", consumer / "from_c.c", "-o", build / "from_c_static", *static)
    expect(run(build / "from_c_static") == "from C: 7\n", "from_c_static printed something else")
    expect("libsoma" not in run("readelf", "-d", build / "from_c_static"), "the static program needs libsoma.so")
    version = run("pkg-config", "--modversion", "soma", env=found).strip()
    expect(run(next(prefix.rglob("bin/soma")), "--version") == f"soma {version}\n",
           "the program and pkg-config have different versions")


def drop_in(options):
    """A program for CANN builds with the lines that it has for CANN, from the build tree and from the installed
    one, and runs; so does what it is called by in CMake."""
    source = options.source / "tests/packages/drop_in"
    build = fresh(options.work / "drop_in")
    installed = options.work / "installed"
    env_of_tree = next(installed.rglob("bin/soma-env"))
    for number, (script, arguments) in enumerate([(options.source / "tools/soma-env", [options.build]),
                                                  (env_of_tree, []), (env_of_tree, [installed])]):
        lines = f'eval "$({script} {" ".join(map(str, arguments))})" && '
        for library in ("ascendcl", "acl_rt", "runtime"):
            program = build / f"{library}{number}"
            run("bash", "-c", lines + f'c++ -std=c++17 {source}/vector_add.cpp -I"$ASCEND_HOME_PATH/include" '
                f'-L"$ASCEND_HOME_PATH/lib64" -l{library} -o {program} && {program}')
        project = build / f"project{number}"
        printed = run("bash", "-c", lines + f"cmake -S {source} -B {project} -G Ninja && cmake --build {project} && "
                      f"{project}/main && cat $ASCEND_HOME_PATH/share/info/runtime/version.info")
        expect("the sum is right" in printed and "Version=" in printed, f"printed {printed}")
    refused = subprocess.run([env_of_tree, build], capture_output=True, text=True)
    expect(refused.returncode == 1 and "SOMA_DROP_IN" in refused.stderr, "a folder without the library is not refused")


def symbols(options):
    """Only soma's own names are exported, with a version, and the library has a SONAME with one."""
    library = library_folder(options.work / "installed") / "libsoma.so"
    exported = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    own = re.compile(r"(acl|soma|_ZN?K?[A-Z0-9]*4soma|_ZT[ISV]N4soma)\w*@@SOMA_0\.1$")
    strangers = [name for name in exported if not own.match(name) and name != "SOMA_0.1@@SOMA_0.1"
                 and name != "SOMA_0.1"]
    expect(exported and not strangers, f"exported, but not soma's or without a version: {strangers[:20]}")
    # What is declared for users is exported, and nothing else of the C++ interface: acl_symbols does the same for C.
    headers = "\n".join(path.read_text() for path in sorted((options.source / "api/include/soma").glob("*.hpp")))
    readable = run("nm", "-DC", "--defined-only", library)
    names = set(re.findall(r" [TW] (soma::[\w:~]+)(?:\[abi:\w+\])?\(", readable))
    hidden = sorted(name for name in names if "detail::" in name
                    or not re.search(rf"\b{name.split('::')[-1].lstrip('~')}\b", headers))
    expect(names and not hidden, f"exported, but in no public header: {hidden[:20]}")
    for declared in re.findall(r"^class SOMA_API (\w+)", headers, re.MULTILINE):
        expect(any(f"{declared}::" in name for name in names), f"of the class {declared} nothing is exported")
    for declared in re.findall(r"^(?:\[\[nodiscard\]\] )?SOMA_API [^;(]*?(\w+)\(", headers, re.MULTILINE):
        expect(any(name.endswith(f"::{declared}") for name in names), f"the function {declared} is not exported")
    expect(re.search(r"SONAME.*\[libsoma\.so\.0\.1\]", run("readelf", "-d", library)), "the SONAME is another one")


def program(options):
    """The manual page and the completion name every subcommand and option of the program."""
    prefix = options.work / "installed"
    soma = next(prefix.rglob("bin/soma"))
    page = run("gzip", "-dc", next(prefix.rglob("man1/soma.1.gz"))).replace("\\-", "-")
    completion = next(prefix.rglob("bash-completion/completions/soma")).read_text()
    subcommands = re.findall(r"^  ([a-z]+) ", run(soma, "--help").split("Subcommands:")[1], re.MULTILINE)
    expect(len(subcommands) >= 4, f"soma --help names {subcommands}")
    for subcommand in subcommands:
        expect(f".SS soma {subcommand}" in page, f"the manual page misses {subcommand}")
        for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", run(soma, subcommand, "--help"), re.MULTILINE):
            expect(option in page, f"the manual page misses {subcommand} {option}")
            expect(re.search(rf"{subcommand}\) words=\".*{option}[ \"]", completion),
                   f"the completion misses {subcommand} {option}")
    run("bash", "-n", next(prefix.rglob("bash-completion/completions/soma")))
    completed = run("bash", "-c", f"source {next(prefix.rglob('completions/soma'))}; COMP_WORDS=(soma rep); "
                    "COMP_CWORD=1; _soma_complete; echo ${COMPREPLY[@]}").split()
    expect("replay" in completed and "stress" not in completed, f"'soma rep' is completed to {completed}")
    if shutil.which("man"):
        warnings = subprocess.run(["man", "--warnings", "-l", next(prefix.rglob("man1/soma.1.gz"))],
                                  capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
        expect(warnings.returncode == 0 and not warnings.stderr, f"man: {warnings.stderr}")


def debian_packages(options):
    """The packages install in an empty root, work from there, and leave nothing behind."""
    packages = fresh(options.work / "packages")
    run("cpack", "-G", "DEB", "-B", packages, cwd=options.build)
    files = sorted(packages.glob("*.deb"))
    names = {run("dpkg-deb", "--field", file, "Package").strip(): file for file in files}
    wanted = {"soma", "libsoma0.1", "libsoma-dev"} | ({"python3-soma"} if options.python else set())
    expect(set(names) == wanted, f"there are the packages {sorted(names)}")
    root = fresh(options.work / "root")
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/log"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    before = {path for path in root.rglob("*") if not path.is_relative_to(root / "var")}
    # What they depend on is this machine's, not the root's.
    dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless")
    run(*dpkg, "--install", *files)
    libraries = next(root.rglob("libsoma.so.0.1")).parent
    expect(run(root / "usr/bin/soma", "--version").startswith("soma "), "the installed program does not run")
    build = fresh(options.work / "debian_consumer")
    flags = run("pkg-config", "--cflags", "--libs", "soma",
                env={"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}).split()
    run("cc", options.source / "tests/packages/consumer/from_c.c", "-o", build / "from_c", *flags)
    expect(run(build / "from_c", env={"LD_LIBRARY_PATH": str(libraries)}) == "from C: 7\n",
           "a program does not run with the installed library")
    if options.python:
        package = root / "usr/lib/python3/dist-packages"
        said = run(options.python, "-c", "import soma; print(soma.__file__, soma.Runtime().device_count)",
                   env={"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"})
        expect(said == f"{package}/soma/__init__.py 1\n", f"the Python package says {said}")
        said = run(options.python, "-c", "import cann_runtime_core as c; print(c.VariableSizeMemoryPool(64).free_size)",
                   env={"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"})
        expect(said == "64\n", f"cann_runtime_core says {said}")
    depends = run("dpkg-deb", "--field", names["libsoma0.1"], "Depends")
    expect("libcaf-core" in depends and "libc6" in depends, f"libsoma0.1 depends on {depends}")
    run(*dpkg, "--purge", *names)
    left = {path for path in root.rglob("*") if not path.is_relative_to(root / "var")} - before
    expect(not left, f"left behind: {sorted(left)[:10]}")


def subdirectory(options):
    build = fresh(options.work / "subdirectory")
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={options.launcher}"] if options.launcher else []
    run("cmake", "-S", options.source / "tests/packages/subdirectory", "-B", build, "-G", "Ninja",
        f"-DSOMA_SOURCE={options.source}", f"-DCAF_ROOT={CAF}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", *launcher)
    run("cmake", "--build", build, "--target", "from_cpp")
    expect(run(build / "from_cpp") == "from C++: the same block again\n", "from_cpp printed something else")


def manifests(options):
    """What vcpkg and Conan are told to bring is what CMake looks for, and the versions agree."""
    lists = [options.source / "CMakeLists.txt",
             *(path for folder in ("tests", "tools", "bench") for path in (options.source / folder).rglob("CMakeLists.txt"))]
    wanted = {name for path in lists if "packages" not in path.parts
              for name in re.findall(r"^find_package\((\S+)", path.read_text(), re.MULTILINE)} - {"Threads", "Python3"}
    vcpkg = json.loads((options.source / "vcpkg.json").read_text())
    entries = [*vcpkg["dependencies"], *(entry for feature in vcpkg["features"].values()
                                         for entry in feature["dependencies"])]
    by_vcpkg = {entry for entry in entries if isinstance(entry, str)}
    conanfile = (options.source / "conanfile.py").read_text()
    compile(conanfile, "conanfile.py", "exec")
    by_conan = set(re.findall(r"requires\(\"([^/]+)/", conanfile))
    plain = {name.lower().replace("_", "-") for name in wanted}
    for found, file in ((by_vcpkg, "vcpkg.json"), (by_conan, "conanfile.py")):
        named = {name.lower().replace("_", "-") for name in found}
        expect(named == plain, f"{file} names {sorted(named)}, CMake looks for {sorted(plain)}")
    version = re.search(r"project\(soma VERSION (\S+)", (options.source / "CMakeLists.txt").read_text())[1]
    expect(vcpkg["version"] == version and f'version = "{version}"' in conanfile, f"the versions are not all {version}")


STEPS = {step.__name__: step for step in (install, cmake_consumer, pkg_config_consumer, drop_in, symbols, program,
                                          debian_packages, subdirectory, manifests)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=STEPS)
    for folder in ("--build", "--source", "--work"):
        parser.add_argument(folder, type=pathlib.Path, required=True)
    parser.add_argument("--launcher", default="", help="what the compiler is called through")
    parser.add_argument("--python", default="", help="the Python that the package is built for, if it is built")
    parser.add_argument("--caf", default="", help="the folder of a CAF that is not the system's")
    chosen = parser.parse_args()
    CAF = chosen.caf
    STEPS[chosen.step](chosen)
