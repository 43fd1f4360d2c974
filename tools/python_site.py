#!/usr/bin/env python3
"""Makes the site of the Python package with Sphinx (docs/conf.py).

usage: python_site.py

  guides     docs/python/
  reference  a page for each subject, made from the docstrings of python/benzer/
  engine     the other pages of docs/, so that links to them lead somewhere without a network

The pages are copied to build/docs/python-pages. Links between them become links of the site, and links to other
files become plain text. Warnings are errors. Prints where the site is: build/docs/python/index.html.
"""

import ast
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "docs" / "python-pages"
SITE = ROOT / "build" / "docs" / "python"

# The columns of links at the side: title, and pages.
TASKS = ["clean_corpus", "references", "tables", "keep", "passages", "indexes", "scikit_learn", "how_sure", "spark",
         "ray_dask_datasets", "conventions"]
MIGRATIONS = ["from_datasketch", "from_text_dedup", "from_datatrove"]
ENGINE = ["tour", "cli", "config", "images", "rest", "operating", "design", "format", "benchmarks", "accuracy",
          "classics"]

# Page, title, and what it describes: names of the package, or one of its modules.
REFERENCE = [
    ("functions", "Functions", ["deduplicate", "pairs", "passages", "remove_passages", "sketch", "compare",
                                "explain", "plan"]),
    ("results", "Results", ["Result", "Pairs", "Passages", "PassageRemoval", "Report", "PassageReport",
                            "Table"]),
    ("index_class", "Index", ["Index", "AddResult", "RefusedDocument", "Match", "Shares", "PassageMatch",
                              "QueryPassage", "CheckResult", "IndexedDocument"]),
    ("errors", "Errors", ["Error", "InvalidArgumentError", "BadInputError", "NotFoundError", "NoIndexError", "BusyError",
                          "GuardRailError", "InterruptedRunError", "CorruptError", "StorageFailedError",
                          "UnavailableError", "DeniedError"]),
    ("polars", "benzer.polars", "benzer.polars"),
    ("sklearn", "benzer.sklearn", "benzer.sklearn"),
    ("datasketch", "benzer.datasketch", "benzer.datasketch"),
    ("datatrove", "benzer.datatrove", "benzer.datatrove"),
    ("spark", "benzer.spark", "benzer.spark"),
]

# What Sphinx also shows on a page: bases of exceptions, and how an index is made.
OPTIONS = {"errors": "   :show-inheritance:\n", "index_class": "   :class-doc-from: both\n   :inherited-members: tuple\n"}


def site_name(path):
    """The name on the site of a page or a picture of the repository; None if the site does not have it."""
    if path.startswith("docs/python/"):
        return path.removeprefix("docs/python/")
    if re.fullmatch(r"docs/([^/]+\.(md|png)|charts/[^/]+)", path):
        return "engine/" + path.removeprefix("docs/")
    return None


def with_links(text, path):
    """The text of a page with links that are right on the site."""
    folder = posixpath.dirname(site_name(path))

    def link(match):
        mark, label, target, anchor = match.groups(default="")
        if not target or "://" in target:
            return match.group()
        goal = site_name(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        return f"{mark}[{label}]({posixpath.relpath(goal, folder)}{anchor})" if goal else label

    def outside_code(part):
        return part if part.startswith("```") else re.sub(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", link, part)

    return "".join(map(outside_code, re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)))


def public_names():
    """What the package exports."""
    tree = ast.parse((ROOT / "python" / "benzer" / "__init__.py").read_text(encoding="utf-8"))
    [names] = [node.value for node in tree.body if ast.unparse(node).startswith("__all__")]
    return set(ast.literal_eval(names))


def reference_pages():
    """The pages of the reference: name and text. Each public name is on one of them."""
    missing = public_names()
    for page, title, what in REFERENCE:
        if isinstance(what, str):
            directives = [f".. automodule:: {what}\n   :imported-members:\n"]
        else:
            kinds = {name: "autoclass" if name[0].isupper() else "autofunction" for name in what}
            directives = [f".. {kind}:: benzer.{name}\n{OPTIONS.get(page, '')}" for name, kind in kinds.items()]
            missing -= set(what)
        yield page, f"# {title}\n\n```{{eval-rst}}\n{chr(10).join(directives)}```\n"
    if missing:
        sys.exit(f"python_site.py: no page of the reference has {', '.join(sorted(missing))}; add it to REFERENCE")


def contents(title, folder, pages):
    entries = "\n".join(f"{folder}{page}" for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{entries}\n```\n"


def gather():
    """Copies and makes all pages."""
    for folder in (PAGES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    docs = ROOT / "docs"
    for file in [*docs.rglob("*.md"), *docs.glob("*.png"), *docs.glob("charts/*")]:
        path = file.relative_to(ROOT).as_posix()
        name = site_name(path)
        if name is None:
            continue
        (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            (PAGES / name).write_text(with_links(file.read_text(encoding="utf-8"), path), encoding="utf-8")
        else:
            shutil.copyfile(file, PAGES / name)
    (PAGES / "reference").mkdir()
    for page, text in reference_pages():
        (PAGES / "reference" / f"{page}.md").write_text(text, encoding="utf-8")
    with open(PAGES / "index.md", "a", encoding="utf-8") as index:
        index.write(contents("By task", "", ["Quick start <self>", *TASKS]))
        index.write(contents("From another tool", "", MIGRATIONS))
        index.write(contents("Reference", "reference/", [page for page, _, _ in REFERENCE]))
        index.write(contents("The engine", "engine/", ENGINE))


def main():
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    gather()
    options = ["-q", "-E", "-W", "--keep-going", "-d", f"{PAGES}.cache", "-c", ROOT / "docs"]
    if subprocess.run([sys.executable, "-m", "sphinx", *options, PAGES, SITE]).returncode != 0:
        sys.exit("python_site.py: Sphinx has warnings; see above")
    print(SITE.relative_to(ROOT) / "index.html")


if __name__ == "__main__":
    main()
