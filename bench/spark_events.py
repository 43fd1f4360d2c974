"""Sums what Spark's event log says of each stage of benzer.spark."""
from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

STAGES = ["sketches", "copies", "found", "candidates", "members", "removed", "kept"]
# The folder that a query writes to names its stage.
WRITTEN = re.compile(r"InsertIntoHadoopFsRelationCommand\s.*?Arguments: file:([^\s,]+),", re.DOTALL)


def shuffled_bytes(log: Path) -> Counter[str]:
    """Returns the bytes that the tasks of each stage of benzer wrote for a shuffle; "other" is what writes nothing."""
    query_writes: dict[str, str] = {}
    stage_of: dict[int, str] = {}
    out: Counter[str] = Counter()
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            kind = event["Event"].rpartition(".")[2]
            if kind == "SparkListenerSQLExecutionStart":
                found = WRITTEN.search(event["physicalPlanDescription"])
                name = Path(found[1]).name if found else ""
                query_writes[str(event["executionId"])] = name if name in STAGES else "other"
            elif kind == "SparkListenerJobStart":
                query = event.get("Properties", {}).get("spark.sql.execution.id", "")
                stage_of.update(dict.fromkeys(event["Stage IDs"], query_writes.get(query, "other")))
            elif kind == "SparkListenerTaskEnd":
                metrics = event.get("Task Metrics", {}).get("Shuffle Write Metrics", {})
                out[stage_of.get(event["Stage ID"], "other")] += metrics.get("Shuffle Bytes Written", 0)
    return out
