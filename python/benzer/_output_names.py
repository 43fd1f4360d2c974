"""Names of files that a run writes: none of them may be that of another one, or of what it reads."""

from __future__ import annotations

import os
from collections.abc import Sequence

from benzer._errors import InvalidArgumentError, advised
from benzer._files import identity


class Taken:
    """The files that a run has read and written. A report that is saved afterwards must not replace them."""

    def __init__(self, read: Sequence[str] = (), written: Sequence[str] = ()) -> None:
        self._read = [_from_anywhere(name) for name in read]
        self._written = [_from_anywhere(name) for name in written]

    def check(self, names: Sequence[str]) -> None:
        """Refuse names for a report that would replace one of them."""
        check_names([*self._written, *names], self._read)


def _from_anywhere(name: str) -> str:
    """Return a name that is still that of the file when the program has changed its folder."""
    return name if "://" in name else os.path.abspath(name)


def check_are_local(lists: list[str]) -> None:
    """Refuse lists and reports that are to be written elsewhere than on this machine."""
    for one in lists:
        if "://" in one:
            raise InvalidArgumentError(f"{one}: the list of removed documents and the report are local files")


def check_names(names: list[str], inputs: list[str]) -> None:
    """Refuse names of outputs of which one is that of an input or of another output."""
    read = {identity(name): name for name in inputs}
    written: dict[object, str] = {}
    for one in names:
        key = identity(one)
        if key in read:
            raise advised(
                InvalidArgumentError,
                f"the output {one!r} is also an input, and would be overwritten",
                "give another name",
                one,
            )
        if key in written:
            raise advised(InvalidArgumentError, f"two outputs have the name {one!r}", "give them different names")
        written[key] = one


def twin_of(report: str) -> str:
    """Return the name of the JSON twin of a report."""
    return (report[: -len(".html")] if report.endswith(".html") else report) + ".json"
