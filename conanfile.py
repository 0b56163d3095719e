"""What soma is built with, for Conan 2: `conan install . --build missing`, then `cmake --preset conan-release`.

The library needs CAF and tl::expected. What else is built is chosen by options: `-o tools=True` (the program soma),
`-o tests=True` (with the program), `-o benchmarks=True`, `-o python=True`.
"""

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class Soma(ConanFile):
    name = "soma"
    version = "0.1.0"
    description = "Stream-ordered memory actors: devices, streams, events and memory pools"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {name: [True, False] for name in ("shared", "fPIC", "tools", "tests", "benchmarks", "python")}
    default_options = {"shared": True, "fPIC": True, "tools": False, "tests": False, "benchmarks": False,
                       "python": False, "caf/*:with_openssl": False}
    exports_sources = ("CMakeLists.txt", "cmake/*", "memory/*", "messages/*", "actors/*", "api/*", "sim/*", "tools/*",
                       "tests/*", "examples/*", "bench/*", "docs/*", "README.md")

    def requirements(self):
        self.requires("caf/[>=1.0 <1.2]")
        # Part of the C++ interface.
        self.requires("tl-expected/[>=1.0 <2]", transitive_headers=True)
        if self.options.tools or self.options.tests or self.options.python:
            self.requires("cli11/[>=2.3 <3]")
            self.requires("nlohmann_json/[>=3.11 <4]")
            self.requires("zlib/[>=1.2.11 <2]")
        if self.options.python:
            self.requires("pybind11/[>=2.10 <3]")
        if self.options.benchmarks:
            self.requires("benchmark/[>=1.7 <2]")
        if self.options.tests:
            self.test_requires("gtest/[>=1.12 <2]")
            self.test_requires("rapidcheck/cci.20230815")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["SOMA_BUILD_TOOLS"] = bool(self.options.tools or self.options.tests)
        toolchain.variables["SOMA_BUILD_TESTS"] = bool(self.options.tests)
        toolchain.variables["SOMA_BUILD_EXAMPLES"] = bool(self.options.tests)
        toolchain.variables["SOMA_BUILD_BENCH"] = bool(self.options.benchmarks)
        toolchain.variables["SOMA_BUILD_PYTHON"] = bool(self.options.python)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "soma")
        self.cpp_info.set_property("cmake_target_name", "soma::soma")
        self.cpp_info.set_property("pkg_config_name", "soma")
        self.cpp_info.libs = ["soma"]
        self.cpp_info.system_libs = ["pthread", "dl", "m"]
