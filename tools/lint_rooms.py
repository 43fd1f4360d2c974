"""Checks the includes of src/ against the table of rooms in CONTRIBUTING.md.

A row is a room, the rooms that its files include, and the public headers that belong to it. Including such
a header counts as including from its room. Tests, fuzz targets and micro benchmarks may include from all rooms.
"""

import re
from pathlib import Path
from typing import NamedTuple

DRAWING = "CONTRIBUTING.md"
HEAD = re.compile(r"^\| room \| includes \| public headers \|\n\|[- |]+\|\n((?:\|.*\n)+)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
EXERCISE = re.compile(r"_(test|fuzz|benchmark)\.cc$|_test_util\.h$")


class Room(NamedTuple):
    includes: list[str]
    headers: list[str]


def read_drawing(root):
    """Reads the rooms of the table by their names, from the top to the bottom."""
    found = HEAD.search(Path(root, DRAWING).read_text(encoding="utf-8"))
    rooms = {}
    for row in found[1].splitlines() if found else ():
        room, includes, headers = (re.findall(r"[\w/.]+", cell) for cell in row.strip("|").split("|"))
        rooms[room[0]] = Room(includes, headers)
    return rooms


def check_drawing(root, rooms):
    """Checks the table itself: it is complete, and rooms include only rooms below them."""
    if not rooms:
        yield f"{DRAWING}: the table of rooms is missing (room, includes, public headers)"
    folders = {path.name for path in Path(root, "src").iterdir() if path.is_dir()}
    for name in sorted(folders ^ set(rooms)):
        yield f"{DRAWING}: {name} is a folder of src/ or a row of the rooms, but not both"
    order = list(rooms)
    for place, room in enumerate(order):
        for target in rooms[room].includes:
            if target not in order[place + 1:]:
                yield f"{DRAWING}: {room} includes {target}, which is not one of the rows below {room}"
    public = {path.name + "/" * path.is_dir() for path in Path(root, "include", "benzer").iterdir()}
    named = [header for room in rooms.values() for header in room.headers]
    for header in sorted(public ^ set(named)):
        yield f"{DRAWING}: {header} is a public header or named in a row of the rooms, but not both"
    for header in sorted({header for header in named if named.count(header) > 1}):
        yield f"{DRAWING}: {header} belongs to more than one room"


def check_arrows(root, sources):
    rooms = read_drawing(root)
    yield from check_drawing(root, rooms)
    owners = {header: room for room in rooms for header in rooms[room].headers}
    drawn = {(room, target) for room in rooms for target in rooms[room].includes}
    used = set()
    for path in sources:
        place = path.parts[0]
        if place not in ("src", "include", "apps", "examples", "python") or EXERCISE.search(path.name):
            continue
        for bracket, name in INCLUDE.findall(Path(root, path).read_text(encoding="utf-8")):
            first, _, rest = name.partition("/")
            if place != "src":
                if first in rooms:
                    yield f"{path}: includes {name}; only <benzer/...> is public"
                continue
            room = path.parts[1]
            if first == "benzer":
                header, slash, _ = rest.partition("/")
                target = owners.get(header + slash)
            elif first in rooms:
                target = first
            else:
                if bracket == '"':
                    yield f'{path}: spell "{name}" from src/, as "{room}/..."'
                continue
            if target not in (room, None):
                used.add((room, target))
                if (room, target) not in drawn:
                    yield f"{path}: includes {name}, but the rooms in {DRAWING} have no arrow from {room} to {target}"
    for room, target in sorted(drawn - used):
        yield f"{DRAWING}: no file of {room} includes anything of {target}"
