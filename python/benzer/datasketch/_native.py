"""The part of the extension module that this package calls; its stub has the types."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from benzer import _engine as native

Array = NDArray[Any]
NativeIndex = native.DatasketchIndex

__all__ = ["Array", "NativeIndex", "native"]
