"""The command ``benzer``: the program of the package, which takes the place of this process.

It is not in the package, because importing a part of that would load the engine. The program runs this
file in its turn when the inputs of a command are Parquet or Arrow files, which only Python reads.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Run the program with the arguments of this process."""
    file = os.path.abspath(__file__)
    program = os.path.join(os.path.dirname(file), "benzer", "bin", "benzer")
    if not os.path.exists(program):
        sys.exit(f"benzer: the package holds no program: {program} is not there; reinstall benzer")
    os.environ["BENZER_PYTHON"] = sys.executable
    # By its path, and not by the name of a module, which the current folder may have, too.
    os.environ["BENZER_PYTHON_PROGRAM"] = file
    os.execv(program, ["benzer", *sys.argv[1:]])


def run_on_tables() -> int:
    """Carry out a command on Parquet or Arrow files in this process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while modules are imported; the command sets its own
    # A script's own folder comes first in the path, in front of the standard library. It comes last.
    sys.path[:] = [*sys.path[1:], os.path.dirname(os.path.abspath(__file__))]
    from benzer import _engine
    from benzer._command import Tables

    return _engine.run_command(sys.argv[1:], Tables())


if __name__ == "__main__":
    sys.exit(run_on_tables())
