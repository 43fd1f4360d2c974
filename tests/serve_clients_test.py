#!/usr/bin/env python3
# labels: server slow
"""Generates clients from the /openapi.json of a `benzer serve`, in Python and TypeScript, and uses them.

The commands and examples are those of docs/rest.md; tests/clients/ has what further uses the clients. For Python it needs
openapi-python-client (PyPI) in the Python that runs this, or in the one that the variable PYTHON names; for TypeScript Node.js 20.19, and
npm with the packages of tests/clients/package.json. What is missing is installed in build/; without a network that language is skipped.
Takes about ten seconds, without installing. The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from serve_test_util import Server, Skip, made, make_keys, run_tests, same, scratch

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "rest.md"
CLIENTS = ROOT / "tests" / "clients"
ADDRESS, KEY = "http://127.0.0.1:6363", "bz_..."  # in the examples
TEXTS = {"fox": "The quick brown fox jumps over the lazy dog near the old river bank.", "copy": "The quick brown fox jumps over the lazy dog near the old river bend."}
PATIENCE = 120  # seconds for a step, of which none takes five
PIP_OPTIONS = ["-q", "--disable-pip-version-check", "--timeout", "20", "--retries", "1"]
NPM_OPTIONS = ["--loglevel=error", "--prefer-offline", "--fetch-retries=1", "--fetch-timeout=20000"]


class Example:
    """The section of docs/rest.md about clients, for the servers of this test."""

    def __init__(self, open_server: Server, server: Server, keys: dict[str, str]) -> None:
        self.addresses = [f"http://127.0.0.1:{one.port}" for one in (open_server, server)]
        self.keys = keys
        section = PAGE.read_text(encoding="utf-8").split("\n## Generated clients\n")[1].split("\n## ")[0]
        self.blocks = dict(re.findall(r"```(console|python|ts)\n(.*?)```", section, re.DOTALL))
        same(sorted(self.blocks), ["console", "python", "ts"], "the examples of the page")

    def block(self, language: str) -> str:
        """An example, with the address and a key of the server that has keys."""
        text = self.blocks[language]
        assert ADDRESS in text, f"{ADDRESS} is not in {text}"
        return text.replace(ADDRESS, self.addresses[1]).replace(KEY, self.keys["read"])

    def command(self, begin: str) -> list[str]:
        found = [line for line in self.block("console").splitlines() if line.startswith(begin)]
        same(len(found), 1, f"commands that begin with '{begin}'")
        return found[0].split()

    def arguments(self) -> list[str]:
        """Those of the programs in tests/clients/."""
        return [*self.addresses, self.keys["read"], self.keys["admin"]]


def run(words: list[str | Path], folder: Path, **environment: str) -> str:
    """Returns what a command says, on both outputs."""
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=PATIENCE,
                          env={**os.environ, "NO_COLOR": "1", **environment})
    assert done.returncode == 0, f"{words[0]} ended with {done.returncode}: {done.stdout[-4000:]}"
    return done.stdout


def check_matches(said: str) -> None:
    same([line.split()[0] for line in said.splitlines()], ["copy"], "what the example finds")


# --- Python ---------------------------------------------------------------------------------------

def interpreter(package: str) -> str:
    """Returns a Python that has this version of openapi-python-client; installs it into an environment of its own if there is none."""
    name, version = package.split("==")
    asks = f"import importlib.metadata as m, sys; sys.exit(m.version('{name}') != '{version}')"
    venv = ROOT / "build" / "clients-venv"
    own = venv / "bin" / "python"
    for python in (os.environ.get("PYTHON"), sys.executable, own if own.exists() else None):
        if python and subprocess.run([python, "-c", asks], capture_output=True, check=False, timeout=60).returncode == 0:
            return str(python)
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    if subprocess.run([own, "-m", "pip", "install", *PIP_OPTIONS, package], capture_output=True, check=False).returncode != 0:
        raise Skip(f"there is no {package}, and it could not be installed (no network?)")
    return str(own)


def test_python(example: Example) -> None:
    python = interpreter(example.command("pip install")[-1])
    folder = scratch("serve-clients-python")
    shutil.copy(CLIENTS / "openapi-python-client.yaml", folder)
    words = example.command("openapi-python-client generate")[1:]
    said = run([python, "-m", "openapi_python_client", *words, "--fail-on-warning"], folder)
    assert "warning" not in said.lower(), said
    (folder / "example.py").write_text(example.block("python"), encoding="utf-8")
    check_matches(run([python, "example.py"], folder))
    shutil.copy(CLIENTS / "use_client.py", folder)
    run([python, "use_client.py", *example.arguments()], folder)


# --- TypeScript -----------------------------------------------------------------------------------

def packages() -> Path:
    """Returns the folder of the packages that tests/clients/package-lock.json names; installs them if they are not there."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise Skip("there is no Node.js, or no npm")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(map(int, version.lstrip("v").split(".")[:2])) < (20, 19):
        raise Skip(f"Node.js is {version}, and 20.19 is needed")
    folder = ROOT / "build" / "clients-node"
    lock = (CLIENTS / "package-lock.json").read_text(encoding="utf-8")
    stamp = folder / "installed-lock.json"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != lock:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(CLIENTS / name, folder)
        if subprocess.run(["npm", "ci", *NPM_OPTIONS], cwd=folder, capture_output=True, check=False).returncode != 0:
            raise Skip("npm could not fetch the packages of tests/clients/package.json (no network?)")
        stamp.write_text(lock, encoding="utf-8")
    return folder / "node_modules"


def test_typescript(example: Example) -> None:
    modules = packages()
    wanted = json.loads((CLIENTS / "package.json").read_text(encoding="utf-8"))
    same(sorted(example.command("npm install")[2:]), sorted(f"{name}@{version}" for group in ("dependencies", "devDependencies") for name, version in wanted[group].items()),
         "the packages of the page")
    folder = scratch("serve-clients-typescript")
    (folder / "node_modules").symlink_to(modules)
    for name in ("package.json", "tsconfig.json", "use_client.ts"):
        shutil.copy(CLIENTS / name, folder)
    (folder / "example.ts").write_text(example.block("ts"), encoding="utf-8")
    said = run([modules / ".bin" / "openapi-typescript", *example.command("npx openapi-typescript")[2:]], folder)
    assert "warn" not in said.lower(), said
    run([modules / ".bin" / "tsc"], folder)
    check_matches(run(["node", "example.js"], folder))
    run(["node", "use_client.js", *example.arguments()], folder)


def main() -> int:
    folder = scratch("serve-clients")
    for name in ("open", "locked"):
        (folder / name).mkdir()
    file, keys = make_keys(folder)
    with Server(folder / "open") as open_server, Server(folder / "locked", keys=file) as server:
        made(server.client(keys["admin"]), "news", TEXTS)
        return run_tests([test_python, test_typescript], Example(open_server, server, keys))


if __name__ == "__main__":
    sys.exit(main())
