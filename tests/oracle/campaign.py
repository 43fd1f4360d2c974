"""Reads the options of a test that runs random rounds, and chooses the seeds of the rounds."""
from __future__ import annotations

import argparse
import time
from collections.abc import Iterator


def read_options(rounds: int) -> argparse.Namespace:
    """Reads the options of the command line; `without` is a set. `rounds` is the default number of rounds."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=rounds)
    arguments.add_argument("--seconds", type=float)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--without", type=lambda words: set(words.split(",")) - {""}, default=set())
    arguments.add_argument("-v", action="store_true")
    return arguments.parse_args()


def seeds(options: argparse.Namespace) -> Iterator[int]:
    """Yields a seed for each round, until there were enough rounds or the time is over."""
    began = time.monotonic()
    seed = options.seed
    while time.monotonic() - began < options.seconds if options.seconds else seed < options.seed + options.rounds:
        yield seed
        seed += 1


def again(options: argparse.Namespace, seed: int) -> str:
    """Returns the options that repeat one round."""
    return f"--rounds 1 --seed {seed}" + (f" --without {','.join(sorted(options.without))}" if options.without else "")
