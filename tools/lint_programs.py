"""Runs the checks of ./dev lint that use other programs: clang-format, clang-tidy, ruff, shellcheck, prettier."""

import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CLANG_FORMAT = "clang-format-19"
CLANG_TIDY = "clang-tidy-19"
CLANG = "clang++-19"
RUFF = "ruff==0.17.6"
SHELL_FILES = ["dev", ".ci/run", "tools/tests.sh", "tools/pre-commit"]
MOST_TIDIED = 60  # changed files that are checked: five minutes on two cores
# Options with which pip and npm fail soon without a network.
PIP_OPTIONS = ["-q", "--disable-pip-version-check", "--timeout", "20", "--retries", "1"]
NPM_OPTIONS = ["--loglevel=error", "--prefer-offline", "--fetch-retries=1", "--fetch-timeout=20000"]


class Skipped(Exception):
    """Raised by a check whose program is missing and cannot be installed here."""


def run(command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)


def apt_program(name):
    if shutil.which(name) is None:
        raise Skipped(f"{name} is not installed: ./dev setup lint")
    return name


def findings_of(done, says_finding):
    """Returns the output lines that are findings; if the program failed without one, its whole output."""
    lines = [line for line in (done.stdout + done.stderr).splitlines() if says_finding(line)]
    if done.returncode != 0 and not lines:
        return [(done.stderr or done.stdout).strip()]
    return sorted(set(lines))


def check_clang_format(root, sources, fix):
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    done = run([apt_program(CLANG_FORMAT), *mode, *sources], cwd=root)
    wrong = findings_of(done, lambda line: ": error:" in line)
    return sorted({f"{line.split(':')[0]}: not as {CLANG_FORMAT} writes it (./dev format)" for line in wrong})


# --- clang-tidy ----------------------------------------------------------------------------------

def changed_files(root, since):
    """Returns relative paths of files that are new, or differ from the point where this branch left `since`."""
    base = run(["git", "merge-base", "HEAD", since], cwd=root)
    if base.returncode != 0:
        raise Skipped(f"git knows no {since} that this branch could have left")
    changed = run(["git", "diff", "--name-only", base.stdout.strip()], cwd=root).stdout
    new = run(["git", "ls-files", "--others", "--exclude-standard"], cwd=root).stdout
    return {Path(line) for line in (changed + new).splitlines()}


def main_branch(root):
    known = [name for name in ("origin/main", "main") if run(["git", "rev-parse", "-q", "--verify", name], cwd=root).stdout]
    if not known:
        raise Skipped("git knows no main branch to compare with")
    return known[0]


def compile_commands(root):
    """Returns a folder with the commands that compile each file alone (with BENZER_UNITY a command compiles a dozen), and these files."""
    build = Path(root, "build", "lint")
    options = [f"-DBENZER_{what}=ON" for what in ("TESTS", "EXAMPLES", "BENCH")]
    done = run(["cmake", "--preset", "debug", "-B", build, f"-DCMAKE_CXX_COMPILER={CLANG}", "-DBENZER_UNITY=OFF", *options],
               cwd=root)
    if done.returncode != 0:
        raise Skipped(f"cmake could not configure build/lint (./dev setup):\n{done.stderr.strip()}")
    entries = json.loads(Path(build, "compile_commands.json").read_text(encoding="utf-8"))
    return build, {Path(entry["file"]).relative_to(root) for entry in entries}


def check_clang_tidy(root, sources, since):
    """Checks all files if `since` is None. A header is checked through the .cc file of the same name."""
    apt_program(CLANG_TIDY)
    wanted = set(sources)
    if since is not None:
        wanted &= changed_files(root, since or main_branch(root))
        wanted |= {path.with_suffix(".cc") for path in wanted}
    if not wanted:
        return []
    build, compiled = compile_commands(root)

    def tidy(path):
        done = run([CLANG_TIDY, "-p", build, "--quiet", path], cwd=root)
        return findings_of(done, lambda line: ": error: " in line or ": warning: " in line)

    files = sorted(wanted & compiled)
    # Checking half of all files would take an hour, and such a change is usually a renaming.
    if since is not None and len(files) > MOST_TIDIED:
        print(f"clang-tidy looks at {MOST_TIDIED} of the {len(files)} files that differ; ./dev lint --all looks at every one", file=sys.stderr)
        files = random.Random(len(files)).sample(files, MOST_TIDIED)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = {line for lines in pool.map(tidy, files) for line in lines}
    return sorted(line.removeprefix(f"{root}/").replace(",-warnings-as-errors", "") for line in findings)


# --- the others ----------------------------------------------------------------------------------

def check_ruff(root, fix):
    venv = Path(root, "build", "ruff-venv")
    program, version = venv / "bin" / "ruff", RUFF.split("==")[1]
    if not program.exists() or run([program, "--version"]).stdout.split() != ["ruff", version]:
        for step in ([sys.executable, "-m", "venv", venv], [venv / "bin" / "pip", "install", *PIP_OPTIONS, RUFF]):
            done = run(step)
            if done.returncode != 0:
                raise Skipped(f"{RUFF} could not be installed: {done.stderr.strip()}")
    done = run([program, "check", "--quiet", "--output-format", "concise", *(["--fix"] if fix else []), "."], cwd=root)
    return findings_of(done, lambda line: ".py:" in line)


def check_shell(root):
    done = run([apt_program("shellcheck"), "-f", "gcc", *SHELL_FILES], cwd=root)
    return findings_of(done, lambda line: ": " in line)


def check_prettier(root, fix):
    web = Path(root, "web")
    program = web / "node_modules" / ".bin" / "prettier"
    wanted = json.loads((web / "package.json").read_text(encoding="utf-8"))["devDependencies"]["prettier"]
    if not program.exists() or run([program, "--version"]).stdout.strip() != wanted:
        if shutil.which("npm") is None:
            raise Skipped("npm is not installed")
        done = run(["npm", "ci", *NPM_OPTIONS], cwd=web)
        if done.returncode != 0:
            raise Skipped(f"npm ci failed in web/: {done.stderr.strip()[:300]}")
    done = run([program, "--write" if fix else "--check", "--log-level", "warn", "."], cwd=web)
    wrong = findings_of(done, lambda line: line.startswith("[warn] ") and "Code style" not in line)
    return [f"web/{line.removeprefix('[warn] ')}: not as prettier writes it (./dev format)" for line in wrong]
