"""Shows how far a run is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress_callback(progress: Any) -> Iterator[Callable[[str, int, int], object] | None]:
    """Give the engine a function to call: the user's own, or one that moves a bar."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()


class _Bar:
    """A bar of tqdm if that is installed, else a line on standard error."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._tqdm is None:
            line = f"{stage}: {done:,}" + (f" of {total:,}" if total else "")
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
            self._width = len(line)
            return
        if stage != self._stage or self._bar is None:
            if self._bar is not None:
                self._bar.close()
            self._stage = stage
            self._bar = self._tqdm(desc=stage, total=total or None, unit_scale=True)
        self._bar.total = total or None
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        """End the line, or the bar."""
        if self._bar is not None:
            self._bar.close()
        elif self._width:
            sys.stderr.write("\n")
