"""Runs one command and prints what it used; measure.run_timed starts it through this launcher.

  launch.py STDOUT_FILE COMMAND...

A process inherits the peak memory that its parent has until its exec. A driver that holds a truth file would add its
own peak to the measured one; this launcher is small.

Processes that the command leaves behind become children of the launcher, which waits for them, too: Spark starts its
workers through a daemon that may end last. So the CPU is that of all processes that the command has started.
"""
import ctypes
import os
import resource
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    output, command = sys.argv[1], sys.argv[2:]
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    wall = time.perf_counter() - started
    with open(f"/proc/{child}/io", encoding="ascii") as counts:  # it has ended, and is not reaped yet
        written = next(int(line.split()[1]) for line in counts if line.startswith("write_bytes"))
    _, status = os.waitpid(child, 0)
    try:
        while True:
            os.wait()
    except ChildProcessError:  # none is left
        pass
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(os.waitstatus_to_exitcode(status), usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss * 1024, written)


if __name__ == "__main__":
    main()
