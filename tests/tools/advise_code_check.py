"""Compiles the code of `soma advise`, in C and in C++, and runs it if there is a library to link.

    advise_code_check.py SOMA CC CXX INCLUDE [LIBSOMA]
"""

import json
import os
import subprocess
import sys
import tempfile

PROGRAM = """
#include <stdio.h>
#include "advised.c"

int main(void) {
  aclrtMemPool pool;
  uint64_t threshold = 0;
  uint32_t internal = 2;
  if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
      create_advised_pool(&pool, 0) != ACL_SUCCESS ||
      aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold) != ACL_SUCCESS ||
      aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &internal) != ACL_SUCCESS)
    return 1;
  printf("%llu %u\\n", (unsigned long long)threshold, internal);
  return aclrtMemPoolDestroy(pool) != ACL_SUCCESS || aclFinalize() != ACL_SUCCESS;
}
"""

TRACE = """op,id,bytes,stream,time_us
malloc,1,2097152,0,0
free,1,2097152,0,1
malloc,2,2097152,1,2
free,2,2097152,1,3
"""


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def main(soma, cc, cxx, include, library=None):
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" + include]
    with tempfile.TemporaryDirectory() as folder:
        # A name that would end the comment, and one with a trigraph.
        os.mkdir(os.path.join(folder, "t*\\??"))
        name = "t*\\??/*.csv"
        with open(os.path.join(folder, name), "w") as file:
            file.write(TRACE)
        with open(os.path.join(folder, "advised.c"), "w") as file:
            file.write(run(soma, "advise", "--code", name, cwd=folder))
        with open(os.path.join(folder, "main.c"), "w") as file:
            file.write(PROGRAM)
        run(cc, "-std=c11", *strict, "-fsyntax-only", "main.c", cwd=folder)
        with open(os.path.join(folder, "advised.hpp"), "w") as file:
            file.write(run(soma, "advise", "--code", "--min-block", "512", name, cwd=folder))
        with open(os.path.join(folder, "main.cpp"), "w") as file:
            file.write('#include "advised.hpp"\n')
        run(cxx, "-std=c++20", *strict, "-fsyntax-only", "main.cpp", cwd=folder)
        if library:
            run(cc, "-std=c11", *strict, "main.c", "-o", "program", library,
                "-Wl,-rpath," + os.path.dirname(library), cwd=folder)
            advised = json.loads(run(soma, "advise", "--json", name, cwd=folder))[0]
            assert "internal" in advised["advised"]["reuse"], advised["advised"]
            assert run("./program", cwd=folder).split() == [str(advised["threshold"]["bytes"]), "1"]


if __name__ == "__main__":
    main(*(os.path.abspath(word) if os.path.exists(word) else word for word in sys.argv[1:]))
