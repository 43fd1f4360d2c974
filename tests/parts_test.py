#!/usr/bin/env python3
# labels: base
"""Tests that what is compiled in of others is listed in packaging/, with its licence.

Makes a bill with tools/make_sbom.py from folders that look like those of a build. Prints "N passed, N failed".
"""

import glob
import json
import pathlib
import re
import shutil
import subprocess
import sys

from serve_test_util import in_own_folder, run_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The C library and the kernel, whose headers every program includes.
OF_THE_SYSTEM = {"glibc", "linux"}

TSL_HEADER = """/**
 * MIT License
 *
 * Copyright (c) 2017 Somebody
 */
#define TSL_RH_VERSION_MAJOR 1
#define TSL_RH_VERSION_MINOR 4
#define TSL_RH_VERSION_PATCH 2
"""


def table():
    lines = (ROOT / "packaging/parts.tsv").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def make_build(folder):
    """Makes what make_sbom.py reads of a build, for all parts that are listed but for installed headers."""
    for name, place, *_ in table():
        if place == "source":
            entry = f"{name} (1.2-3) stable; urgency=low\n\n  * A change.\n\n -- A <a@b.c>  Mon, 01 Jan 2024 00:00:00 +0000\n"
            write(folder / "sources" / name / "debian/changelog", entry)
            write(folder / "sources" / name / "debian/copyright", name)
        elif place == "npm":
            write(folder / "modules" / name / "LICENSE", name)
        elif place == "zig":
            write(folder / "zig" / ("LICENSE" if name == "zig" else f"lib/{name}/LICENSE.TXT"), name)
    write(folder / "python/nanobind-3.1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: nanobind\nVersion: 3.1.0\n")
    write(folder / "python/nanobind-3.1.0.dist-info/licenses/LICENSE", "nanobind")
    write(folder / "python/nanobind/ext/robin_map/include/tsl/robin_growth_policy.h", TSL_HEADER)


def make_bill(folder, *options):
    """Returns the exit code and what was said."""
    done = subprocess.run([ROOT / "tools/make_sbom.py", "--arch", "x86_64", "--version", "1.0", "--time", "0", "--commit", "c",
                           "--zig", folder / "zig", "--node-modules", folder / "modules", "--sources", folder / "sources",
                           "--out", folder / "out", *options], capture_output=True, text=True)
    return done.returncode, done.stderr


def read_bill(folder):
    return json.loads((folder / "out/parts.cdx.json").read_text())


def a_wheel_lists_what_the_extension_links(folder):
    make_build(folder)
    code, said = make_bill(folder)
    assert code == 0, said
    archive = read_bill(folder)
    names = {part["name"] for part in archive["components"]}
    assert names == {name for name, place, *_ in table() if place != "python"}, names
    assert not (folder / "out/licences/nanobind").exists()
    code, said = make_bill(folder, "--python", folder / "python")
    assert code == 0, said
    wheel = read_bill(folder)
    parts = {part["name"]: part for part in wheel["components"]}
    assert set(parts) == {name for name, *_ in table()}, set(parts)
    assert (parts["nanobind"]["version"], parts["robin_map"]["version"]) == ("3.1.0", "1.4.2"), parts
    assert parts["robin_map"]["licenses"] == [{"expression": "MIT"}], parts
    assert (folder / "out/licences/nanobind").read_text() == "nanobind"
    assert (folder / "out/licences/robin_map").read_text() == "MIT License\n\nCopyright (c) 2017 Somebody\n"
    assert archive["serialNumber"] != wheel["serialNumber"]


def what_is_not_listed_is_refused(folder):
    make_build(folder)
    (folder / "python/nanobind/ext/other_map").mkdir()
    code, said = make_bill(folder, "--python", folder / "python")
    assert code == 1 and "packaging/parts.tsv and nanobind with what it contains differ in other_map" in said, said
    shutil.copytree(folder / "sources/zlib", folder / "sources/other")
    code, said = make_bill(folder)
    assert code == 1 and "packaging/parts.tsv and the sources that are built differ in other" in said, said


def every_included_header_is_of_a_listed_part(_):
    names = set()
    for folder in ("include", "src", "apps", "python/src"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".h", ".cc") and not re.search(r"_(test|fuzz|benchmark|test_util)\.", file.name):
                names.update(re.findall(r"^\s*#\s*include <([^>]+)>", file.read_text(errors="replace"), re.MULTILINE))
    files = [found for name in names for found in glob.glob(f"/usr/include/{name}") + glob.glob(f"/usr/include/*-linux-gnu*/{name}")]
    listed = {name for name, place, *_ in table() if place in ("source", "python")} | OF_THE_SYSTEM
    header_only = {row[3].split("/")[0]: row[0] for row in table() if row[1] == "headers"}
    owners = subprocess.run(["dpkg-query", "-S", *files], capture_output=True, text=True).stdout
    packages = {package.strip() for line in owners.splitlines() if not line.startswith("diversion")
                for package in line.split(": /")[0].split(",")}
    sources = {}
    for line in subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${binary:Package}\n", *packages],
                               capture_output=True, text=True, check=True).stdout.splitlines():
        source, package = line.split()
        sources[package] = source
    unlisted = {}
    for line in owners.splitlines():
        package, _, file = line.partition(": ")
        top = re.sub(r"^/usr/include/([^/]+-linux-gnu[^/]*/)?", "", file).split("/")[0]
        source = sources.get(package) or sources.get(package.split(":")[0])
        if source not in listed and top not in header_only:
            unlisted[file] = source
    assert not unlisted, f"packaging/parts.tsv lists no part that has {unlisted}"
    assert len(files) > 50 and {"ips4o", "boost"} <= {name.split("/")[0] for name in names}, files
    assert "nanobind" in listed or not any(name.startswith("nanobind/") for name in names)


def packages_have_the_notices_of_compiled_headers(_):
    text = (ROOT / "packaging/copyright").read_text()
    named = {name.lower().replace(" ", "") for name in re.findall(r"\(([\w ]+)[,)]", text)}
    # The licence of Boost asks for no notice in programs. Of the libraries with sources, these have code in their headers.
    wanted = {name for name, place, licence, *_ in table() if place == "headers" and licence != "BSL-1.0"}
    wanted |= {"fmt", "simdjson", "spdlog", "xxhash"} | {name for name, place, *_ in table() if place == "npm"}
    missing = wanted - named
    assert not missing, f"packaging/copyright does not name {missing}"
    for licence in re.findall(r"^License: (.*)$", text, re.MULTILINE):
        for name in licence.split(" and "):
            assert re.search(rf"^License: {re.escape(name)}\n ", text, re.MULTILINE), f"packaging/copyright has no text of {name}"


def main():
    if not shutil.which("dpkg-query") or not shutil.which("dpkg-parsechangelog"):
        print("SKIPPED: only a Debian system knows which package a header is from")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    tests = [a_wheel_lists_what_the_extension_links, what_is_not_listed_is_refused,
             every_included_header_is_of_a_listed_part, packages_have_the_notices_of_compiled_headers]
    return run_tests([in_own_folder(test) for test in tests])


if __name__ == "__main__":
    sys.exit(main())
