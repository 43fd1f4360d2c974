# labels: python
"""What other libraries get: a namespace of polars and estimators of scikit-learn."""

import numpy
import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import benzer
import benzer.polars
from benzer.sklearn import MinHashTransformer, NearDuplicateClusterer

TEXTS = ["a storm hit the coast on monday", "fair weather all over the country", "a storm hit the coast on monday"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [MinHashTransformer(), NearDuplicateClusterer()], ids=lambda e: type(e).__name__)
def test_scikit_learn_accepts_it(estimator):
    check_estimator(estimator)
    assert clone(estimator).get_params() == estimator.get_params()


def test_signatures_are_those_of_sketch():
    array = make_pipeline(MinHashTransformer(sketch="fss:32")).fit_transform(TEXTS)
    assert array.dtype == numpy.uint64
    assert array.tolist() == benzer.sketch(TEXTS, sketch="fss:32")["signature"]
    assert MinHashTransformer().fit_transform([]).shape[0] == 0


@pytest.mark.parametrize("cluster", ["leader", "components"])
def test_clusters(cluster):
    found = NearDuplicateClusterer(cluster=cluster).fit(TEXTS)
    assert found.labels_.tolist() == [0, 1, 0]
    assert found.kept_.tolist() == [True, True, False]


BAD = ["a text", 7, {"text": TEXTS}, pandas.DataFrame({"text": TEXTS}), polars.DataFrame({"text": TEXTS})]
BAD += [pyarrow.table({"text": TEXTS}), numpy.array([TEXTS]), numpy.array("a text")]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: type(bad).__name__)
def test_other_inputs_are_refused(bad):
    for estimator in (MinHashTransformer(), NearDuplicateClusterer()):
        with pytest.raises(ValueError, match=f"type {type(bad).__name__}, and it must be an iterable of texts"):
            estimator.fit(bad).transform(bad)


def test_columns_of_texts():
    columns = (pandas.Series(TEXTS), polars.Series(TEXTS), pyarrow.chunked_array([TEXTS]), numpy.array(TEXTS))
    for column in (*columns, tuple(TEXTS), iter(TEXTS)):
        assert NearDuplicateClusterer().fit_predict(column).tolist() == [0, 1, 0]


def test_texts_that_look_like_names_are_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parquet.write_table(pyarrow.table({"text": TEXTS}), "a.parquet")
    (tmp_path / "a.jsonl").write_text('{"text": "of a file"}\n' * 2)
    names = ["a.parquet", "see data.csv", "a.parquet"]
    signatures = MinHashTransformer(sketch="fss:4").fit_transform(names)
    assert signatures.tolist() == benzer.sketch(pyarrow.array(names), sketch="fss:4")["signature"]
    found = NearDuplicateClusterer(features="text:word1").fit(["a.jsonl", "b.jsonl", "a.jsonl"])
    assert found.labels_.tolist() == [0, 1, 0]


def test_polars_namespace():
    frame = polars.DataFrame({"text": TEXTS, "n": [1, 2, 3]})
    assert frame.benzer.deduplicate()["n"].to_list() == [1, 2]
    assert frame.lazy().benzer.deduplicate(keep="last").collect()["n"].to_list() == [2, 3]
    assert frame.benzer.annotate()["benzer_cluster"].to_list() == [1, None, 1]
    assert frame.benzer.pairs().rows() == [(0, 0, 2, 2, 1.0)]
    lazy = frame.lazy().select(polars.col("text").benzer.signature(sketch="fss:8"))
    assert lazy.collect()["text"].to_list() == benzer.sketch(TEXTS, sketch="fss:8")["signature"]
    lazy = frame.lazy().select(polars.col("text").benzer.signature(config="text:word2 | fss:8 | bands:4x2"))
    signatures = benzer.sketch(TEXTS, features="text:word2", sketch="fss:8")["signature"]
    assert lazy.collect_schema()["text"] == polars.Array(polars.UInt64, 8)
    assert lazy.collect()["text"].to_list() == signatures


def test_polars_signatures_of_values():
    frame = polars.DataFrame({"has": [["a", "b"], ["c"], None]})
    signed = frame.lazy().select(polars.col("has").benzer.signature(values="has", features="values", sketch="fss:8"))
    assert signed.collect_schema()["has"] == polars.Array(polars.UInt64, 8)
    expected = benzer.sketch(frame, values="has", features="values", sketch="fss:8")["signature"]
    assert signed.collect()["has"].to_list() == expected


def test_polars_annotations_of_large_clusters_may_be_refused():
    frame = polars.DataFrame({"text": ["the same words for all of them"] * 2000})
    assert frame.benzer.annotate()["benzer_cluster"].n_unique() == 1
    with pytest.raises(benzer.GuardRailError):
        frame.benzer.annotate(allow_large_clusters=False)
