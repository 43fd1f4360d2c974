"""Damages the files of a store at random, each time as a line of shell."""
from __future__ import annotations

import random
import shlex
import shutil
from pathlib import Path

from program import A_FILE, Program

WEIGHTS = {"segment": 5, "log": 2, "removed": 2}  # how often each kind of file is damaged; other kinds: 1


def files_of(store: Path) -> list[str]:
    return sorted(path.name for path in store.iterdir() if path.is_file() and A_FILE.fullmatch(path.name) and path.name != "LOCK")


def kind_of(name: str) -> str:
    return name.split("-")[0]


class Damage:
    """Damages a store, and records what can still be promised about it."""

    def __init__(self, program: Program, chance: random.Random, store: str, others: list[str]) -> None:
        self.program, self.chance, self.store = program, chance, store
        self.folder = program.folder / store
        self.others = [other for other in others if (program.folder / other).is_dir()]
        self.touched: set[str] = set()
        self.from_another = 0
        self.are_missing = False  # files that a manifest names
        self.is_log_of_another = False

    def some(self) -> None:
        for _ in range(self.chance.choice([1, 1, 1, 2, 3])):
            self.one()

    def one(self) -> None:
        names = files_of(self.folder)
        if not names:
            return
        # Chooses a kind first, because there are many files of some kinds.
        kinds = sorted(set(map(kind_of, names)))
        kind = self.chance.choices(kinds, [WEIGHTS.get(kind, 1) for kind in kinds])[0]
        name = self.chance.choice([one for one in names if kind_of(one) == kind])
        acts = [self.flip, self.flip, self.overwrite, self.cut, self.empty, self.remove, self.grow, self.exchange, self.exchange]
        if self.others:
            acts += [self.replace, self.replace]
        self.touched.add(name)
        self.chance.choice(acts)(name)

    def touches(self, kind: str) -> bool:
        return any(kind_of(name) == kind for name in self.touched)

    @property
    def is_detectable(self) -> bool:
        """Returns False if the store may look like a sound one of another time. There are three such cases. The mark next to the log, which
        tells a torn end from a damaged one, was damaged together with the log. Several files, or a log, are from another copy of the store.
        Or the manifest is missing together with a file that it names."""
        if self.touches("SYNCED") and self.touches("log") or self.touches("MANIFEST") and self.are_missing:
            return False
        return self.from_another < 2 and not self.is_log_of_another

    # --- one file -----------------------------------------------------------------------------------

    def note(self, line: str) -> None:
        self.program.note(line)

    def put(self, name: str, at: int, data: bytes) -> None:
        codes = "".join(f"\\x{byte:02x}" for byte in data)
        shown = shlex.quote(f"{self.store}/{name}")
        self.note(f"printf '{codes}' | dd of={shown} bs=1 seek={at} conv=notrunc status=none")
        with (self.folder / name).open("r+b") as file:
            file.seek(at)
            file.write(data)

    def place(self, name: str) -> int:
        """Returns a random position: anywhere, in the first 200 bytes, or in the last 200 bytes."""
        size = (self.folder / name).stat().st_size
        return max(0, self.chance.choice([self.chance.randrange(max(size, 1)), self.chance.randrange(min(max(size, 1), 200)),
                                          size - 1 - self.chance.randrange(min(max(size, 1), 200))]))

    def flip(self, name: str) -> None:
        data = (self.folder / name).read_bytes()
        if data:
            at = self.place(name)
            if self.chance.random() < 0.8:  # much of a small segment is zeros that are never read
                at = self.chance.choice([i for i, byte in enumerate(data) if byte] or [at])
            self.put(name, at, bytes([data[at] ^ 1 << self.chance.randrange(8)]))

    def overwrite(self, name: str) -> None:
        """Overwrites a part with zeros, random bytes or bytes of another place."""
        data = (self.folder / name).read_bytes()
        if not data:
            return
        length = min(len(data), self.chance.choice([1, 8, 64, 512, 4096]))
        at = min(self.place(name), len(data) - length)
        if self.chance.random() < 0.5:
            at = at // 4096 * 4096
        source = self.chance.randrange(len(data) - length + 1)
        self.put(name, at, self.chance.choice([bytes(length), self.chance.randbytes(length), data[source : source + length]])[: len(data) - at])

    def cut(self, name: str) -> None:
        size = self.place(name)
        if self.chance.random() < 0.3:
            size = size // 4096 * 4096
        self.program.shell("truncate", "-s", size, f"{self.store}/{name}")

    def empty(self, name: str) -> None:
        self.program.shell("truncate", "-s", 0, f"{self.store}/{name}")

    def remove(self, name: str) -> None:
        self.are_missing |= kind_of(name) in ("segment", "removed", "log")
        self.program.shell("rm", f"{self.store}/{name}")

    def grow(self, name: str) -> None:
        size = (self.folder / name).stat().st_size
        self.put(name, size, self.chance.choice([bytes, self.chance.randbytes])(self.chance.choice([1, 8, 100, 5000])))

    # --- exchanged files ----------------------------------------------------------------------------

    def exchange(self, name: str) -> None:
        """Exchanges two files of the store, mostly of the same kind."""
        names = [one for one in files_of(self.folder) if one != name]
        alike = [one for one in names if kind_of(one) == kind_of(name)]
        if not names:
            return
        other = self.chance.choice(alike if alike and self.chance.random() < 0.8 else names)
        self.touched.add(other)
        self.program.shell("mv", f"{self.store}/{name}", f"{self.store}/exchanged")
        self.program.shell("mv", f"{self.store}/{other}", f"{self.store}/{name}")
        self.program.shell("mv", f"{self.store}/exchanged", f"{self.store}/{other}")

    def replace(self, name: str) -> None:
        """Replaces a file by one of an earlier copy of the store, or of another store: with the same name, or of the same kind."""
        other = self.chance.choice(self.others)
        names = [one for one in files_of(self.program.folder / other) if kind_of(one) == kind_of(name)]
        if not names:
            return
        source = name if name in names and self.chance.random() < 0.6 else self.chance.choice(names)
        self.from_another += 1
        self.is_log_of_another |= kind_of(name) == "log"
        self.program.shell("cp", f"{other}/{source}", f"{self.store}/{name}")


def copied(program: Program, store: str, to: str) -> str:
    shutil.rmtree(program.folder / to, ignore_errors=True)
    program.note(f"rm -rf {shlex.quote(to)}")
    program.shell("cp", "-r", store, to)
    return to
