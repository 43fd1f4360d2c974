"""Estimators for scikit-learn: signatures of texts as an array, and clusters of near-duplicates.

>>> from benzer.sklearn import NearDuplicateClusterer
>>> NearDuplicateClusterer().fit_predict(["a b c d e f", "x", "a b c d e f"]).tolist()
[0, 1, 0]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy
import numpy.typing

import benzer
from benzer._inputs import slots_of

if TYPE_CHECKING:
    # scikit-learn has no types: what the estimators have of their bases.
    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any: ...

    class ClusterMixin:
        def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> Any: ...
else:
    from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin

__all__ = ["MinHashTransformer", "NearDuplicateClusterer"]


def _texts(X: Any) -> Any:
    """Return the texts as an array of objects, and refuse what is not a column of texts.

    A list of texts that look like names would be read as files.
    """
    is_column = len(getattr(X, "shape", (0,))) == 1 and not isinstance(X, (str, Mapping))
    if not is_column or not isinstance(X, Iterable):
        raise ValueError(
            f"X is of the type {type(X).__name__}, and it must be an iterable of texts, one for each sample; give a "
            "list, or one column of a table"
        )
    texts = X.to_pylist() if hasattr(X, "to_pylist") else list(X)
    return numpy.fromiter(texts, dtype=object, count=len(texts))


def _takes_texts(tags: Any) -> Any:
    tags.input_tags.string = True
    tags.input_tags.two_d_array = False
    return tags


class MinHashTransformer(TransformerMixin, BaseEstimator):
    """Turns texts into an array of signatures: a row of 64-bit slots for each.

    The share of equal slots of two rows estimates the Jaccard similarity of the texts. The parameters
    are those of ``benzer.sketch()``.

    >>> from benzer.sklearn import MinHashTransformer
    >>> MinHashTransformer(sketch="fss:64").fit_transform(["a b c d e f", "x"]).shape
    (2, 64)
    """

    def __init__(self, *, features: str = "text:word5", sketch: str = "fss:128", threads: int | None = None) -> None:
        self.features = features
        self.sketch = sketch
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> MinHashTransformer:
        """Check the parameters; there is nothing to learn."""
        benzer.sketch([], features=self.features, sketch=self.sketch)
        return self

    def transform(self, X: Any) -> Any:
        """Return the signatures, an array of uint64 with a row for each text."""
        table = benzer.sketch(_texts(X), features=self.features, sketch=self.sketch, threads=self.threads)
        return numpy.asarray(table["signature"], dtype=numpy.uint64).reshape(len(table), slots_of(self.sketch))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = _takes_texts(super().__sklearn_tags__())
        tags.requires_fit = False
        return tags


class NearDuplicateClusterer(ClusterMixin, BaseEstimator):
    """Puts near-duplicate texts into one cluster.

    After ``fit()``, ``labels_`` has a label for each text, numbered by the order in which clusters
    begin; a text that is similar to no other is a cluster of its own. ``kept_`` is true for the text of
    each cluster that ``benzer.deduplicate()`` keeps. The parameters are those of that function.

    >>> from benzer.sklearn import NearDuplicateClusterer
    >>> clusterer = NearDuplicateClusterer(threshold=0.7).fit(["a b c d e f", "x", "a b c d e f"])
    >>> clusterer.labels_.tolist(), clusterer.kept_.tolist()
    ([0, 1, 0], [True, True, False])
    """

    def __init__(
        self,
        *,
        threshold: float = 0.8,
        features: str = "text:word5",
        recall: float = 0.99,
        cluster: str = "leader",
        threads: int | None = None,
    ) -> None:
        self.threshold = threshold
        self.features = features
        self.recall = recall
        self.cluster = cluster
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> NearDuplicateClusterer:
        """Find the clusters."""
        texts = _texts(X)
        result = benzer.deduplicate(
            texts,
            threshold=self.threshold,
            features=self.features,
            recall=self.recall,
            cluster=self.cluster,
            threads=self.threads,
            allow_large_clusters=True,
        )
        keeper = list(range(len(texts)))
        for row, kept in zip(result.removed["row"], result.removed["kept_row"]):
            keeper[row] = kept
        first: dict[int, int] = {}
        for one in keeper:
            first.setdefault(one, len(first))
        self.labels_: numpy.typing.NDArray[numpy.int64] = numpy.array([first[one] for one in keeper], dtype=numpy.int64)
        self.kept_: numpy.typing.NDArray[numpy.bool_] = numpy.frombuffer(result.kept_rows(), dtype=bool)
        return self

    def __sklearn_tags__(self) -> Any:
        return _takes_texts(super().__sklearn_tags__())
