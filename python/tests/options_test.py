# labels: python
"""Keyword arguments are the options of the command line: none is missing, and none is of Python alone."""

import inspect

import pytest

import benzer
from benzer import _engine

# What has no meaning here, or is there in another form: files that the command line writes of what a Result returns,
# and what controls a process.
NOT_HERE = {
    "pairs": "Result.clusters() and pairs() return them",
    "clusters": "Result.clusters() returns them",
    "dry_run": "without output nothing is written",
    "json": "Result.summary",
    "quiet": "nothing is printed",
    "stage": "processes that share a run are started by the command line",
    "part": "processes that share a run are started by the command line",
    "remove": "of an index",
    "exact": "of pairs()",
    "score": "of an index",
    "allow_low_recall": "of an index",
    "ca_file": "of an index",
    "timeout": "of an index",
    "output": "pairs() returns them",
}
CALLS = {"dedup": benzer.deduplicate, "pairs": benzer.pairs, "passages": benzer.passages}
# remove_passages() has the options of "passages --remove".
OF_PASSAGES = {"annotate"}  # passages() returns the passages of each record


@pytest.mark.parametrize("command", CALLS)
def test_every_option_is_an_argument(command):
    calls = [CALLS[command], *([benzer.remove_passages] if command == "passages" else [])]
    arguments = {name for call in calls for name in inspect.signature(call).parameters} - {"documents"}
    options = set(_engine.options_of(command))
    not_here = {*NOT_HERE, *(OF_PASSAGES if command == "passages" else [])}
    assert options - arguments - not_here == set()
    assert arguments - options == set()


@pytest.mark.parametrize(
    "argument, sentence",
    [
        ({"threshold": 2}, "threshold"),
        ({"recall": 1}, "recall '1' is not allowed"),
        ({"memory_limit": "3"}, "memory_limit '3' is not allowed"),
        ({"keep": "best"}, "best"),
        ({"cluster": "all"}, "cluster 'all' is not allowed"),
        ({"short": "never"}, "short 'never' is not allowed"),
        ({"threads": 0}, "threads '0' is not allowed"),
        ({"threshold": False}, "threshold takes one value"),
        ({"recall": True}, "recall takes one value"),
        ({"strict": "no"}, "strict takes true or false"),
        ({"config": "text:word3", "features": "text:word3"}, "leave out features"),
    ],
)
def test_sentences_name_arguments(argument, sentence):
    with pytest.raises(benzer.InvalidArgumentError) as caught:
        benzer.deduplicate(["a text"], **argument)
    assert sentence in str(caught.value)
    assert "--" not in str(caught.value)
