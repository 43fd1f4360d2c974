"""Uses a client that openapi-python-client has generated: python use_client.py ADDRESS ADDRESS_WITH_KEYS READ_KEY ADMIN_KEY.

Run by tests/serve_clients_test.py in a folder with the package benzer_client. Ends with an error if an answer has not the type that
the client promises, or has members that the client does not know.
"""
from __future__ import annotations

import asyncio
import json
import sys
import time

import attrs
from benzer_client import AuthenticatedClient, Client, models
from benzer_client.api.decisions import add_decision, change_decision, list_decisions
from benzer_client.api.documents import (
    change_document,
    check_and_add,
    get_document,
    list_documents,
    put_document,
    put_documents,
)
from benzer_client.api.indexes import create_index, delete_index, get_index_stats, list_indexes, sample_similarities
from benzer_client.api.plan import make_plan
from benzer_client.api.search import compare, find_clusters, find_pairs, find_similar, find_similar_to_each
from benzer_client.api.service import get_key, get_limits
from benzer_client.api.tasks import get_report, get_task, start_dedup, start_snapshot, start_verify, watch_task
from benzer_client.types import File, Unset

PATIENCE = 30  # seconds until a task must have ended
BEGIN = "The quick brown fox jumps over the lazy dog near the old river"
TEXTS = {"fox": f"{BEGIN} bank.", "copy": f"{BEGIN} bend.", "late": f"Yesterday {BEGIN} bank.", "cat": "A cat sleeps on the warm stones of the harbour wall."}
# Classes for any member: what was sent, values of attributes, and figures of fields by their names.
OPEN = {"Document", "Change", "Attributes", "HeldDocumentFields", "MatchFields", "ComparisonFields", "Anything"}


def check_known(value: object) -> None:
    """Fails if a member is there that the class has no name for."""
    if isinstance(value, list):
        for one in value:
            check_known(one)
    elif attrs.has(type(value)):
        extra = getattr(value, "additional_properties", {})
        name = type(value).__name__
        assert not extra or name in OPEN, f"{name} has no members for {sorted(extra)}"
        check_known(list(extra.values()))
        check_known([getattr(value, member.name) for member in attrs.fields(type(value)) if member.name != "additional_properties"])


def typed(value: object, wanted: type):
    assert isinstance(value, wanted), f"{wanted.__name__} is expected, not {value!r}"
    check_known(value)
    return value


def ended(client: Client, task: object) -> models.Task:
    """Polls a task until it has ended."""
    began = time.monotonic()
    while typed(task, models.Task).status in (models.TaskStatus.ENQUEUED, models.TaskStatus.PROCESSING):
        assert time.monotonic() - began < PATIENCE, f"the task has not ended: {task!r}"
        time.sleep(0.02)
        task = get_task.sync(task.id, client=client)
    assert task.problem is None and task.status is models.TaskStatus.SUCCEEDED, task
    return task


def lines(answer: object, kind: type, last: type) -> tuple[list, object]:
    """Reads lines of JSON as objects of `kind`, and the last one as `last`."""
    *rows, end = [json.loads(line) for line in typed(answer, File).payload]
    return [typed(kind.from_dict(row), kind) for row in rows], typed(last.from_dict(end), last)


def put(client: Client) -> None:
    made = typed(create_index.sync("news", client=client, body=models.NewIndex(attributes=["lang=string", "price=number"])), models.Index)
    assert (made.state, made.documents, made.schema.fields[0].kind) == (models.IndexState.READY, 0, models.FieldKind.TEXT), made
    documents = [models.Document.from_dict({"id": name, "text": text, "lang": "en", "price": 1.5}) for name, text in TEXTS.items()]
    outcomes = typed(put_documents.sync("news", client=client, body=documents), models.Outcomes)
    assert outcomes.summary.inserted == len(TEXTS) and outcomes.results[0].outcome is models.OutcomeOutcome.INSERTED, outcomes
    refused = typed(put_documents.sync("news", client=client, body=[models.Document.from_dict({"text": "without an id"})]), models.Outcomes)
    assert typed(refused.results[0].problem, models.Problem).code == "bad_input", refused
    stored = typed(put_document.sync("news", "fox", client=client, body=documents[0]), models.Stored)
    assert stored.outcome is models.StoredOutcome.REPLACED, stored
    assert typed(change_document.sync("news", "fox", client=client, body=models.Change.from_dict({"price": None})), models.Stored)
    held = typed(get_document.sync("news", "fox", client=client), models.HeldDocument)
    assert held.document["text"] == TEXTS["fox"] and held.attributes["lang"] == "en" and held.fields["text"].features > 0, held
    page = typed(list_documents.sync("news", client=client, limit=3), models.Documents)
    assert len(page.documents) == 3 and typed(list_documents.sync("news", client=client, after=page.next_), models.Documents).next_ is None, page


def search(client: Client) -> None:
    found = typed(find_similar.sync("news", client=client, body=models.SimilarRequest(id="fox", threshold=0.8)), models.Matches)
    assert {match.id for match in found.matches} == {"copy", "late"} and found.work.candidates >= 2, found
    assert isinstance(found.matches[0].fields["text"], float), found
    request = models.SimilarRequest(text=TEXTS["fox"], explain=True, where=["lang = en"])
    why = typed(find_similar.sync("news", client=client, body=request), models.Matches)
    assert all(match.fields["text"].passages[0].text for match in why.matches), why
    each = typed(find_similar_to_each.sync("news", client=client, body=models.SimilarBatchRequest([models.Document.from_dict({"text": TEXTS["cat"]})])), models.Results)
    assert each.results[0].matches[0].id == "cat", each
    sides = models.CompareRequest(models.CompareSide(id="fox"), models.CompareSide(text=TEXTS["copy"]))
    compared = typed(compare.sync("news", client=client, body=sides), models.Comparison)
    assert compared.similar and models.PieceMark.OWN in [piece.mark for piece in compared.fields["text"].b.pieces], compared
    rows, end = lines(find_pairs.sync("news", client=client), models.Pair, models.RowsEnd)
    assert len(rows) == end.summary.rows == 2 and not end.summary.truncated, rows
    rows, end = lines(find_clusters.sync("news", client=client, body=models.ClustersRequest(cluster=models.Clustering.COMPONENTS)), models.Cluster, models.RowsEnd)
    assert rows[0].size == 3 and rows[0].decision is None and end.summary.clusters == 1, rows


def decide(client: Client) -> None:
    made = typed(add_decision.sync("news", client=client, body=models.NewDecision(["fox", "copy"], keeper="copy")), models.Decision)
    changed = change_decision.sync("news", made.id, client=client, if_match=made.etag, body=models.NewDecision(["fox", "copy"], keeper="fox"))
    assert typed(changed, models.Decision).keeper == "fox" and changed.at.tzinfo is not None, changed
    late = change_decision.sync("news", made.id, client=client, if_match=made.etag, body=models.NewDecision(["fox", "copy"]))
    assert typed(late, models.Problem).status == 412, late
    assert [one.id for one in typed(list_decisions.sync("news", client=client), models.Decisions).decisions] == [made.id]


def run_tasks(client: Client) -> None:
    # The same Idempotency-Key starts one task.
    first, again = (typed(start_dedup.sync("news", client=client, body=models.DedupRequest(remove=False), idempotency_key="once"), models.Task) for _ in range(2))
    assert first.id == again.id, (first, again)
    done = ended(client, first)
    assert done.result.would_remove == 2 and isinstance(done.result.removed, Unset) and done.progress.done == len(TEXTS), done
    report = typed(get_report.sync(done.id, client=client), models.Report)
    assert report.found[0].keeper == "fox" and {member.id for member in report.found[0].members} == {"copy", "late"}, report
    assert "event: task" in watch_task.sync(done.id, client=client)
    assert typed(ended(client, start_snapshot.sync("news", client=client)).result.name, str).startswith("news")
    ended(client, start_verify.sync("news", client=client))


def look(client: Client) -> None:
    stats = typed(get_index_stats.sync("news", client=client), models.Stats)
    assert stats.kept.documents == len(TEXTS) and stats.last_verify.ok and stats.sample.documents == len(TEXTS) and stats.upkeep.failures == 0, stats
    assert len(typed(sample_similarities.sync("news", client=client, documents=4), models.Similarities).histogram) == 20
    plan = typed(make_plan.sync(client=client, body=models.PlanRequest(threshold="0.7")), models.Plan)
    assert plan.alternatives[0].fits and len(plan.curve) == 50, plan
    assert typed(get_limits.sync(client=client), models.Limits).ids == 10_000
    assert [one.name for one in typed(list_indexes.sync(client=client), models.Indexes).indexes] == ["news"]
    checked = check_and_add.sync("news", client=client, body=models.CheckRequest(models.Document.from_dict({"id": "again", "text": TEXTS["fox"]})))
    assert not typed(checked, models.Checked).added and checked.matches, checked


def use_keys(address: str, read: str, admin: str) -> None:
    reader, owner = AuthenticatedClient(address, token=read), AuthenticatedClient(address, token=admin)
    assert typed(get_key.sync(client=reader), models.Key).scope is models.KeyScope.READ
    refused = typed(create_index.sync("other", client=reader), models.Problem)
    assert (refused.status, refused.code) == (403, "scope_too_small"), refused
    answer = create_index.sync_detailed("other", client=owner)
    assert answer.status_code == 201 and typed(answer.parsed, models.Index).name == "other", answer
    stranger = typed(get_limits.sync(client=AuthenticatedClient(address, token="bz_0")), models.Problem)
    assert stranger.status == 401, stranger


async def ask_at_once(client: Client) -> None:
    requests = (find_similar.asyncio("news", client=client, body=models.SimilarRequest(id=name)) for name in TEXTS)
    assert {type(answer) for answer in await asyncio.gather(*requests)} == {models.Matches}


def main() -> int:
    address, with_keys, read, admin = sys.argv[1:]
    client = Client(address, raise_on_unexpected_status=True)
    for step in (put, search, decide, run_tasks, look):
        step(client)
    missing = typed(find_similar.sync("nothing", client=client, body=models.SimilarRequest(id="fox")), models.Problem)
    assert (missing.status, missing.code) == (404, "index_not_found"), missing
    wrong = typed(find_similar.sync("news", client=client, body=models.SimilarRequest(id="fox", limit=0)), models.Problem)
    assert (wrong.status, wrong.where) == (422, "/limit"), wrong
    asyncio.run(ask_at_once(client))
    use_keys(with_keys, read, admin)
    assert typed(delete_index.sync_detailed("news", client=client, confirm="news").status_code, int) == 204
    return 0


if __name__ == "__main__":
    sys.exit(main())
