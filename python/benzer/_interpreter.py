"""Refuses to be loaded into a sub-interpreter, whose end would take the types of the engine with it.

Python refuses it for isolated ones itself; those of mod_wsgi, for example, are not.
"""

from __future__ import annotations

import importlib


def is_main() -> bool:
    """Whether this is the interpreter that the process began with. True if that is not known."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # of Python 3.13 and later, and before it
        try:
            module = importlib.import_module(name)
            return bool(module.get_current() == module.get_main())
        except ImportError:
            continue
    return True


if not is_main():
    raise ImportError("benzer cannot be used in a sub-interpreter; use it in the main one, or in a process of its own")
