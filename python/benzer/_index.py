"""The index: documents go in by their ids, and it answers which of them are similar."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, overload

from benzer import _engine
from benzer._answers import (
    AddResult,
    CheckResult,
    IndexedDocument,
    Match,
    PassageMatch,
    RefusedDocument,
    add_result,
    matches_of,
    passage_matches_of,
)
from benzer._documents import (
    Document,
    check_each,
    each_piece,
    held,
    id_text,
    is_one,
    is_table,
    location_of,
    many,
    pieces,
    renamed,
    shown_id,
    tell_refused,
    thread_count,
    with_table,
)
from benzer._errors import BadInputError, InvalidArgumentError
from benzer._inputs import Progress, schema_settings, settings_of
from benzer._progress import progress_callback
from benzer._whole_index import WholeIndex

Where = str | Sequence[str] | None


def _question(**arguments: Any) -> dict[str, Any]:
    where = arguments.pop("where", None)
    if isinstance(where, str):
        where = [where]
    if where is not None and not (isinstance(where, Sequence) and all(isinstance(one, str) for one in where)):
        raise InvalidArgumentError(
            "where must be a condition such as 'lang = en', or a list of conditions", subject="where"
        )
    return settings_of(where=list(where) if where is not None else None, **arguments)


class Index(WholeIndex):
    """An index in memory, in a folder or in Redis.

    >>> import benzer
    >>> with benzer.Index(fields={"body": "text:word3"}, min_threshold=0.5) as index:
    ...     _ = index.add([{"id": "a", "body": "a storm hit the coast on monday night"}])
    ...     for match in index.similar({"body": "a storm hit the coast on tuesday night"}, threshold=0.5):
    ...         print(match.id, round(match.score, 2))
    a 0.5

    Any number of threads may use one index. It belongs to the process that opened it: after a fork
    the new process opens it again, read_only while the other one writes.
    """

    def __init__(
        self,
        *,
        fields: Mapping[str, str] | str | None = None,
        attributes: Mapping[str, str] | None = None,
        measure: str | None = None,
        min_threshold: float | str | None = None,
        recall: float | None = None,
        sketch: str | None = None,
        ttl: str | None = None,
        frequencies: Sequence[str | os.PathLike[str]] | None = None,
    ) -> None:
        """Make an index in memory. ``open()`` opens one that is kept.

        Args:
            fields: The fields and how each becomes features: {"title": "text:word3"}; a text alone
                for the one field "text". By default "text:word5".
            attributes: What is kept beside the hashes, and its kind: {"lang": "string", "price":
                "number", "seen": "time", "live": "boolean"}.
            measure: "jaccard" (common features divided by those of both documents together), or
                "containment" (by those of the smaller one). By default "jaccard".
            min_threshold: The lowest threshold that queries will use. By default 0.8.
            recall: The probability that a pair exactly there is found. By default 0.99.
            sketch: The sketch. By default "fss:128".
            ttl: When documents expire, such as "30d", if they do not say it themselves.
            frequencies: Files of document frequencies, for "+tf-idf".
        """
        self._process = os.getpid()
        self._engine: _engine.Index = _engine.Index.in_memory(
            schema_settings(fields, attributes, measure, min_threshold, recall, sketch, ttl, frequencies)
        )

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str],
        *,
        create: bool = False,
        read_only: bool = False,
        fields: Mapping[str, str] | str | None = None,
        attributes: Mapping[str, str] | None = None,
        measure: str | None = None,
        min_threshold: float | str | None = None,
        recall: float | None = None,
        sketch: str | None = None,
        ttl: str | None = None,
        frequencies: Sequence[str | os.PathLike[str]] | None = None,
        durability: str | None = None,
        docs: int | None = None,
        ca_file: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
    ) -> Index:
        """Open the index in a folder, or in Redis ("redis://host/name").

        Args:
            location: The folder, or the address.
            create: Make the index if there is none, with ``fields`` and what follows it; an index
                that is there must have the same ones.
            read_only: Open it to read; it shows what was there when it was opened, also while
                another process writes.
            fields, attributes, measure, min_threshold, recall, sketch, ttl, frequencies: See Index().
            durability: When writes are acknowledged: "sync", "batch" or "none" for a folder;
                "memory", "replicas:N" or "disk" for Redis.
            docs: How many documents a new index in Redis is expected to hold.
            ca_file: A PEM file with the authorities that TLS trusts.
            timeout: How long a call goes on trying to reach a server, in seconds.

        Raises:
            benzer.NoIndexError: if there is no index, and none is to be made.
            benzer.BusyError: if another process writes to the folder.
            benzer.InvalidArgumentError: also if ``benzer serve`` keeps the documents of the index in
                its folder, and ``read_only`` is not given.
        """
        settings = schema_settings(fields, attributes, measure, min_threshold, recall, sketch, ttl, frequencies)
        if settings and not create:
            name = {"field": "fields", "attribute": "attributes"}.get(next(iter(settings)), next(iter(settings)))
            raise InvalidArgumentError(
                f"{name} is for a new index: give create=True, too, which also refuses an index with another schema",
                hint="give create=True, too",
                subject=name,
                subject_kind="parameter",
            )
        settings |= settings_of(durability=durability, docs=docs, ca_file=ca_file, timeout=timeout)
        index = cls.__new__(cls)
        index._process = os.getpid()
        index._engine = _engine.Index.open(location_of(location), settings, create, read_only)
        return index

    @staticmethod
    def is_at(location: str | os.PathLike[str]) -> bool:
        """Return whether an index is in this folder, or whether this is the address of one."""
        return bool(_engine.is_index(location_of(location)))

    def __enter__(self) -> Index:
        self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what is in memory, and close the index. Nothing acknowledged is lost without it.

        In a process that was forked after the index was opened this does nothing: the files are those
        of the other process.
        """
        if os.getpid() == self._process:
            self._engine.close()

    def _check_open(self) -> None:
        """Raise an error if the index is closed, or was opened before a fork."""
        self._engine.check_open()

    @property
    def closed(self) -> bool:
        """Whether the index is closed."""
        return bool(self._engine.is_closed())

    @property
    def schema(self) -> str:
        """The schema in one text, with its bands."""
        return str(self._engine.schema())

    @property
    def floor_recall(self) -> float:
        """The least probability with which similar(floor=...) finds each of the most similar documents."""
        return float(self._engine.floor_recall())

    @property
    def durability(self) -> str:
        """What each write reaches before it is acknowledged."""
        return str(self._engine.durability())

    def add(
        self,
        documents: Document | Iterable[Document] | Any,
        *,
        id: str | None = None,
        strict: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> AddResult:
        """Put documents in; one with an id that is there already replaces that document.

        Documents that cannot be put in are left out with a warning, and are in ``AddResult.refused``.

        Args:
            documents: A mapping, an iterable of mappings, or a table with the fields and attributes as
                columns.
            id: The column, or the key of mappings, with the ids. By default "id".
            strict: Raise ``benzer.BadInputError`` in place of the warning, when the others are in.
            threads: By default one for each core.
            progress: True for a bar, or a function that is called with stage, done and total.
        """
        self._check_open()
        if id is not None and not isinstance(id, str):
            raise InvalidArgumentError(f"id is of the type {type(id).__name__}, and it must be the name of a column")
        if is_one(documents):
            documents = [documents]
        with progress_callback(progress) as callback:
            if is_table(documents):
                done = with_table(
                    documents,
                    lambda sources: self._engine.add_table(sources, id or "id", thread_count(threads), callback),
                )
                result = add_result(done, 0)
            else:
                if id is not None and id != "id":
                    documents = renamed(documents, id)
                result = self._add_pieces(documents, thread_count(threads), callback)
        tell_refused(result.refused, strict)
        return result

    def _add_pieces(
        self, documents: Iterable[Document], threads: int, callback: Callable[[str, int, int], object] | None
    ) -> AddResult:
        inserted = replaced = 0
        refused: list[RefusedDocument] = []
        if "=values" in self.schema:
            documents = map(held, many(documents))
        for begin, piece, done in each_piece(documents, lambda piece: self._engine.add(piece, threads)):
            if isinstance(done, BadInputError):
                refused.append(RefusedDocument(begin, shown_id(piece[0]), str(done)))
                continue
            result = add_result(done, begin)
            inserted += result.inserted
            replaced += result.replaced
            refused += result.refused
            if callback is not None:
                callback("index", begin + len(piece), 0)
        return AddResult(inserted, replaced, refused)

    @overload
    def similar(  # type: ignore[overload-overlap]  # a str is an Iterable of str, too
        self,
        documents: Document,
        *,
        threshold: float | str | None = ...,
        floor: float | str | None = ...,
        limit: int | None = ...,
        where: Where = ...,
        score: str | None = ...,
        explain: bool = ...,
        allow_low_recall: bool = ...,
        threads: int | None = ...,
    ) -> list[Match]: ...
    @overload
    def similar(
        self,
        documents: Iterable[Document],
        *,
        threshold: float | str | None = ...,
        floor: float | str | None = ...,
        limit: int | None = ...,
        where: Where = ...,
        score: str | None = ...,
        explain: bool = ...,
        allow_low_recall: bool = ...,
        threads: int | None = ...,
    ) -> list[list[Match]]: ...
    def similar(
        self,
        documents: Any,
        *,
        threshold: float | str | None = None,
        floor: float | str | None = None,
        limit: int | None = None,
        where: Where = None,
        score: str | None = None,
        explain: bool = False,
        allow_low_recall: bool = False,
        threads: int | None = None,
    ) -> Any:
        """Return the documents that are similar to a document, best first.

        A text or a mapping is one document, and gives a list of matches. An iterable of these, or a
        table, is many, and gives such a list for each; that is faster than one by one.

        Args:
            documents: The document or documents. Their ids may be missing; a document of the index
                with the same id is no match.
            threshold: The lowest score. By default the min_threshold of the index.
            floor: In place of a threshold: the `limit` most similar documents with at least this score,
                also far below the min_threshold. All documents of the index are looked at, and each
                of the most similar ones is found with a probability of at least `floor_recall`.
            limit: The most matches of each document. By default 10.
            where: Conditions on attributes, such as "lang = en" or ["price < 10", "live = true"].
            score: How the fields become one score: "mean" (by weight), "all" (the least) or "any" (the
                most). By default "mean".
            explain: Whether each match tells why it is one.
            allow_low_recall: Whether the threshold may be below the min_threshold.
            threads: For many documents. By default one for each core.
        """
        settings = _question(
            threshold=threshold,
            floor=floor,
            limit=limit,
            where=where,
            score=score,
            explain=explain,
            allow_low_recall=allow_low_recall,
        )
        if is_one(documents):
            return matches_of(self._engine.similar(documents, settings))
        self._check_open()
        count = thread_count(threads)
        if is_table(documents):
            found = with_table(documents, lambda sources: self._engine.similar_table(sources, "id", settings, count))
            return [matches_of(one) for one in found]
        out: list[list[Match]] = []
        for piece in pieces(documents):
            out += [matches_of(one) for one in self._engine.similar_many(piece, len(out), settings, count)]
        return out

    def similar_to(
        self,
        id: str | int,
        *,
        threshold: float | str | None = None,
        floor: float | str | None = None,
        limit: int | None = None,
        where: Where = None,
        score: str | None = None,
        allow_low_recall: bool = False,
    ) -> list[Match]:
        """Return the documents that are similar to one of the index. The arguments are as above."""
        settings = _question(
            threshold=threshold,
            floor=floor,
            limit=limit,
            where=where,
            score=score,
            allow_low_recall=allow_low_recall,
        )
        return matches_of(self._engine.similar_to(id_text(id), settings))

    @overload
    def passages(  # type: ignore[overload-overlap]  # a str is an Iterable of str, too
        self,
        documents: Document,
        *,
        min_words: int | None = ...,
        limit: int | None = ...,
        where: Where = ...,
        threads: int | None = ...,
    ) -> list[PassageMatch]: ...
    @overload
    def passages(
        self,
        documents: Iterable[Document],
        *,
        min_words: int | None = ...,
        limit: int | None = ...,
        where: Where = ...,
        threads: int | None = ...,
    ) -> list[list[PassageMatch]]: ...
    def passages(
        self,
        documents: Any,
        *,
        min_words: int | None = None,
        limit: int | None = None,
        where: Where = None,
        threads: int | None = None,
    ) -> Any:
        """Return the documents that have passages of a text, those with most of its words first.

        The index must have been made with ``measure="containment"``. One document gives a list, many
        give a list for each, as with ``similar()``.

        Args:
            documents: The texts. A document of the index with the same id is left out.
            min_words: The fewest words of a passage. By default 50.
            limit: The most documents for each text. By default 10.
            where: Conditions on attributes.
            threads: For many documents. By default one for each core.

        >>> import benzer
        >>> index = benzer.Index(fields="text:word2", measure="containment")
        >>> _ = index.add([{"id": "hamlet", "text": "To be, or not to be, that is the question"}])
        >>> [match] = index.passages("He said: to be or not to be!", min_words=4)
        >>> match.id, match.passages[0].text
        ('hamlet', 'to be or not to be')
        """
        settings = _question(min_words=min_words, limit=limit, where=where)
        if is_one(documents):
            return passage_matches_of(self._engine.passages([documents], 0, settings, 1)[0])
        self._check_open()
        count = thread_count(threads)
        if is_table(documents):
            found = with_table(documents, lambda sources: self._engine.passages_table(sources, "id", settings, count))
            return [passage_matches_of(one) for one in found]
        out: list[list[PassageMatch]] = []
        for piece in pieces(documents):
            out += map(passage_matches_of, self._engine.passages(piece, len(out), settings, count))
        return out

    @overload
    def check_and_add(
        self,
        documents: Mapping[str, Any],
        *,
        threshold: float | str | None = ...,
        limit: int | None = ...,
        where: Where = ...,
        score: str | None = ...,
        allow_low_recall: bool = ...,
    ) -> CheckResult: ...
    @overload
    def check_and_add(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        threshold: float | str | None = ...,
        limit: int | None = ...,
        where: Where = ...,
        score: str | None = ...,
        allow_low_recall: bool = ...,
        strict: bool = ...,
    ) -> list[CheckResult]: ...
    def check_and_add(
        self,
        documents: Any,
        *,
        threshold: float | str | None = None,
        limit: int | None = None,
        where: Where = None,
        score: str | None = None,
        allow_low_recall: bool = False,
        strict: bool = False,
    ) -> Any:
        """Add each document if none of the index is similar to it, in one step.

        Of many documents, or a table of them, each is compared with those before it, too. One that
        cannot be put in has a ``CheckResult.problem``, and the others go on, with a warning. The
        arguments are those of ``similar()``.

        Args:
            strict: Raise ``benzer.BadInputError`` in place of the warning, when the others are in.
        """
        settings = _question(
            threshold=threshold, limit=limit, where=where, score=score, allow_low_recall=allow_low_recall
        )
        if is_one(documents):
            added, matches = self._engine.check_and_add(documents, settings)
            return CheckResult(added, matches_of(matches))
        self._check_open()
        out: list[CheckResult] = []
        refused: list[RefusedDocument] = []
        for id, result in check_each(self._engine, documents, settings, "=values" in self.schema):
            if result.problem:
                refused.append(RefusedDocument(len(out), id, result.problem))
            out.append(result)
        tell_refused(refused, strict)
        return out

    def remove(self, ids: str | int | Iterable[str | int]) -> int:
        """Remove documents by their ids. Returns how many of them were there."""
        if isinstance(ids, (bytes, bytearray, Mapping)) or len(getattr(ids, "shape", ())) > 1:
            raise InvalidArgumentError(f"ids are of the type {type(ids).__name__}; give an id, or an iterable of ids")
        if isinstance(ids, Iterable) and not isinstance(ids, str):
            return sum(self._engine.remove([id_text(id) for id in ids]))
        return sum(self._engine.remove([id_text(ids)]))

    def update(self, documents: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> int:
        """Change attributes without the texts: {"id": "a", "price": 9.5, "lang": None}.

        None removes an attribute. Returns how many documents were changed; one that is not there is
        left out. Raises ``benzer.BadInputError`` for an attribute that the schema does not have, or
        a value of another kind, when the other documents are changed.
        """
        self._check_open()
        changed = 0
        problem: str | None = None
        changes: Any = [documents] if isinstance(documents, Mapping) else documents
        for _, piece, done in each_piece(changes, self._update_piece):
            results = [("refused", str(done))] if isinstance(done, BadInputError) else done
            for change, (outcome, why) in zip(piece, results):
                changed += outcome == "changed"
                if outcome == "refused" and problem is None:
                    problem = f"the document {shown_id(change)!r} was not changed: {why}"
        if problem is not None:
            raise BadInputError(problem)
        return changed

    def _update_piece(self, changes: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
        for change in changes:
            if not isinstance(change, Mapping):
                raise BadInputError(f"a change is of the type {type(change).__name__}, and it must be a mapping")
        return self._engine.update(changes)

    def remove_expired(self) -> int:
        """Remove the documents that have expired, and return how many these were."""
        return int(self._engine.remove_expired())

    def get(self, id: str | int) -> IndexedDocument | None:
        """Return what the index holds of a document, or None if it has none of this id."""
        found = self._engine.get(id_text(id))
        return None if found is None else IndexedDocument(*found)

    def __contains__(self, id: object) -> bool:
        try:
            return self._engine.contains(id_text(id))
        except InvalidArgumentError:
            self._check_open()
            return False

    def __len__(self) -> int:
        return int(self._engine.size())

    def __bool__(self) -> bool:
        return True

    def ids(self) -> Iterator[str]:
        """Yield all ids, in the order of their bytes."""
        after = ""
        while page := self._engine.ids_after(after, 1000):
            yield from page
            after = page[-1]

    __iter__ = ids

    def stats(self) -> dict[str, Any]:
        """Return the size and the state of the index; the names are those of ``benzer stats --json``."""
        stats: dict[str, Any] = json.loads(self._engine.stats())
        return stats

    def verify(self) -> None:
        """Read and check every byte. Raises ``benzer.CorruptError`` for the first damage."""
        self._engine.verify()

    def compact(self) -> None:
        """Write the index anew without the documents that were removed."""
        self._engine.compact()

    def snapshot(self, folder: str | os.PathLike[str], *, copy: bool = False) -> None:
        """Write a snapshot: an index of its own in a new folder. copy: copy files, not link them."""
        self._engine.snapshot(location_of(folder), copy)

    def __reduce__(self) -> tuple[object, ...]:
        # The files of an index have one writer, and an index in memory is in one process.
        raise TypeError(
            "an open index cannot be copied or pickled; pass its location, and open it there with "
            "benzer.Index.open(location, read_only=True)"
        )

    def __repr__(self) -> str:
        if self.closed:
            return "<benzer.Index, closed>"
        place = self._engine.shown() or "in memory"
        if os.getpid() != self._process:
            return f"<benzer.Index {place}, opened before a fork>"
        return f"<benzer.Index {place}: {len(self):,} documents, {self.schema}>"
