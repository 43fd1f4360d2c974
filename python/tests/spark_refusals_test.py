# labels: python
"""Tests what benzer.spark refuses before any work, with the way out in the sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest

import benzer


class Frame:
    """A frame that nobody reads."""

    columns = ("id", "text")
    sparkSession = None
    mapInArrow = None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"features": "image:pdq"}, "pictures are not compared on Spark; benzer.deduplicate() takes folders"),
        ({"config": "image:pdq"}, "pictures are not compared on Spark"),
        ({"features": "text:word1+tf-idf"}, "+tf-idf needs the frequencies of all documents"),
        ({"features": "text:word5+drop-common:0.1"}, "+drop-common needs the frequencies of all documents"),
        ({"keep": "source:a,b"}, "a frame has no sources"),
    ],
)
def test_what_is_not_offered_says_the_way_out(arguments: dict[str, Any], sentence: str) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from benzer.spark import deduplicate

    with pytest.raises(benzer.InvalidArgumentError, match=re.escape(sentence)):
        deduplicate(Frame(), **arguments)
