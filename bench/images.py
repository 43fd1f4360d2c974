"""Measures images: what Benzer's strategies and those of ImageHash find on the same files, how fast both are, and a search."""
from __future__ import annotations

import csv
import json
import statistics
import subprocess
import time
from collections import defaultdict
from itertools import combinations
from pathlib import Path

from index import one_core
from measure import BENCH, OUT, PEERS, VENV_PYTHON, benzer, data_folder, publish, shuffled, spread, table

PRECISION = 0.99
KINDS = ("photometric", "geometric-mild", "geometric-hard")
OTHERS = ("landscape", "portrait", "thumbnail")
USUAL = 10  # the distance that most examples of 64-bit hashes use
Case = tuple[Path, str, str]  # file, group, kind ("" for originals)


def peer(*words: str | Path) -> dict:
    command = [VENV_PYTHON, BENCH / "peers" / "image_hashes.py", *words]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def cases_of(folder: Path) -> list[Case]:
    """Reads the cases as `benzer eval images --data` does."""
    listed: list[Case] = []
    plain: list[Case] = []
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        rows = place / "groups.tsv"
        if not rows.exists():
            plain += [(path, path.stem, "") for path in sorted(place.iterdir()) if path.suffix in (".jpg", ".png")]
            continue
        with rows.open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                path = place / row["file"]
                if not path.exists():
                    path = folder / "originals" / row["file"]
                listed.append((path, row["group"], "" if row["kind"] == "original" else row["kind"]))
    known = {group for _, group, kind in listed if not kind}
    listed += [case for case in plain if case[1] not in known]
    by_end: dict[str, set[str]] = defaultdict(set)
    for _, group, _ in listed:
        if "-" in group:
            by_end[group.split("-", 1)[1]].add(group)
    return [(path, min(by_end[group]) if len(by_end.get(group, ())) == 1 else group, kind) for path, group, kind in listed]


def one_design(one: str, other: str) -> bool:
    """Whether two files show one design in different colours, by their names. Such pairs count neither as copies nor as different."""
    words = list(zip(one.split("-"), other.split("-")))
    return one.count("-") == other.count("-") >= 3 and sum(a != b for a, b in words) <= 1


def distances(cases: list[Case], hashes: list[int]) -> tuple[list[tuple[str, int]], list[int]]:
    """Returns the distances of changed images to their originals, with the kind of change, and those of all pairs of different images,
    ascending."""
    original: dict[str, int] = {}
    for i, (_, group, kind) in enumerate(cases):
        if not kind:
            original.setdefault(group, i)
    for i, (_, group, _) in enumerate(cases):
        original.setdefault(group, i)
    same = [(kind, (hashes[original[group]] ^ hashes[i]).bit_count())
            for i, (_, group, kind) in enumerate(cases) if kind and original[group] != i]
    strangers = sorted((hashes[a] ^ hashes[b]).bit_count()
                       for a, b in combinations(range(len(cases)), 2) if cases[a][1] != cases[b][1] and not one_design(cases[a][1], cases[b][1]))
    return same, strangers


def loosest(same: list[tuple[str, int]], strangers: list[int]) -> int:
    best = -1
    for distance in sorted({apart for _, apart in same}):
        found = sum(apart <= distance for _, apart in same)
        wrong = sum(apart <= distance for apart in strangers)
        if found / (found + wrong) >= PRECISION:
            best = distance
    return best


def accuracy(folder: Path) -> str:
    command = [benzer(), "eval", "images", "--data", folder, "--json"]
    answer = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    own = {part["name"]: part for part in json.loads(answer)["tables"]}
    rows = []
    for name, at in (("images-changes", "by default"), ("images-changes-loosest", f"precision {PRECISION}")):
        part = own[name]
        kinds = {row[0]: row for row in part["rows"] if row[1] == "all"}
        for column, strategy in enumerate(part["columns"][3:], 3):
            summary = next(row for row in own["images-strategies"]["rows"] if row[0] == strategy)
            limit, wrong = (summary[1], summary[4]) if at == "by default" else (summary[6], summary[9])
            rows.append([f"Benzer `{strategy}`", at, limit if isinstance(limit, str) else f"{limit:.3g}", *[f"{kinds[kind][column]:.3f}" for kind in ("all", *KINDS, *OTHERS)],
                         f"{wrong:,.0f}"])
    cases = cases_of(folder)
    names = OUT / "images.list"
    names.write_text("".join(f"{path}\n" for path, _, _ in cases), encoding="utf-8")
    hashes = peer("all", names)
    for kind in ("dhash", "phash", "average", "whash"):
        same, strangers = distances(cases, [int(hashes[str(path)][kind], 16) for path, _, _ in cases])
        for at, limit in ((f"distance {USUAL}", USUAL), (f"precision {PRECISION}", loosest(same, strangers))):
            shares = []
            for wanted in ("", *KINDS, *OTHERS):
                some = [apart for of, apart in same if not wanted or of == wanted]
                shares.append(f"{sum(apart <= limit for apart in some) / len(some):.3f}")
            rows.append([f"ImageHash `{kind}`", at, limit, *shares, f"{sum(apart <= limit for apart in strangers):,}"])
    pairs = {row[0]: row[2] for row in own["images-changes"]["rows"] if row[1] == "all"}
    counts = ", ".join(f"{pairs[kind]:.0f} {kind}" for kind in (*KINDS, *OTHERS))
    head = ["what", "at", "limit", "all", *KINDS, *OTHERS, "strangers"]
    return (f"{len(cases)} pictures of `$BENZER_DATA/images`, {pairs['all']:.0f} changed ones against their originals ({counts}) and "
            f"{len(strangers):,} pairs of different pictures; recall, and how many of the strangers are taken for copies. "
            f"*precision {PRECISION}* is the loosest limit that keeps it over all these pairs.\n\n" + table(head, rows))


def photographs(folder: Path, count: int) -> Path:
    """Makes distinct JPEGs of 1024 x 768: parts of the originals, enlarged, with noise."""
    out = OUT / f"jpegs-{count}"
    if out.exists() and len(list(out.iterdir())) == count:
        return out
    program = (
        "import random, sys; from pathlib import Path; from PIL import Image\n"
        "out, count, files = Path(sys.argv[2]), int(sys.argv[3]), sorted(Path(sys.argv[1]).glob('*.jpg'))\n"
        "out.mkdir(exist_ok=True)\n"
        "for i in range(count):\n"
        "    draw = random.Random(i); image = Image.open(files[i % len(files)]).convert('RGB'); w, h = image.size\n"
        "    side = draw.uniform(0.5, 0.9); x, y = draw.uniform(0, 1 - side) * w, draw.uniform(0, 1 - side) * h\n"
        "    image = image.crop((int(x), int(y), int(x + side * w), int(y + side * h))).resize((1024, 768), Image.LANCZOS)\n"
        "    noise = Image.frombytes('RGB', image.size, draw.randbytes(1024 * 768 * 3))\n"
        "    Image.blend(image, noise, 0.03).save(out / f'{i:04}.jpg', quality=88)\n")
    subprocess.run([VENV_PYTHON, "-c", program, folder, out, str(count)], check=True)
    return out


def speed(folder: Path, quick: bool) -> str:
    files = photographs(folder / "originals", 60 if quick else 300)
    count = len(list(files.iterdir()))
    seconds: dict[str, list[float]] = {"benzer": [], "imagehash": []}
    command = ["benzer", "pairs", str(files), "--features", "image:pdq", "--threads", "1", "--quiet"]
    with one_core():
        for turn in range(2 if quick else 5):
            for name in shuffled(list(seconds), turn):
                if name == "imagehash":
                    seconds[name].append(peer("time", files)["seconds"])
                else:
                    seconds[name].append(wall_of([str(benzer()), *command[1:]]))
    own = statistics.median(seconds["benzer"])
    rows = [["Benzer: decode, PDQ of 256 bits, all pairs", spread(seconds["benzer"]),
             f"{own / count * 1e3:.2f}", f"{count / own:,.0f}", ""],
            ["ImageHash: decode, phash of 64 bits", spread(seconds["imagehash"]),
             f"{statistics.median(seconds['imagehash']) / count * 1e3:.2f}",
             f"{count / statistics.median(seconds['imagehash']):,.0f}",
             f"{statistics.median(seconds['imagehash']) / own:.1f}"]]
    size = sum(path.stat().st_size for path in files.iterdir()) / 1e6
    return (f"{count} JPEGs of 1024 x 768 ({size:.0f} MB, in the page cache), one core for the program and all that it starts (`taskset`), "
            f"by the clock, in turn. `{' '.join(['benzer', 'pairs', 'JPEGS', *command[3:]])}`, from start to end, against "
            f"`imagehash.phash(Image.open(FILE))` (ImageHash {PEERS['ImageHash']}, Pillow {PEERS['pillow']}) without the start of Python.\n\n"
            + table(["what", "seconds", "ms a picture", "pictures a second", "Benzer is faster by"], rows))


def wall_of(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def search(quick: bool) -> str:
    program = benzer().parent / "hash_speed"
    rows = []
    for count in (100_000,) if quick else (100_000, 1_000_000):
        done = subprocess.run([program, str(count), "10000"], stdout=subprocess.PIPE, check=True)
        found = json.loads(done.stdout)
        rows.append([f"{count:,}", f"{found['build_seconds']:.2f}", f"{found['bytes'] / count:.0f}",
                     *[f"{found['random' + which]:.0f}" for which in ("_p50", "_p99")],
                     *[f"{found['alike' + which]:.0f}" for which in ("_p50", "_p99")],
                     f"{found['alike_matches']:.1f}", f"{found['scan_p50']:,.0f}",
                     f"{found['checked']:.0f}, {found['different']:.0f} differ"])
    return ("`hash_speed COUNT 10000`: all hashes of 256 bits within 31 bits of a query, one thread, 10,000 queries each; microseconds. "
            "Random hashes are uniform; of those like real ones half are random, half are in families: up to 40 bits from one of 20,000, "
            "with the bits of each chunk drawn unevenly. Checked against looking at all.\n\n"
            + table(["hashes", "build, s", "bytes a hash", "random, p50", "p99", "like real ones, p50", "p99", "found",
                     "looking at all", "checked"], rows))


def measure_images(quick: bool) -> None:
    data = data_folder()
    if data is None or not (data / "images").exists():
        print("SKIPPED: the pictures are not there (BENZER_DATA names their folder).")
        return
    text = accuracy(data / "images")
    publish("images", "Pictures", f"### What is found\n\n{text}\n### Decoding and hashing\n\n{speed(data / 'images', quick)}\n"
            f"### Search among hashes\n\n{search(quick)}")
