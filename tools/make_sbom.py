#!/usr/bin/env python3
"""Writes which parts of others the archive of the program or a wheel holds, and their licences.

usage: make_sbom.py --arch ARCH --version VERSION --time SECONDS --commit COMMIT --zig FOLDER --node-modules FOLDER
                    --sources FOLDER [--python FOLDER] --out FOLDER

Writes OUT/parts.cdx.json, a software bill of materials in CycloneDX 1.6. It has the parts that packaging/parts.tsv lists,
with the versions that were built in: those of the unpacked sources, of the installed headers, of web/package-lock.json
and of the compiler. Parts of the kind python are in the bill of a wheel only, for which --python names the folder
(site-packages) that the extension was built with. The same input gives the same bytes. The texts of the licences go to
OUT/licences. Ends with an error if a part that is built in is not listed, or a listed one is not built in.
"""

import argparse
import importlib.metadata
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Parts:
    def __init__(self, options):
        self.options = options
        self.lock = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
        self.zig_version = (ROOT / "python/requirements-zig.txt").read_text().split("==")[1].strip()

    # Each of the following returns the version of a part, its package URL, and the text of its licence.

    def source(self, name, _):
        folder = self.options.sources / name / "debian"
        package = output_of("dpkg-parsechangelog", "-l", folder / "changelog", "-S", "Source")
        version = output_of("dpkg-parsechangelog", "-l", folder / "changelog", "-S", "Version")
        return version, debian_url(package, version), read_licence(name, folder / "copyright")

    def headers(self, name, header):
        package = output_of("dpkg-query", "-S", f"/usr/include/{header}").split(":")[0]
        fields = "${source:Package} ${source:Version}"
        source, version = output_of("dpkg-query", "-W", "-f", fields, package).split()
        return version, debian_url(source, version), read_licence(name, pathlib.Path("/usr/share/doc") / package / "copyright")

    def python(self, name, header):
        if header:
            return part_of_headers(name, self.options.python / header)
        metadata = next(iter(importlib.metadata.distributions(name=name, path=[str(self.options.python)])), None)
        if metadata is None:
            sys.exit(f"make_sbom: {self.options.python} has no package {name}, which packaging/parts.tsv lists")
        version, folder = metadata.version, self.options.python / f"{name}-{metadata.version}.dist-info"
        return version, f"pkg:pypi/{name}@{version}", read_licence(name, folder / "licenses/LICENSE")

    def npm(self, name, _):
        version = self.lock[f"node_modules/{name}"]["version"]
        return version, f"pkg:npm/{name}@{version}", read_licence(name, self.options.node_modules / name / "LICENSE")

    def zig(self, name, _):
        text = self.options.zig / ("LICENSE" if name == "zig" else f"lib/{name}/LICENSE.TXT")
        return self.zig_version, f"pkg:pypi/ziglang@{self.zig_version}", read_licence(name, text)


def read_licence(name, file):
    if not file.is_file():
        sys.exit(f"make_sbom: the licence of {name} is not in {file}")
    return file.read_bytes()


def part_of_headers(name, header):
    """A part inside another one: its version is in macros of the header, and its licence in the comment at the top."""
    text = header.read_text() if header.is_file() else ""
    numbers = dict(re.findall(r"^#define \w*_VERSION_(MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE))
    licence = re.match(r"/\*\*?\n(.*?) \*/", text, re.DOTALL)
    if len(numbers) != 3 or not licence or "Copyright" not in licence[1]:
        sys.exit(f"make_sbom: the version and the licence of {name} are not in {header}")
    version = ".".join(numbers[level] for level in ("MAJOR", "MINOR", "PATCH"))
    lines = [line.removeprefix(" *").removeprefix(" ") for line in licence[1].splitlines()]
    return version, f"pkg:generic/{name}@{version}", ("\n".join(lines) + "\n").encode()


def debian_url(source, version):
    return f"pkg:deb/debian/{source}@{urllib.parse.quote(version, safe='.-~')}?arch=source"


def read_table():
    for line in (ROOT / "packaging/parts.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, place, licence, *header = line.split("\t")
            yield name, place, licence, header[0] if header else None


def refuse_differences(what, listed, built):
    if listed != built:
        sys.exit(f"make_sbom: packaging/parts.tsv and {what} differ in {', '.join(sorted(built ^ listed))}")


def check_table(table, options):
    """Ends the program unless what can be seen of the parts that are built in is what is listed."""

    def listed(wanted):
        return {name for name, place, *_ in table if place == wanted}

    built = {path.parent.parent.name for path in options.sources.glob("*/debian/changelog")}
    refuse_differences("the sources that are built", listed("source"), built)
    # Vite makes the page, and is not in it.
    page = set(json.loads((ROOT / "web/package.json").read_text())["dependencies"]) - {"vite"}
    refuse_differences("the dependencies of web/package.json", listed("npm"), page)
    if options.python:
        inside = {path.name for path in (options.python / "nanobind/ext").iterdir()}
        refuse_differences("nanobind with what it contains", listed("python"), {"nanobind"} | inside)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("arch", "version", "commit"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--time", type=int, required=True)
    for name in ("zig", "node-modules", "sources", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--python", type=pathlib.Path)
    options = parser.parse_args()
    parts = Parts(options)

    licences = options.out / "licences"
    shutil.rmtree(licences, ignore_errors=True)
    licences.mkdir(parents=True)
    components = []
    table = list(read_table())
    check_table(table, options)
    for name, place, licence, header in table:
        if place == "python" and not options.python:
            continue
        version, url, text = getattr(parts, place)(name, header)
        (licences / name).write_bytes(text)
        components.append(
            {
                "type": "library",
                "bom-ref": f"{name}@{version}",
                "name": name,
                "version": version,
                "licenses": [{"expression": licence}],
                "purl": url,
            }
        )
    components.sort(key=lambda part: part["bom-ref"])
    application = f"benzer@{options.version}"
    seed = f"{application} {options.arch} {options.commit}" + (" wheel" if options.python else "")
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, seed)}",
        "version": 1,
        "metadata": {
            "timestamp": output_of("date", "-u", "-d", f"@{options.time}", "+%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": application,
                "name": "benzer",
                "version": options.version,
                "licenses": [{"expression": "Apache-2.0"}],
                "properties": [
                    {"name": "benzer:architecture", "value": options.arch},
                    {"name": "benzer:commit", "value": options.commit},
                ],
            },
        },
        "components": components,
        "dependencies": [{"ref": application, "dependsOn": [part["bom-ref"] for part in components]}],
    }
    (options.out / "parts.cdx.json").write_text(json.dumps(bill, indent=2) + "\n")


if __name__ == "__main__":
    main()
