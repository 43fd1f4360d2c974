# labels: python passages
"""Passages that documents share: those of the command line, of lists, tables and files."""

import json
import os
import pickle
import subprocess

import pytest

import benzer

WORDS = [f"word{number}" for number in range(300)]
TEXTS = {
    "whole": " ".join(WORDS),
    "quoted": "Größe: " + " ".join(WORDS[40:90]) + ", and the end",
    "changed": " ".join([*WORDS[100:130], "other", *WORDS[131:160]]),
    "own": "nothing of all that is in here",
}


def of_command(tmp_path, *options):
    """What the command line lists of the texts."""
    file = tmp_path / "texts.jsonl"
    lines = [json.dumps({"id": name, "text": text, "lang": name[0]}) for name, text in TEXTS.items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [os.environ["BENZER"], "passages", str(file), *options]
    out = subprocess.run(command, check=True, capture_output=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def as_command(one):
    """A passage in the form of the command line, without files and lines."""
    names = ("begin", "end", "begin_char", "end_char")
    return {
        "document": one["id"],
        **{name: one[name] for name in (*names, "words", "score", "cluster", "text")},
        "first": {"document": one["first_id"], **{name: one["first_" + name] for name in (*names, "words")}},
    }


def without_places(one):
    first = {name: value for name, value in one["first"].items() if name not in ("source", "line")}
    return {name: value for name, value in one.items() if name not in ("source", "line")} | {"first": first}


@pytest.mark.parametrize("options", [{}, {"min_words": 20}, {"gap": 3}, {"min_words": 10, "gap": 2, "across": "lang"}])
def test_finds_what_the_command_line_finds(tmp_path, options):
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    expected = [without_places(one) for one in of_command(tmp_path, *arguments)]
    assert expected
    rows = {"id": list(TEXTS), "text": list(TEXTS.values()), "lang": [name[0] for name in TEXTS]}
    pyarrow = pytest.importorskip("pyarrow")
    for documents in (pyarrow.table(rows), [str(tmp_path / "texts.jsonl")]):
        found = benzer.passages(documents, **options)
        assert [as_command(one) for one in found] == expected
        assert found.summary["passages"] == len(found) == len(expected)


def test_a_list_of_texts():
    found = benzer.passages(list(TEXTS.values()))
    [one] = found
    assert (one["row"], one["first_row"], one["words"], one["score"]) == (1, 0, 50, 1.0)
    assert one["text"] == " ".join(WORDS[40:90])
    text = TEXTS["quoted"]
    assert text[one["begin_char"] : one["end_char"]] == one["text"]
    assert text.encode()[one["begin"] : one["end"]].decode() == one["text"]
    assert found[-1] == one
    assert found[0:1] == [one]
    assert repr(found) == "<benzer.Passages: 1>"
    again = pickle.loads(pickle.dumps(found))
    assert list(again) == list(found)
    assert again.summary == found.summary


def test_references_and_problems():
    found = benzer.passages([TEXTS["quoted"], TEXTS["quoted"]], against=[TEXTS["whole"]])
    assert [(one["row"], one["first_row"]) for one in found] == [(0, 0), (1, 0)]
    assert len(benzer.passages([])) == 0
    for wrong, said in (
        ({"min_words": 0}, "min_words '0' is not allowed"),
        ({"gap": 101}, "gap '101' is not allowed"),
        ({"features": "values"}, "features"),
        ({"across": "lang"}, "name the column with across"),
    ):
        with pytest.raises(benzer.Error) as caught:
            benzer.passages(["a text"], **wrong)
        assert said in str(caught.value)
        assert "--" not in str(caught.value)
