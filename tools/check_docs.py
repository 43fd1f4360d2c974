#!/usr/bin/env python3
"""Holds the pages to what the program does.

usage: check_docs.py PROGRAM

  links      relative links of all pages lead to files, and to headings in them
  examples   the shell lines of README.md and docs/tour.md run, on small inputs made here; their C++ is
             examples/dedup.cc, that of docs/classics.md is examples/walk_through.cc and report.cc, and that of
             docs/config.md is examples/own_features.cc
  options    docs/cli.md and the help of the commands name the same options
  install    what `cmake --install` leaves can be found and linked by a project of its own: the examples, which run;
             and nothing else is left, such as parts of the Python package
  packages   so can what the Debian packages hold, and the program in them runs

Prints a line per finding and closes with "N passed, N failed".
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "build" / "docs"
EXAMPLES = ["README.md", "docs/tour.md"]
SKIPPED_FOLDERS = {".git", ".venv", "build", "out", "node_modules"}


def pages():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".md"))


def without_code(page):
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page):
    """What may follow a # in a link to the page: its headings, as GitHub spells them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(_program):
    for page in pages():
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)[^)]*\)", without_code(page)):
            other = page.parent / target if target else page
            if "://" in target:
                continue
            if not other.exists() or (anchor and other.suffix == ".md" and anchor not in anchors(other)):
                yield f"{page.relative_to(ROOT)}: the link to {target}#{anchor} leads nowhere"


def words(seed):
    known = "one two three four five six seven eight nine ten eleven twelve".split()
    return " ".join(random.Random(seed).choices(known, k=60))


def make_inputs(folder):
    """Makes forty documents, every second one a near-copy, in the files that the pages name."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "letters").mkdir(parents=True)
    texts = [words(n // 2) + (" and so on" if n % 2 else "") for n in range(40)]
    lines = [json.dumps({"id": f"d{n}", "text": text}) + "\n" for n, text in enumerate(texts)]
    (folder / "docs.jsonl").write_text("".join(lines))
    (folder / "seen.jsonl").write_text("".join(lines[:10]))
    (folder / "table.csv").write_text("id,body\n" + "".join(f"d{n},{text}\n" for n, text in enumerate(texts)))
    (folder / "notes.txt").write_text("".join(text + "\n" for text in texts))
    for part, half in enumerate((lines[:20], lines[20:])):
        zstd = ["zstd", "-q", "-o", str(folder / f"part-{part}.jsonl.zst")]
        subprocess.run(zstd, input="".join(half), text=True, check=True)
    for n, text in enumerate(texts[:10]):
        (folder / "letters" / f"{n}.txt").write_text(text)
    (folder / "a.txt").write_text(texts[0])
    (folder / "b.txt").write_text(texts[1])


def check_examples(program):
    example = (ROOT / "examples" / "dedup.cc").read_text(encoding="utf-8")
    yield from foreign_lines(ROOT / "docs" / "classics.md", ("walk_through.cc", "report.cc"))
    yield from foreign_lines(ROOT / "docs" / "config.md", ("own_features.cc",))
    kinds = set()
    for page in EXAMPLES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for kind, block in re.findall(r"```(cpp|sh)\n(.*?)```", text, re.DOTALL):
            kinds.add((page, kind))
            if kind == "cpp" and block not in example:
                yield f"{page}: its C++ is not that of examples/dedup.cc"
        yield from failing_lines(program, page, "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)))
    wanted = {(page, "sh") for page in EXAMPLES} | {("docs/tour.md", "cpp")}
    for missing in sorted(wanted - kinds):
        yield "{}: no block of {} in it".format(*missing)


def foreign_lines(page, names):
    """The C++ of a page that is in none of these examples; indentation does not count."""
    def unindented(text):
        return "".join(line.strip() + "\n" for line in text.splitlines())

    sources = [unindented((ROOT / "examples" / name).read_text(encoding="utf-8")) for name in names]
    for block in re.findall(r"```cpp\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        if not any(unindented(block) in source for source in sources):
            yield f"{page.relative_to(ROOT)}: this C++ is in none of the examples {', '.join(names)}:\n{block}"


def failing_lines(program, page, lines):
    folder = SCRATCH / "examples-of-pages"
    make_inputs(folder)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    for line in lines.splitlines():
        run = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
            stdin=subprocess.DEVNULL,
        )
        if run.returncode != 0:
            yield f"{page}: '{line}' ended with {run.returncode}: {run.stderr.strip()}"
    removed = folder / "clean.jsonl.removed.jsonl"
    count = removed.read_text().count("\n") if removed.exists() else 0
    if count < 20:
        yield f"{page}: {count} documents were removed, not 20 or more"


def check_options(program):
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| .*?`(--[a-z-]+)", page, re.MULTILINE)) | {"--version"}
    offered = {"--version"}
    program_help = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    for command in re.findall(r"^  ([a-z][a-z-]*) +\S", program_help.split("\nExamples:")[0], re.MULTILINE):
        run = subprocess.run([program, command, "--help-all"], capture_output=True, text=True)
        if run.returncode != 0:
            yield f"benzer {command} --help-all ended with {run.returncode}"
        options = run.stdout.split("\nExamples:")[0]
        offered |= set(re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", options, re.MULTILINE))
    for option in sorted(offered - described):
        yield f"docs/cli.md: {option} is missing"
    for option in sorted(described - offered):
        yield f"docs/cli.md: {option} is described, but no command has it"


def first_failure(steps):
    """Runs commands until one fails. Returns the output of the last one, and the command that failed, or None."""
    for index in ("news.benzer", "code.benzer"):
        shutil.rmtree(SCRATCH / index, ignore_errors=True)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    for step in steps:
        run = subprocess.run(list(map(str, step)), capture_output=True, text=True, cwd=SCRATCH)
        if run.returncode != 0:
            return run.stdout, f"'{' '.join(map(str, step))}' ended with {run.returncode}:\n{run.stdout}{run.stderr}"
    return run.stdout, None


# A line that each example prints.
SAID = {
    "research": "fss:128: J is about",
    "index": "seen before, 2 documents",
    "attributes": "similar where lang = en and price < 100: a (1, price 90) b (",
    "own_features": "own:code4@1 removes 1\n0 documents in an index of code=own:code4@1\ncopy is like sum, J = 1, from: ",
    "dedup": '"copy" is a near-copy of "fox"',
    "report": "a: J = 0.66",
    "csharp_blog": "document 0 is similar to document 1, J = 0.98",
    "slides": "document 0 and 2: J = 0",
    "scala_blog": "a cluster: 0 1\n",
    "course": "text3 is similar to text3.copy1, J = 0.97",
    "walk_through": "2 candidates\nD1 D3 are similar\n",
}

COMPONENTS = """cmake_minimum_required(VERSION 3.25)
project(components LANGUAGES CXX)
find_package(benzer COMPONENTS unknown)
if(benzer_FOUND)
  message(FATAL_ERROR "a component that does not exist was found")
endif()
find_package(benzer REQUIRED OPTIONAL_COMPONENTS unknown)
if(NOT TARGET benzer::benzer OR TARGET benzer::research)
  message(FATAL_ERROR "without a component there is more or less than benzer::benzer")
endif()
find_package(benzer REQUIRED COMPONENTS research)
if(NOT TARGET benzer::research)
  message(FATAL_ERROR "there is no benzer::research")
endif()
"""


def components_project():
    folder = SCRATCH / "components"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(COMPONENTS)
    return folder


def check_consumer(prefix, before):
    """Fills the prefix, then builds and runs the examples as a project that uses only the prefix."""
    build = SCRATCH / "examples"
    for folder in (prefix, build):
        shutil.rmtree(folder, ignore_errors=True)
    prefix.mkdir(parents=True)
    components = components_project()
    where = f"-DCMAKE_PREFIX_PATH={prefix};{prefix}/usr"
    said, failure = first_failure([
        *before,
        ["cmake", "-G", "Ninja", "-S", components, "-B", components / "build", where],
        ["cmake", "-G", "Ninja", "-S", ROOT / "examples", "-B", build, where],
        ["cmake", "--build", build],
    ])
    if failure:
        yield failure
        return
    for name, expected in SAID.items():
        said, failure = first_failure([[build / f"example_{name}"]])
        if failure or expected not in said:
            yield failure or f"the example {name} says:\n{said}"
    yield from check_own_rule(build / "example_own_features", prefix)


def check_own_rule(example, prefix):
    """The index of the example opens in a second process that has its rule, and in no program without it."""
    said, failure = first_failure([[example], [example]])
    if failure or "2 documents in an index of code=own:code4@1" not in said:
        yield failure or f"the second run of {example.name} says:\n{said}"
    program = next(prefix.rglob("bin/benzer"))
    run = subprocess.run([program, "stats", "code.benzer"], cwd=SCRATCH, capture_output=True, text=True)
    if run.returncode != 2 or 'need the text rule "code", which this program does not have' not in run.stderr:
        yield f"'benzer stats' of an index with a rule that it does not have ended with {run.returncode}: {run.stderr}"


# What is installed: in the first place by the component program, as docs/operating.md does it, and in the second
# by all of them.
INSTALLED_PROGRAM = ["bin/benzer", r"share/man/man1/benzer[a-z-]*\.1\.gz", "share/bash-completion/completions/benzer",
                     "share/zsh/(site-functions|vendor-completions)/_benzer", "share/fish/vendor_completions.d/benzer.fish",
                     r"share/doc/benzer/(copyright|changelog\.gz)"]
INSTALLED = [*INSTALLED_PROGRAM, r"include/benzer/[a-z0-9_/]+\.h", r"lib(64)?/([^/]+/)?libbenzer(_research)?\.a",
             r"lib(64)?/([^/]+/)?cmake/benzer/(benzer-[a-z-]+|FindStemmer)\.cmake", r"share/doc/libbenzer-dev/(copyright|changelog\.gz)"]


def foreign_files(prefix, allowed):
    """Names the files below the prefix that match none of these expressions, and the expressions that no file matches."""
    files = [str(file.relative_to(prefix)) for file in sorted(prefix.rglob("*")) if not file.is_dir()]
    for file in files:
        if not any(re.fullmatch(expression, file) for expression in allowed):
            yield f"'cmake --install' leaves {file}"
    for expression in allowed:
        if not any(re.fullmatch(expression, file) for file in files):
            yield f"'cmake --install' leaves no file {expression}"


def check_install(program):
    prefix = SCRATCH / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    install = ["cmake", "--install", program.parent, "--prefix", prefix]
    _, failure = first_failure([[*install, "--component", "program"]])
    if failure:
        yield failure
        return
    yield from foreign_files(prefix, INSTALLED_PROGRAM)
    yield from check_consumer(prefix, [install])
    yield from foreign_files(prefix, INSTALLED)
    yield from check_runs(prefix / "bin" / "benzer")


def check_packages(program):
    if not shutil.which("dpkg-deb"):
        return
    made, root = SCRATCH / "packages", SCRATCH / "root"
    shutil.rmtree(made, ignore_errors=True)
    _, failure = first_failure([["cpack", "--config", program.parent / "CPackConfig.cmake", "-B", made]])
    packages = sorted(made.glob("*.deb"))
    if failure or {p.name.split("_")[0] for p in packages} != {"benzer", "benzer-server", "libbenzer-dev"}:
        yield failure or f"there are other packages than these three: {packages}"
        return
    yield from check_consumer(root, [["dpkg-deb", "-x", package, root] for package in packages])
    yield from check_runs(root / "usr" / "bin" / "benzer")


def check_runs(program):
    _, failure = first_failure([[program, "--version"]])
    if failure:
        yield failure


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Path(sys.argv[1]).resolve()
    checks = {"links": check_links, "examples": check_examples, "options": check_options, "install": check_install,
              "packages": check_packages}
    failed = 0
    for name, check in checks.items():
        findings = list(check(program))
        for finding in findings:
            print(f"{name}: {finding}")
        failed += bool(findings)
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
