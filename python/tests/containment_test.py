# labels: python
"""measure="containment": the same answers as the command line, with how much of each document the other one has."""

import pytest

import benzer

PART = "one two three four"
WHOLE = "one two three four five six seven eight"
TEXTS = [PART, WHOLE, "nothing like the rest"]


def test_the_part_is_removed():
    result = benzer.deduplicate(TEXTS, features="text:word1", measure="containment")
    assert result.kept() == TEXTS[1:]
    row = {
        "row": 0,
        "id": 0,
        "kept_row": 1,
        "kept_id": 1,
        "score": 1.0,
        "share_of_removed": 1.0,
        "share_of_keeper": 0.5,
    }
    assert list(result.removed) == [row]
    assert result.summary["measure"] == "containment"
    assert result.summary["keep"] == "largest"
    assert (result.summary["anchors"], result.summary["needed_anchors"]) == (20, 12)
    assert result.audit()["all"]["recall"] == 1.0
    assert '"measure":"containment"' in result.report().json


def test_without_it_there_are_no_shares():
    result = benzer.deduplicate([WHOLE] * 2, features="text:word1")
    assert set(result.removed[0]) == {"row", "id", "kept_row", "kept_id", "score"}
    assert "measure" not in result.summary


@pytest.mark.parametrize("exact", [False, True])
def test_pairs_have_both_shares(exact):
    pairs = benzer.pairs(TEXTS, features="text:word1", measure="containment", exact=exact)
    assert list(pairs) == [(0, 1, 1.0)]
    assert [(row["share_of_a"], row["share_of_b"]) for row in pairs.table] == [(1.0, 0.5)]


def test_two_texts_and_the_plan():
    found = benzer.compare(WHOLE, PART, features="text:word1", measure="containment")
    assert (found["similarity"], found["share_of_a"], found["share_of_b"]) == (1.0, 0.5, 1.0)
    plan = benzer.plan(0.8, measure="containment")
    assert (plan["needed_anchors"], plan["keys"]) == (12, "0.251/20")


def test_what_has_no_containment_is_refused():
    with pytest.raises(benzer.InvalidArgumentError, match="clustering by components has no containment"):
        benzer.deduplicate(TEXTS, measure="containment", cluster="components")
    with pytest.raises(benzer.InvalidArgumentError, match="sketch has no effect with measure='containment'"):
        benzer.deduplicate(TEXTS, measure="containment", sketch="fss:64")
