#!/usr/bin/env python3
# labels: base slow
"""Tests configuring Benzer with CMake: in another project, without the program, and with parts missing.

Configures only, and builds nothing. Parts are hidden by CMAKE_DISABLE_FIND_PACKAGE_NAME. Prints "N passed, N failed".
"""

import os
import pathlib
import subprocess
import sys

from serve_test_util import in_own_folder, run_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_PROGRAM = ["-DCMAKE_DISABLE_FIND_PACKAGE_spdlog=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON"]
NO_TESTS = ["-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_rapidcheck=ON"]
NO_STEMMER = ["-DCMAKE_DISABLE_FIND_PACKAGE_Stemmer=ON"]
HIDDEN = "-DCMAKE_DISABLE_FIND_PACKAGE_%s=ON"
NO_OPENSSL = ["-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON"]
LIBRARY = ["-DBENZER_CLI=OFF", "-DBENZER_TESTS=OFF", "-DBENZER_EXAMPLES=OFF"]

PARENT = """
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
add_subdirectory("%s" benzer)
if(NOT TARGET benzer::benzer)
  message(FATAL_ERROR "there is no library")
endif()
foreach(target benzer_cli benzer_server benzer_tests example_dedup)
  if(TARGET ${target})
    message(FATAL_ERROR "there is ${target}")
  endif()
endforeach()
get_directory_property(inside DIRECTORY "%s" DEFINITION CMAKE_BUILD_TYPE)
message(STATUS "build types: '${CMAKE_BUILD_TYPE}' '${inside}'")
""" % (ROOT, ROOT)

# A project that can do without Benzer.
OPTIONAL_USER = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(benzer QUIET)
message(STATUS "found: '${benzer_FOUND}', because: '${benzer_NOT_FOUND_MESSAGE}', folders: '${CMAKE_MODULE_PATH}'")
"""


def configure(folder, source, *options, **environment):
    """Returns the exit code, and all output as one line."""
    done = subprocess.run(["cmake", "-S", source, "-B", folder / "build", *options], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})
    return done.returncode, " ".join(done.stdout.split())


def in_another_project(folder):
    (folder / "CMakeLists.txt").write_text(PARENT)
    for option, types in ([], "build types: '' ''"), (["-DCMAKE_BUILD_TYPE=Debug"], "build types: 'Debug' 'Debug'"):
        code, said = configure(folder, folder, *NO_PROGRAM, *NO_TESTS, *option)
        assert code == 0 and types in said, said


def library_alone(folder):
    code, said = configure(folder, ROOT, *LIBRARY, *NO_PROGRAM, *NO_TESTS)
    assert code == 0, said
    assert "benzer serve" not in said, said


def missing_parts_are_told(folder):
    code, said = configure(folder, ROOT, *LIBRARY, *NO_OPENSSL, *NO_STEMMER)
    assert code == 0 and "benzer: without indexes in Redis, not found: OpenSSL 3 (" in said, said
    assert "benzer: without stemming, not found: libstemmer (BENZER_STEMMING=OFF, if that is meant to be)" in said, said
    assert "benzer: without images, not found: OpenSSL 3 (" in said, said


def missing_parts_that_were_asked_for_fail(folder):
    code, said = configure(folder, ROOT, *LIBRARY, *NO_OPENSSL, "-DBENZER_REDIS=ON")
    assert code != 0 and "benzer: no indexes in Redis, not found: OpenSSL 3." in said, said


def nothing_fails_that_is_off(folder):
    code, said = configure(folder, ROOT, *LIBRARY, *NO_OPENSSL, "-DBENZER_REDIS=OFF", "-DBENZER_IMAGES=OFF")
    assert code == 0 and "benzer: without indexes in Redis (BENZER_REDIS=OFF)" in said, said
    assert "benzer: without images (BENZER_IMAGES=OFF)" in said, said


def missing_parts_leave_a_user_without_benzer(folder):
    code, said = configure(folder / "benzer", ROOT, *LIBRARY, *NO_PROGRAM, *NO_TESTS)
    assert code == 0, said
    user = folder / "user"
    user.mkdir()
    (user / "CMakeLists.txt").write_text(OPTIONAL_USER)
    installed = f"-Dbenzer_DIR={folder / 'benzer/build'}"
    modules = ["libzstd", "libxxhash", "hiredis"]
    known = subprocess.run(["pkg-config", "--variable=pcfiledir", *modules], capture_output=True, text=True, check=True)
    for missing in modules:
        # Configured with all parts, and then one is removed.
        pages = folder / f"without-{missing}"
        pages.mkdir()
        for module, place in zip(modules, known.stdout.split(), strict=True):
            if module != missing:
                (pages / f"{module}.pc").symlink_to(f"{place}/{module}.pc")
        code, said = configure(folder / missing, user, installed, PKG_CONFIG_LIBDIR=str(pages), PKG_CONFIG_PATH="")
        assert code == 0 and f"found: '0', because: 'benzer needs {missing}, which pkg-config does not find'" in said, said
    for missing in ("fmt", "PkgConfig", "Stemmer"):
        code, said = configure(folder / missing, user, installed, HIDDEN % missing)
        assert code == 0 and "found: '0', because: '" in said and missing in said and "folders: ''" in said, said


def headers_are_found_where_they_are_installed(folder):
    code, said = configure(folder, ROOT, *LIBRARY, *NO_PROGRAM, *NO_TESTS, "-DCMAKE_INSTALL_INCLUDEDIR=include/own")
    assert code == 0, said
    exported = next((folder / "build").rglob("Export/*/benzer-targets.cmake")).read_text()
    assert 'INTERFACE_INCLUDE_DIRECTORIES "${_IMPORT_PREFIX}/include/own"' in exported, exported


def main():
    tests = [in_another_project, library_alone, missing_parts_are_told, missing_parts_that_were_asked_for_fail,
             nothing_fails_that_is_off, missing_parts_leave_a_user_without_benzer, headers_are_found_where_they_are_installed]
    return run_tests([in_own_folder(test) for test in tests])


if __name__ == "__main__":
    sys.exit(main())
