"""Signatures of datatrove 0.10: made from words, read from its files, and written for its next stages.

The first stage of datatrove's MinHash deduplication leaves a file for each bucket and task,
``bucket_003/00007.minhash.sig``. These functions read such files, make signatures with the same values, and
write files with which ``MinhashDedupBuckets``, ``MinhashBuildIndex`` and the stages after them go on. datatrove
itself is not needed; numpy is, and xxhash for configurations with ``hash_fc="xxhash"``, the default of datatrove.

>>> from benzer import datatrove
>>> config = datatrove.Config(num_buckets=2, hashes_per_bucket=2, hash_fc="sha1")
>>> shingles = datatrove.shingle_hashes("a storm hit the coast on monday".split(), config)
>>> datatrove.signature(shingles, config).shape
(4,)
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy
from numpy.typing import NDArray

from benzer._errors import BadInputError, InvalidArgumentError, NotFoundError

__all__ = ["Config", "SignedDocuments", "read", "shingle_hashes", "signature", "signatures", "tasks", "write"]

Hashes: TypeAlias = NDArray[numpy.uint64]
"""Hashes of shingles, or the values of a signature."""

_PRIME = (1 << 61) - 1
_SUFFIX = ".minhash.sig"
# Shingles that are permuted at a time: 112 values of each are 4 MB.
_AT_ONCE = 4096
_MOST = (1 << 32) - 1  # the number of a document or a task


@dataclass(frozen=True)
class Config:
    """What two signatures must share to be comparable. Names and defaults are those of datatrove.

    ``n_grams``, ``num_buckets``, ``hashes_per_bucket`` and ``seed`` are in its ``MinhashConfig``; ``precision``
    and ``hash_fc`` are in its ``HashConfig``.

    >>> from benzer.datatrove import Config
    >>> Config().slots
    112
    """

    n_grams: int = 5
    """The number of words of a shingle."""
    num_buckets: int = 14
    """The number of buckets, which Benzer calls bands."""
    hashes_per_bucket: int = 8
    """The number of values in a bucket, which Benzer calls rows."""
    seed: int = 1
    """The permutations are drawn from it."""
    precision: Literal[32, 64] = 64
    """The bits of a hash."""
    hash_fc: Literal["sha1", "xxhash"] = "xxhash"
    """The hash function of shingles."""

    def __post_init__(self) -> None:
        for name in ("n_grams", "num_buckets", "hashes_per_bucket"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise InvalidArgumentError(f"{name} {value!r} is not allowed: give a whole number from 1 on")
        if type(self.seed) is not int or not 0 <= self.seed <= _MOST:
            raise InvalidArgumentError(f"seed {self.seed!r} is not allowed: give a whole number from 0 to {_MOST:,}")
        for name, allowed in (("precision", (32, 64)), ("hash_fc", ("sha1", "xxhash"))):
            if getattr(self, name) not in allowed:
                raise InvalidArgumentError(
                    f"{name} {getattr(self, name)!r} is not allowed: give {allowed[0]!r} or {allowed[1]!r}"
                )

    @property
    def slots(self) -> int:
        """The number of values of a signature."""
        return self.num_buckets * self.hashes_per_bucket

    @property
    def _value(self) -> str:
        """A value in files, as numpy names it."""
        return "<u4" if self.precision == 32 else "<u8"

    @property
    def _record(self) -> numpy.dtype[Any]:
        """A line of a file: the values of a bucket, and the number of the document."""
        names = [f"value{i}" for i in range(self.hashes_per_bucket)]
        return numpy.dtype([*((name, self._value) for name in names), ("document", "<u4")])


class SignedDocuments(NamedTuple):
    """Documents and their signatures: two arrays of the same length.

    >>> from benzer import datatrove
    >>> signed = datatrove.signatures([["a", "storm"]], datatrove.Config(n_grams=2, hash_fc="sha1"))
    >>> signed.numbers.tolist(), signed.values.shape
    ([0], (1, 112))
    """

    numbers: NDArray[numpy.uint32]
    """The number of each document in its input, from 0, ascending."""
    values: Hashes
    """A row for each document, with the values of all buckets, one bucket after the other."""


@functools.lru_cache(maxsize=8)
def _permutations(config: Config) -> tuple[Hashes, Hashes]:
    random = numpy.random.RandomState(config.seed)
    a = random.randint(1, _PRIME, dtype=numpy.uint64, size=config.slots)
    b = random.randint(0, _PRIME, dtype=numpy.uint64, size=config.slots)
    return a, b


def _hash_function(config: Config) -> Callable[[bytes], int]:
    if config.hash_fc == "sha1":
        size = config.precision // 8
        return lambda data: int.from_bytes(hashlib.sha1(data).digest()[:size], "little")
    try:
        import xxhash
    except ImportError:
        raise InvalidArgumentError(
            "hash_fc 'xxhash' needs the package xxhash, which is not installed: pip install xxhash"
        ) from None
    found: Callable[[bytes], int] = xxhash.xxh32_intdigest if config.precision == 32 else xxhash.xxh64_intdigest
    return found


def shingle_hashes(words: Sequence[str], config: Config | None = None) -> Hashes:
    """Return the hash of each shingle of a document.

    Args:
        words: The words of the document, as datatrove's normalisation and tokenizer leave them: lower case,
            without punctuation and accents, each number as 0. Other words give other signatures.
        config: The configuration. By default that of datatrove.

    Returns:
        A hash for each shingle; none for fewer words than a shingle has.

    >>> from benzer import datatrove
    >>> config = datatrove.Config(n_grams=2, hash_fc="sha1", precision=32)
    >>> datatrove.shingle_hashes(["a", "storm", "hit"], config).tolist()
    [4000264378, 758397166]
    """
    config = config or Config()
    if isinstance(words, str):
        raise InvalidArgumentError("words are a text; give a list of its words, such as text.split()")
    hash_of = _hash_function(config)
    count = max(0, len(words) - config.n_grams + 1)
    return numpy.fromiter(
        (hash_of(" ".join(words[i : i + config.n_grams]).encode()) for i in range(count)), numpy.uint64, count
    )


def signature(shingles: Hashes, config: Config | None = None) -> Hashes:
    """Return the signature of a document from the hashes of its shingles.

    Args:
        shingles: One hash or more, as ``shingle_hashes()`` returns them.
        config: The configuration. By default that of datatrove.

    Returns:
        The values of all buckets, one bucket after the other.

    Raises:
        benzer.InvalidArgumentError: if there is no hash: datatrove has no signature for a document of fewer
            words than a shingle has.

    >>> import numpy
    >>> from benzer import datatrove
    >>> config = datatrove.Config(num_buckets=1, hashes_per_bucket=2, precision=32)
    >>> datatrove.signature(numpy.array([1, 2, 3], numpy.uint64), config).tolist()
    [514016846, 3421854562]
    """
    config = config or Config()
    shingles = _whole_numbers(shingles, "hashes of shingles", (1 << 64) - 1).reshape(-1, 1)
    if not len(shingles):
        raise InvalidArgumentError("a document without shingles has no signature; leave it out")
    a, b = _permutations(config)
    out = numpy.full(config.slots, numpy.iinfo(numpy.uint64).max, numpy.uint64)
    for begin in range(0, len(shingles), _AT_ONCE):
        # The product wraps around at 2^64 before the modulus, as it does in datatrove.
        values = (shingles[begin : begin + _AT_ONCE] * a + b) % numpy.uint64(_PRIME)
        if config.precision == 32:
            values &= numpy.uint64(0xFFFFFFFF)
        numpy.minimum(out, values.min(axis=0), out=out)
    return out


def signatures(documents: Iterable[Sequence[str]], config: Config | None = None) -> SignedDocuments:
    """Return the signatures of documents that are given as lists of words.

    Args:
        documents: The words of each document; see ``shingle_hashes()``.
        config: The configuration. By default that of datatrove.

    Returns:
        The documents that have a signature. Those of fewer words than a shingle are left out, as in datatrove,
        whose filter keeps them.

    >>> from benzer import datatrove
    >>> config = datatrove.Config(n_grams=2, num_buckets=2, hashes_per_bucket=2, hash_fc="sha1")
    >>> numbers, values = datatrove.signatures([["a", "storm", "hit"], ["short"], ["a", "storm"]], config)
    >>> numbers.tolist(), values.shape
    ([0, 2], (2, 4))
    """
    config = config or Config()
    numbers: list[int] = []
    rows: list[Hashes] = []
    for number, words in enumerate(documents):
        shingles = shingle_hashes(words, config)
        if len(shingles):
            numbers.append(number)
            rows.append(signature(shingles, config))
    values = numpy.array(rows, numpy.uint64).reshape(len(rows), config.slots)
    return SignedDocuments(numpy.array(numbers, numpy.uint32), values)


def _whole_numbers(values: Any, what: str, most: int) -> Hashes:
    """Return whole numbers from 0 to most as an array, and refuse all else."""
    allowed = f"must be whole numbers from 0 to {most:,}"
    try:
        found = numpy.asarray(values)
    except (OverflowError, TypeError, ValueError):
        raise InvalidArgumentError(f"the {what} cannot be an array: they {allowed}, in rows of one length") from None
    if found.size and found.dtype.kind not in "iu":
        raise InvalidArgumentError(f"the {what} are of the type {found.dtype}, and they {allowed}")
    for one in (int(found.min()), int(found.max())) if found.size else ():
        if not 0 <= one <= most:
            raise InvalidArgumentError(f"{one} is not allowed: the {what} {allowed}")
    return found.astype(numpy.uint64)


def _file(folder: str | os.PathLike[str], bucket: int, task: int) -> Path:
    if isinstance(task, bool) or not isinstance(task, (int, numpy.integer)) or not 0 <= task <= _MOST:
        raise InvalidArgumentError(f"task {task!r} is not allowed: give a whole number from 0 to {_MOST:,}")
    return Path(folder) / f"bucket_{bucket:03d}" / f"{task:05d}{_SUFFIX}"


def tasks(folder: str | os.PathLike[str]) -> list[int]:
    """Return the numbers of the tasks whose signatures are in a folder.

    Args:
        folder: The ``output_folder`` of ``MinhashDedupSignature``.

    Raises:
        benzer.NotFoundError: if it is not a folder of signatures.

    >>> import tempfile
    >>> from benzer import datatrove
    >>> config = datatrove.Config(num_buckets=1, hashes_per_bucket=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     datatrove.write(folder, [0], [[10, 11]], task=7, config=config)
    ...     datatrove.tasks(folder)
    [7]
    """
    first = Path(folder) / "bucket_000"
    if not first.is_dir():
        raise NotFoundError(
            f"{os.fspath(folder)}: not a folder of datatrove's signatures, which has a folder bucket_000",
            subject=os.fspath(folder),
            subject_kind="file",
        )
    names = [file.name.removesuffix(_SUFFIX) for file in first.iterdir() if file.name.endswith(_SUFFIX)]
    return sorted(int(name) for name in names if name.isdigit())


def read(folder: str | os.PathLike[str], task: int = 0, config: Config | None = None) -> SignedDocuments:
    """Read the signatures that a task of datatrove's first stage wrote.

    Args:
        folder: The ``output_folder`` of ``MinhashDedupSignature``.
        task: The number of the task (its rank), which is also the number of its input file.
        config: The configuration with which they were written; the files do not tell it.

    Returns:
        The documents of the task that have a signature.

    Raises:
        benzer.NotFoundError: if the file of a bucket is missing.
        benzer.BadInputError: if a file does not fit the configuration, or the files of two buckets do not have
            the same documents.

    >>> import tempfile
    >>> from benzer import datatrove
    >>> config = datatrove.Config(num_buckets=1, hashes_per_bucket=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     datatrove.write(folder, [4, 2], [[10, 11], [20, 21]], config=config)
    ...     signed = datatrove.read(folder, config=config)
    >>> signed.numbers.tolist(), signed.values.tolist()
    ([2, 4], [[20, 21], [10, 11]])
    """
    config = config or Config()
    numbers, columns = _read_bucket(_file(folder, 0, task), config)
    for bucket in range(1, config.num_buckets):
        file = _file(folder, bucket, task)
        found, more = _read_bucket(file, config)
        columns += more
        if not numpy.array_equal(numbers, found):
            raise _bad_file(file, "its documents are not those of bucket 0; one of the files is damaged")
    return SignedDocuments(numbers, numpy.stack(columns, axis=1))


def _bad_file(file: Path, problem: str) -> BadInputError:
    return BadInputError(f"{file}: {problem}", subject=str(file), subject_kind="file")


def _read_bucket(file: Path, config: Config) -> tuple[NDArray[numpy.uint32], list[Hashes]]:
    """Return the documents of a bucket, ascending, and the columns of its values."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{file}: the file does not exist", subject=str(file), subject_kind="file") from None
    size = config._record.itemsize
    if len(data) % size:
        raise _bad_file(
            file,
            f"{len(data):,} bytes are not records of {size} bytes; the file is cut off, or hashes_per_bucket or "
            "precision is another",
        )
    records = numpy.frombuffer(data, config._record)
    records = records[numpy.argsort(records["document"], kind="stable")]
    numbers = records["document"].astype(numpy.uint32)
    if numpy.any(numbers[1:] == numbers[:-1]):
        raise _bad_file(file, "a document is in it twice; the file is damaged, or the configuration is another")
    return numbers, [records[f"value{i}"].astype(numpy.uint64) for i in range(config.hashes_per_bucket)]


def write(
    folder: str | os.PathLike[str],
    numbers: Sequence[int] | NDArray[Any],
    values: Hashes,
    task: int = 0,
    config: Config | None = None,
) -> None:
    """Write signatures as a task of datatrove's first stage does: sorted, in a file for each bucket.

    The files appear when all of them are complete, and replace those that are there.

    Args:
        folder: The folder, which is made if it is not there; it is the ``input_folder`` of
            ``MinhashDedupBuckets``.
        numbers: The number of each document in the input of the task, from 0.
        values: A row of values for each document.
        task: The number of the task. The filter of datatrove must read the same documents in the same order in
            the task with this number.
        config: The configuration. By default that of datatrove.

    Raises:
        benzer.InvalidArgumentError: if an argument is not what it must be, or the values do not fit the numbers or
            the configuration. Nothing is written then.
    """
    config = config or Config()
    order = _whole_numbers(numbers, "numbers of documents", _MOST)
    if order.ndim != 1:
        raise InvalidArgumentError(f"the numbers of documents have the shape {order.shape}, and must be a list")
    rows = _whole_numbers(values, f"values of {config.precision} bits", (1 << config.precision) - 1)
    if not rows.size and not len(order):
        rows = rows.reshape(0, config.slots)
    if rows.shape != (len(order), config.slots):
        raise InvalidArgumentError(
            f"the values have the shape {rows.shape}, and {len(order):,} documents with {config.slots} values each "
            f"have {(len(order), config.slots)}"
        )
    if len(numpy.unique(order)) != len(order):
        raise InvalidArgumentError("two documents have the same number")
    records = numpy.empty(len(order), config._record)
    records["document"] = order
    files = [_file(folder, bucket, task) for bucket in range(config.num_buckets)]
    # Not in the folder of the bucket: datatrove takes every file in it for signatures.
    unfinished = [Path(folder) / f".{file.parent.name}-{file.name}.{os.getpid()}" for file in files]
    try:
        for bucket, (file, temporary) in enumerate(zip(files, unfinished)):
            for i in range(config.hashes_per_bucket):
                records[f"value{i}"] = rows[:, bucket * config.hashes_per_bucket + i]
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(numpy.sort(records, order=config._record.names).tobytes())
        for file, temporary in zip(files, unfinished):
            os.replace(temporary, file)
    finally:
        for temporary in unfinished:
            temporary.unlink(missing_ok=True)
