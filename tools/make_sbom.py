#!/usr/bin/env python3
"""Writes which parts of others the archive of the program holds, and their licences.

usage: make_sbom.py --arch ARCH --version VERSION --time SECONDS --commit COMMIT --zig FOLDER --node-modules FOLDER
                    --sources FOLDER --out FOLDER

Writes OUT/parts.cdx.json, a software bill of materials in CycloneDX 1.6. It has the parts that packaging/parts.tsv lists,
with the versions that were built in: those of the unpacked sources, of the installed headers, of web/package-lock.json
and of the compiler. The same input gives the same bytes. The texts of the licences go to OUT/licences.
"""

import argparse
import json
import pathlib
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

    # Each of the following returns the version of a part, its package URL, and the file with its licence.

    def source(self, name, _):
        folder = self.options.sources / name / "debian"
        package = output_of("dpkg-parsechangelog", "-l", folder / "changelog", "-S", "Source")
        version = output_of("dpkg-parsechangelog", "-l", folder / "changelog", "-S", "Version")
        return version, debian_url(package, version), folder / "copyright"

    def headers(self, _, header):
        package = output_of("dpkg-query", "-S", f"/usr/include/{header}").split(":")[0]
        fields = "${source:Package} ${source:Version}"
        source, version = output_of("dpkg-query", "-W", "-f", fields, package).split()
        return version, debian_url(source, version), pathlib.Path("/usr/share/doc") / package / "copyright"

    def npm(self, name, _):
        version = self.lock[f"node_modules/{name}"]["version"]
        return version, f"pkg:npm/{name}@{version}", self.options.node_modules / name / "LICENSE"

    def zig(self, name, _):
        text = self.options.zig / ("LICENSE" if name == "zig" else f"lib/{name}/LICENSE.TXT")
        return self.zig_version, f"pkg:pypi/ziglang@{self.zig_version}", text


def debian_url(source, version):
    return f"pkg:deb/debian/{source}@{urllib.parse.quote(version, safe='.-~')}?arch=source"


def read_table():
    for line in (ROOT / "packaging/parts.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, place, licence, *header = line.split("\t")
            yield name, place, licence, header[0] if header else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("arch", "version", "commit"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--time", type=int, required=True)
    for name in ("zig", "node-modules", "sources", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    parts = Parts(options)

    licences = options.out / "licences"
    shutil.rmtree(licences, ignore_errors=True)
    licences.mkdir(parents=True)
    components = []
    table = list(read_table())
    built = {path.parent.parent.name for path in options.sources.glob("*/debian/changelog")}
    listed = {name for name, place, *_ in table if place == "source"}
    if built != listed:
        sys.exit(f"make_sbom: packaging/parts.tsv and the sources that are built differ in {', '.join(sorted(built ^ listed))}")
    for name, place, licence, header in table:
        version, url, text = getattr(parts, place)(name, header)
        if not text.is_file():
            sys.exit(f"make_sbom: the licence of {name} is not in {text}")
        shutil.copyfile(text, licences / name)
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
    seed = f"{application} {options.arch} {options.commit}"
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
