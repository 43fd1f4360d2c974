"""The command benzer: the program of the package, which takes the place of this process."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the program with the arguments of this process."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "benzer")
    if not os.path.exists(program):
        sys.exit(f"benzer: the package holds no program: {program} is not there; reinstall benzer")
    os.execv(program, ["benzer", *sys.argv[1:]])


if __name__ == "__main__":
    main()
