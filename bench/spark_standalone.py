"""Starts a standalone master of Spark with two workers of one core on this machine, for one of the jobs.

  spark_standalone.py JOB...

JOB: the words of spark_jobs.py. All processes are children of this one, so that their CPU is counted.
"""
from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyspark

WORKERS = 2
PATIENCE = 120  # seconds
SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


def start(role: str, *options: str) -> subprocess.Popen[bytes]:
    command = [SPARK_CLASS, f"org.apache.spark.deploy.{role}", "--host", "127.0.0.1", "--webui-port", "0", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env={**os.environ, "SPARK_DAEMON_MEMORY": "512m"})


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                sys.exit(f"the master does not listen after {PATIENCE} s")
            time.sleep(0.1)
        else:
            return


def main() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = [start("master.Master", "--port", str(port))]
    try:
        wait_for_port(port)
        master = f"spark://127.0.0.1:{port}"
        processes += [start("worker.Worker", "--cores", "1", "--memory", "4g", master) for _ in range(WORKERS)]
        words = os.environ["PYSPARK_SUBMIT_ARGS"].replace("local[2]", master)
        code = subprocess.run([sys.executable, Path(__file__).with_name("spark_jobs.py"), *sys.argv[1:]],
                              env={**os.environ, "PYSPARK_SUBMIT_ARGS": words}, check=False).returncode
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
    sys.exit(code)


if __name__ == "__main__":
    main()
