# labels: python
"""Tests the examples and the help of the package, what it imports, and where it refuses to be imported."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import pydoc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import benzer

FOLDER = Path(benzer.__file__).parent
LAZY = ["numpy", "pyarrow", "pandas", "polars", "tqdm", "datasets", "duckdb", "fsspec", "sklearn", "asyncio"]


def modules() -> Iterator[ModuleType]:
    yield benzer
    for found in pkgutil.walk_packages([str(FOLDER)], "benzer."):
        if found.name.rpartition(".")[2] not in ("__main__", "_engine"):
            try:
                yield importlib.import_module(found.name)
            except ImportError as error:
                # A module for a library that is not installed, such as benzer.sklearn.
                if (error.name or "").startswith("benzer"):
                    raise


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__)
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    assert result.failed == 0


def test_there_are_examples() -> None:
    found = [test for test in doctest.DocTestFinder(exclude_empty=True).find(benzer) if test.examples]
    assert found
    names = ["deduplicate", "pairs", "passages", "remove_passages", "sketch", "plan"]
    for name in (
        *names,
        "Index",
        "Result",
        "Pairs",
        "Passages",
        "PassageRemoval",
        "PassageReport",
        "Report",
        "Table",
        "Error",
    ):
        assert ">>> import benzer" in (getattr(benzer, name).__doc__ or ""), name


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__)
def test_public_names_have_examples(module: ModuleType) -> None:
    names = [] if module.__name__.startswith("benzer.datasketch") else getattr(module, "__all__", [])
    for name in names:
        document = getattr(module, name).__doc__ or ""
        if name.endswith("Error") or name == "write":
            continue  # of errors GuardRailError alone is used in a special way; read() shows write()
        assert ">>>" in document, f"{module.__name__}.{name}"


@pytest.mark.parametrize("name", benzer.__all__)
def test_public_names_have_docstrings(name: str) -> None:
    value = getattr(benzer, name)
    document = value.__doc__ or ""
    assert document.strip(), name
    # A dataclass without a docstring gets its signature as one.
    assert not document.startswith(f"{name}("), name
    assert pydoc.render_doc(value)
    if not inspect.isclass(value):
        return
    for key, member in vars(value).items():
        if key.startswith("_"):
            continue
        member = getattr(member, "__func__", member)
        if inspect.isfunction(member) or isinstance(member, property):
            assert (member.__doc__ or "").strip(), f"{name}.{key}"


@pytest.mark.parametrize("function", [benzer.deduplicate, benzer.pairs, benzer.passages, benzer.remove_passages])
def test_help_tells_all_arguments(function: object) -> None:
    text = pydoc.plain(pydoc.render_doc(function))
    for name in inspect.signature(function).parameters:  # type: ignore[arg-type]
        assert name in text
    if function is not benzer.pairs:
        described = (function.__doc__ or "").partition("Args:")[2]
        for name in inspect.signature(function).parameters:  # type: ignore[arg-type]
            assert f"{name}:" in described or f"{name}," in described, name
        assert "Raises:" in text
    if function in (benzer.deduplicate, benzer.remove_passages):
        assert "benzer.GuardRailError" in text


def test_all_is_sorted_and_complete() -> None:
    assert list(benzer.__all__) == sorted(benzer.__all__)
    public = {name for name, value in vars(benzer).items() if not name.startswith("_") and inspect.isclass(value)}
    assert public <= set(benzer.__all__)


def test_import_is_light() -> None:
    done = run_python(
        "import sys\nbefore = set(sys.modules)\nimport benzer\nprint(' '.join(sorted(set(sys.modules) - before)))\n"
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "benzer" in loaded
    assert not loaded & set(LAZY)


def test_works_without_the_other_libraries() -> None:
    block = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in LAZY if name != "asyncio")
    done = run_python(
        block + "import benzer\n"
        "texts = ['one two three four five six', 'seven'] * 2\n"
        "assert benzer.deduplicate(texts, progress=True).kept() == texts[:2]\n"
        "assert list(benzer.pairs(texts)) == [(0, 2, 1.0), (1, 3, 1.0)]\n"
        "index = benzer.Index()\n"
        "index.add([{'id': 1, 'text': texts[0]}])\n"
        "assert index.similar(texts)[0][0].id == '1'\n"
        "assert len(index.pairs()) == 0\n"
        "try:\n"
        "    benzer.deduplicate('nothing.parquet')\n"
        "except benzer.Error as error:\n"
        "    print(error)\n"
    )
    assert done.returncode == 0, done.stderr
    assert "nothing.parquet" in done.stdout


def test_sub_interpreters_are_refused() -> None:
    if sys.version_info < (3, 12):
        pytest.skip("Python tells extensions from version 3.12 on whether a sub-interpreter imports them")
    name = next(name for name in ("_interpreters", "_xxsubinterpreters") if importlib.util.find_spec(name))
    done = run_python(
        f"import {name} as interpreters\n"
        "one = interpreters.create()\n"
        "code = '''try:\n    import benzer\nexcept ImportError as error:\n    print(error)\n'''\n"
        "interpreters.run_string(one, code)\n"
    )
    assert done.returncode == 0, done.stderr
    assert "benzer" in done.stdout  # by the package, or by Python for its engine
    assert "interpreter" in done.stdout


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py*")), ids=lambda path: path.name)
def test_syntax_is_of_python_3_10(path: Path) -> None:
    if path.suffix in (".py", ".pyi"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))


def test_package_is_typed() -> None:
    assert (FOLDER / "py.typed").exists()
    stub = ast.parse((FOLDER / "_engine.pyi").read_text(encoding="utf-8"))
    told = {
        node.name: {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
        for node in stub.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    engine = importlib.import_module("benzer._engine")
    for name, value in vars(engine).items():
        if name.startswith("_") or not callable(value):
            continue
        if not inspect.isclass(value):
            assert name in functions, name
            functions.remove(name)
            continue
        members = {key for key in vars(value) if not key.startswith("_")}
        assert members == {key for key in told.pop(name) if not key.startswith("_")}, name
    assert not functions
    assert not told
