"""Reading pickles that datasketch wrote, without datasketch."""

from __future__ import annotations

import importlib
import io
import pickle
from typing import Any, BinaryIO

# Modules with the same names here.
_MODULES = (
    "b_bit_minhash",
    "hashfunc",
    "lean_minhash",
    "lsh",
    "lshensemble",
    "lshforest",
    "minhash",
    "storage",
    "weighted_minhash",
)


class _Table:
    """A table in memory of a pickled MinHashLSH."""

    _dict: dict[Any, Any]

    def items(self) -> list[tuple[Any, Any]]:
        return list(self._dict.items())


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        package, _, rest = module.partition(".")
        if package != "datasketch":
            return super().find_class(module, name)
        if name in ("DictListStorage", "DictSetStorage"):
            return _Table
        if rest in _MODULES:
            found = getattr(importlib.import_module(f"benzer.datasketch.{rest}"), name, None)
            if found is not None:
                return found
        raise pickle.UnpicklingError(f"the pickle has a {module}.{name}, which benzer.datasketch does not have")


def load(file: BinaryIO) -> Any:
    """Read an object that datasketch 1.x or 2.x pickled: a signature, an index, or a container of them.

    Only read pickles that you trust: a pickle can run any code.

    >>> import io, pickle
    >>> load(io.BytesIO(pickle.dumps([1, 2])))
    [1, 2]
    """
    return _Unpickler(file).load()


def loads(data: bytes) -> Any:
    """Do what `load` does with bytes."""
    return load(io.BytesIO(data))
