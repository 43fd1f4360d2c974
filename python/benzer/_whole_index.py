"""Questions about all of an index: its pairs and clusters, and what to remove of it."""

from __future__ import annotations

from benzer import _engine
from benzer._inputs import Progress, settings_of
from benzer._progress import progress_callback
from benzer._table import Table


class WholeIndex:
    """The part of ``benzer.Index`` that goes through all of its documents."""

    _engine: _engine.Index

    def pairs(
        self,
        *,
        threshold: float | str | None = None,
        score: str | None = None,
        allow_low_recall: bool = False,
        progress: Progress = None,
    ) -> Table:
        """Return all pairs of similar documents of the index: a_id, b_id, score.

        Of an index with ``measure="containment"`` a is the larger document, and share_of_a and
        share_of_b say how much of each the other one has.
        """
        settings = settings_of(threshold=threshold, score=score, allow_low_recall=allow_low_recall)
        with progress_callback(progress) as callback:
            table: Table = self._engine.pairs(settings, callback)
        return table

    def clusters(
        self,
        *,
        threshold: float | str | None = None,
        score: str | None = None,
        cluster: str | None = None,
        allow_low_recall: bool = False,
        progress: Progress = None,
    ) -> Table:
        """Return the clusters of similar documents: cluster, id, is_kept, score.

        Of an index with ``measure="containment"`` also share_of_removed and share_of_keeper: how much
        of the document the kept one has, and the other way round. cluster has to be "leader" then.
        """
        settings = settings_of(threshold=threshold, score=score, cluster=cluster, allow_low_recall=allow_low_recall)
        with progress_callback(progress) as callback:
            table: Table = self._engine.clusters(settings, callback)
        return table

    def deduplicate(
        self,
        *,
        threshold: float | str | None = None,
        score: str | None = None,
        cluster: str | None = None,
        remove: bool = False,
        allow_large_clusters: bool = False,
        allow_low_recall: bool = False,
        progress: Progress = None,
    ) -> Table:
        """Find the documents that are similar to one that is kept: id, kept_id, score.

        Of an index with ``measure="containment"`` the largest document comes first, and each is removed
        of whose features a kept one has enough; share_of_removed and share_of_keeper are columns, too.

        Args:
            threshold: The similarity from which on two documents are similar. By default the lowest
                that the index is made for.
            score: How the similarities of several fields are combined.
            cluster: "leader" or "components", as for ``benzer.deduplicate()``.
            remove: Remove these documents from the index. Ctrl-C leaves those that are removed by then
                removed; the same call removes the others.
            allow_large_clusters: Remove them where a cluster or the loss is suspiciously large.
            allow_low_recall: Go on at a threshold below the one that the index is made for.
            progress: True for a bar, or a function that is called with stage, done and total.

        Raises:
            benzer.GuardRailError: if so much would be removed that it looks like a mistake.

        >>> import benzer
        >>> index = benzer.Index(fields="text:word2")
        >>> _ = index.add([{"id": name, "text": "a storm hit the coast"} for name in "ab"])
        >>> list(index.deduplicate())
        [{'id': 'b', 'kept_id': 'a', 'score': 1.0}]
        """
        settings = settings_of(
            threshold=threshold,
            score=score,
            cluster=cluster,
            remove=remove,
            allow_large_clusters=allow_large_clusters,
            allow_low_recall=allow_low_recall,
        )
        with progress_callback(progress) as callback:
            table: Table = self._engine.deduplicate(settings, callback)
        return table
