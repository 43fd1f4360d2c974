"""The namespace ``benzer`` of polars: ``import benzer.polars`` adds it to frames and columns.

>>> import polars
>>> import benzer.polars
>>> frame = polars.DataFrame({"text": ["a b c d e f", "x", "a b c d e f"]})
>>> frame.benzer.deduplicate().height
2
"""

from __future__ import annotations

from typing import Any

import polars

import benzer

__all__ = ["ColumnNamespace", "FrameNamespace", "LazyNamespace"]


@polars.api.register_dataframe_namespace("benzer")
class FrameNamespace:
    """``frame.benzer``, of a DataFrame.

    >>> import benzer.polars
    >>> frame = polars.DataFrame({"id": ["a", "b", "c"], "text": ["a b c d e f", "x", "a b c d e f"]})
    >>> frame.benzer.deduplicate()["id"].to_list()
    ['a', 'b']
    >>> frame.benzer.annotate()["benzer_keeper"].to_list()
    ['a', None, 'a']
    >>> frame.benzer.pairs()["score"].to_list()
    [1.0]
    """

    def __init__(self, frame: polars.DataFrame) -> None:
        self._frame = frame

    def deduplicate(self, **arguments: Any) -> polars.DataFrame:
        """Return the rows that are kept. The arguments are those of ``benzer.deduplicate()``."""
        kept: polars.DataFrame = benzer.deduplicate(self._frame, **arguments).kept()
        return kept

    def annotate(self, **arguments: Any) -> polars.DataFrame:
        """Return all rows with the columns that ``Result.annotations()`` describes."""
        result = benzer.deduplicate(self._frame, **{"allow_large_clusters": True, **arguments})
        return self._frame.hstack(result.annotations().to_polars())

    def pairs(self, **arguments: Any) -> polars.DataFrame:
        """Return all pairs of similar rows. The arguments are those of ``benzer.pairs()``."""
        return benzer.pairs(self._frame, **arguments).table.to_polars()


@polars.api.register_lazyframe_namespace("benzer")
class LazyNamespace:
    """``frame.benzer``, of a LazyFrame.

    >>> import benzer.polars
    >>> frame = polars.LazyFrame({"text": ["a b c d e f", "x", "a b c d e f"]})
    >>> frame.benzer.deduplicate().collect().height
    2
    """

    def __init__(self, frame: polars.LazyFrame) -> None:
        self._frame = frame

    def deduplicate(self, **arguments: Any) -> polars.LazyFrame:
        """Return the rows that are kept; finding them runs the query for the columns it needs."""
        kept: polars.LazyFrame = benzer.deduplicate(self._frame, **arguments).kept()
        return kept


@polars.api.register_expr_namespace("benzer")
class ColumnNamespace:
    """``polars.col("text").benzer``.

    >>> import benzer.polars
    >>> frame = polars.DataFrame({"text": ["a b c d e f", "x"]})
    >>> signed = frame.select(polars.col("text").benzer.signature(sketch="fss:16"))
    >>> signed["text"].dtype.shape
    (16,)
    """

    def __init__(self, column: polars.Expr) -> None:
        self._column = column

    def signature(self, **arguments: Any) -> polars.Expr:
        """Return the signature of each text, as an array of 64-bit numbers.

        The arguments are those of ``benzer.sketch()``.
        """

        def signatures(texts: polars.Series) -> polars.Series:
            table = benzer.sketch(texts, **arguments)
            return table.to_polars()["signature"].alias(texts.name)

        none = polars.Series(
            "text", [], polars.String if arguments.get("values") is None else polars.List(polars.String)
        )
        return self._column.map_batches(signatures, return_dtype=signatures(none).dtype, is_elementwise=True)
