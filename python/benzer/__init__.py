"""Benzer finds similar documents: near-duplicates in tables and files, and an index that answers
which documents are similar to a new one.

>>> import benzer
>>> texts = ["The quick brown fox jumps over the lazy dog", "A cat sleeps on warm stones"]
>>> result = benzer.deduplicate(texts + texts[:1])
>>> result.kept()
['The quick brown fox jumps over the lazy dog', 'A cat sleeps on warm stones']
"""

from __future__ import annotations

import benzer._interpreter  # noqa: F401  # isort: split
from benzer import _engine
from benzer._answers import (
    AddResult,
    CheckResult,
    IndexedDocument,
    Match,
    PassageMatch,
    QueryPassage,
    RefusedDocument,
    Shares,
)
from benzer._errors import (
    BadInputError,
    BusyError,
    CorruptError,
    DeniedError,
    Error,
    GuardRailError,
    InterruptedRunError,
    InvalidArgumentError,
    NoIndexError,
    NotFoundError,
    StorageFailedError,
    UnavailableError,
)
from benzer._index import Index
from benzer._passages import PassageRemoval, PassageReport, Passages, passages, remove_passages
from benzer._runs import Pairs, Report, Result, deduplicate, pairs, sketch
from benzer._table import Table
from benzer._texts import compare, explain, plan

__version__: str = _engine.version

__all__ = [
    "AddResult",
    "BadInputError",
    "BusyError",
    "CheckResult",
    "CorruptError",
    "DeniedError",
    "Error",
    "GuardRailError",
    "Index",
    "IndexedDocument",
    "InterruptedRunError",
    "InvalidArgumentError",
    "Match",
    "NoIndexError",
    "NotFoundError",
    "Pairs",
    "PassageMatch",
    "PassageRemoval",
    "PassageReport",
    "Passages",
    "QueryPassage",
    "RefusedDocument",
    "Report",
    "Result",
    "Shares",
    "StorageFailedError",
    "Table",
    "UnavailableError",
    "compare",
    "deduplicate",
    "explain",
    "pairs",
    "passages",
    "plan",
    "remove_passages",
    "sketch",
]
