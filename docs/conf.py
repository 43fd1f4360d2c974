"""The site of the Python package, which Sphinx makes: ./dev docs. tools/python_site.py gathers its pages."""

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

project = "Benzer"
release = re.search(r"VERSION ([0-9.]+) LANGUAGES", (ROOT / "CMakeLists.txt").read_text())[1]
html_title = f"Benzer {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
suppress_warnings = ["misc.highlighting_failure"]  # blocks that show a part of a file
myst_heading_anchors = 4

# The pages are made without the engine, and without the libraries that others use.
autodoc_mock_imports = ["benzer._engine", "pyarrow", "pyspark", "sklearn"]
polars = ModuleType("polars")
kinds = ("dataframe", "lazyframe", "expr")
polars.api = SimpleNamespace(**{f"register_{kind}_namespace": lambda name: lambda made: made for kind in kinds})
sys.modules["polars"] = polars
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
default_role = "code"
highlight_language = "none"
autodoc_type_aliases = {"Hashes": "Hashes", "Progress": "Progress", "Text": "Text", "Where": "Where"}
autodoc_preserve_defaults = True
maximum_signature_line_length = 60
add_module_names = False
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["python_site"]
html_css_files = ["site.css"]


def without_arguments(app, what, name, value, options, arguments, result):
    """Leaves out how objects are made that only the package makes: exceptions, results and answers."""
    if what in ("class", "exception"):
        by_package = value.__module__ in ("benzer._answers", "benzer._runs", "benzer._table")
        return ("", None) if by_package or issubclass(value, Exception) else None
    return None


def is_skipped(app, what, name, value, skip, options):
    """Leaves out the classes that only say that they are not supported."""
    return True if getattr(value, "__module__", "") == "benzer.datasketch._unsupported" else None


def setup(app):
    app.connect("autodoc-process-signature", without_arguments)
    app.connect("autodoc-skip-member", is_skipped)
