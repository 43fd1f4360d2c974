# labels: python
"""Runs benzer.spark on a cluster of a master and two workers, and kills executors and the driver while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_data

import benzer

pa = pytest.importorskip("pyarrow")
pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("there is no Java, which Spark needs", allow_module_level=True)

pytestmark = pytest.mark.long
KILLS = int(os.environ.get("BENZER_SPARK_KILLS", "1"))
"""How many executors, and as many drivers, are killed. ./dev soak: 20."""
PATIENCE = 600  # seconds
OPTIONS = {"text": "text", "id": "id", "threshold": 0.75, "keep": "longest"}

DRIVER = """
import json, sys
from pyspark.sql import SparkSession
from benzer.spark import deduplicate
master, folder, checkpoint, out, options = sys.argv[1:]
settings = {
    "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "1g",
    "spark.executor.memory": "800m", "spark.executor.cores": "1", "spark.executorEnv.PYTHONPATH": sys.path[0],
    "spark.task.maxFailures": "8", "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
builder = SparkSession.builder.master(master)
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
result = deduplicate(spark.read.parquet(folder), checkpoint=checkpoint, **json.loads(options))
found = {"removed": [list(row) for row in result.removed.collect()], "kept": [row.id for row in result.kept.collect()]}
with open(out, "w") as file:
    json.dump(found, file)
spark.stop()
"""


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} took more than {PATIENCE} s")


def parents() -> dict[int, int]:
    """Return the parent of each process."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            found[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
    return found


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


class Cluster:
    """A master and two workers on this machine, each with a core."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        try:
            self._start_all()
        except BaseException:
            self.close()
            raise

    def _start_all(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.master = f"spark://127.0.0.1:{port}"
        self._start("master", "master.Master", "--port", str(port), "--webui-port", "0")
        wait_for(lambda: "I have been elected leader" in self.log("master") or self.ended(), "the start of the master")
        self.workers = [self._worker(number) for number in (1, 2)]
        wait_for(lambda: self.log("master").count("Registering worker") == 2 or self.ended(), "the start of workers")
        assert not self.ended(), self.log("master")[-2000:]

    def ended(self) -> bool:
        """Return whether one of the processes has ended by itself."""
        return any(process.poll() is not None for process in self.processes)

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        options = ["--cores", "1", "--memory", "1g", "--webui-port", "0"]
        options += ["--work-dir", str(self.folder / f"work-{number}")]
        return self._start(f"worker-{number}", "worker.Worker", *options, self.master)

    def _start(self, name: str, role: str, *options: str) -> subprocess.Popen[bytes]:
        spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
        environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dspark.deploy.maxExecutorRetries=-1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "PYSPARK_PYTHON": sys.executable,
        }
        command = [str(spark_class), f"org.apache.spark.deploy.{role}", "--host", "127.0.0.1", *options]
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def executors(self) -> list[int]:
        """Return the processes of executors of the last driver that have run something in Python."""
        parent_of = parents()
        workers = {worker.pid for worker in self.workers}
        busy = set(parent_of.values())
        found: dict[str, list[int]] = {}
        for pid, parent in parent_of.items():
            application = re.search(r"--app-id (\S+)", command_of(pid)) if parent in workers else None
            if application:
                found.setdefault(application[1], []).extend([pid] if pid in busy else [])
        return found[max(found)] if found else []

    def close(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


class Driver:
    """A run on the cluster in a process of its own."""

    def __init__(self, cluster: Cluster, documents: Path, checkpoint: Path) -> None:
        self.out = checkpoint.with_name(f"{checkpoint.name}.json")
        self.log = checkpoint.with_name(f"{checkpoint.name}.log")
        package = str(Path(benzer.__file__).parents[1])
        environment = {
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(cluster.folder / "local"),
            "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]),
        }
        script = cluster.folder / "driver.py"
        script.write_text(DRIVER.replace("sys.path[0]", repr(environment["PYTHONPATH"])))
        arguments = [cluster.master, documents, checkpoint, self.out, json.dumps(OPTIONS)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(script), *map(str, arguments)],
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        """End the driver as a lost machine would: both its processes, Python and Java, at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def result(self) -> dict[str, Any]:
        code = self.process.wait(PATIENCE)
        assert code == 0, self.log.read_text(errors="replace")[-4000:]
        return json.loads(self.out.read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return a folder with about 5,000 documents in four files, and what one machine keeps and removes."""
    texts = [text for seed in range(10) for text in spark_data.texts(seed, 70)]
    table = spark_data.table_of(texts)
    folder = tmp_path_factory.mktemp("documents") / "files"
    spark_data.write(folder, table, 4)
    here = benzer.deduplicate(table, **OPTIONS)
    removed = pa.table(here.removed)
    assert table.num_rows > 5000
    assert removed.num_rows > 1000
    rows = list(zip(*[removed.column(name).to_pylist() for name in ("id", "kept_id", "score")]))
    gone = set(removed.column("id").to_pylist())
    kept = [one for one in table.column("id").to_pylist() if one not in gone]
    return folder, {"removed": sorted(map(list, rows)), "kept": sorted(kept)}


def check_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert sorted(found["removed"]) == expected["removed"]
    assert sorted(found["kept"]) == expected["kept"]


def stages_of(checkpoint: Path) -> int:
    """Return how many stages are noted as complete."""
    return len(list((checkpoint / "notes").glob("[!_]*.txt")))


def test_executors_and_drivers_are_killed(
    cluster: Cluster, documents: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """An executor that has work and the driver are killed in turn, each when some more stages are complete."""
    folder, expected = documents
    executors = drivers = rounds = 0
    while min(executors, drivers) < KILLS:
        checkpoint = tmp_path / f"checkpoint-{rounds}"
        driver = Driver(cluster, folder, checkpoint)
        step = 2 - rounds % 2
        try:
            while min(executors, drivers) < KILLS:
                wanted = stages_of(checkpoint) + step
                wait_for(lambda: driver.has_ended() or stages_of(checkpoint) >= wanted, "a stage")
                time.sleep(0.2 * (rounds % 4))
                if executors > drivers:
                    if driver.has_ended():
                        break
                    driver.kill()
                    drivers += 1
                    driver = Driver(cluster, folder, checkpoint)
                else:
                    wait_for(lambda: driver.has_ended() or cluster.executors(), "an executor")
                    running = cluster.executors()
                    if driver.has_ended() or not running:
                        break
                    os.kill(running[executors % len(running)], signal.SIGKILL)
                    executors += 1
            check_same(driver.result(), expected)
        finally:
            if not driver.has_ended():
                driver.kill()
        rounds += 1
        assert rounds < 10 + KILLS, "runs end before anything is killed"
    print(f"{executors} executors were killed in {rounds} runs")
    print(f"{drivers} drivers were killed in {rounds} runs")
