"""Counts which pictures of one kind, all with other contents, the features of pictures take for copies.

    python3 bench/lookalikes.py build/release/benzer

It makes QR codes, bar charts, boards with stones, clock faces, tables and pages of text, twelve of each. It prints of
how many of the 66 pairs of a kind each feature says that they are similar, and the largest score.
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

EACH = 12
FEATURES = (("image:near", "0.5"), ("image:pdq", "0.5"), ("image:sift", "0.03"))
USUAL = {"image:near": 0.85, "image:pdq": 0.7578125, "image:sift": 0.12}


class Page:
    """A grey picture."""

    def __init__(self, width: int, height: int, grey: int = 255) -> None:
        self.width, self.height = width, height
        self.pixels = bytearray([grey]) * (width * height)

    def fill(self, left: int, top: int, right: int, bottom: int, grey: int) -> None:
        left, right = max(left, 0), min(right, self.width)
        for y in range(max(top, 0), min(bottom, self.height)):
            self.pixels[y * self.width + left : y * self.width + right] = bytes([grey]) * max(right - left, 0)

    def write(self, path: pathlib.Path) -> None:
        path.write_bytes(b"P5 %d %d 255\n" % (self.width, self.height) + self.pixels)


def qr(seed: int, modules: int, size: int) -> Page:
    """Random modules with the patterns that all codes of one version have."""
    draw = random.Random(seed)
    cells = [[draw.randrange(2) for _ in range(modules)] for _ in range(modules)]
    for place in range(8, modules - 8):
        cells[6][place] = cells[place][6] = 1 - place % 2
    for top, left in ((0, 0), (0, modules - 7), (modules - 7, 0)):
        for y in range(-1, 8):
            for x in range(-1, 8):
                if 0 <= top + y < modules and 0 <= left + x < modules:
                    ring = max(abs(x - 3), abs(y - 3))
                    cells[top + y][left + x] = int(ring in (0, 1, 3))
    if modules > 21:
        for y in range(-2, 3):
            for x in range(-2, 3):
                cells[modules - 7 + y][modules - 7 + x] = int(max(abs(x), abs(y)) != 1)
    page = Page((modules + 8) * size, (modules + 8) * size)
    for y, row in enumerate(cells):
        for x, dark in enumerate(row):
            if dark:
                page.fill((x + 4) * size, (y + 4) * size, (x + 5) * size, (y + 5) * size, 0)
    return page


def bars(seed: int) -> Page:
    draw = random.Random(seed)
    page = Page(320, 240)
    for bar in range(6):
        page.fill(20 + bar * 50, draw.randrange(20, 200), 50 + bar * 50, 220, 40)
    return page


def board(seed: int) -> Page:
    draw = random.Random(seed)
    page = Page(320, 320, 200)
    for line in range(9):
        page.fill(line * 39 + 2, 0, line * 39 + 4, 320, 60)
        page.fill(0, line * 39 + 2, 320, line * 39 + 4, 60)
    for _ in range(14):
        left, top, grey = 22 + 39 * draw.randrange(8), 22 + 39 * draw.randrange(8), draw.choice((0, 255))
        for y in range(-14, 15):
            half = math.isqrt(196 - y * y)
            page.fill(left - half, top + y, left + half + 1, top + y + 1, grey)
    return page


def clock(seed: int) -> Page:
    draw = random.Random(seed)
    page = Page(300, 300, 235)
    for step in range(3600):
        for ring in range(124, 131):
            x, y = (int(150 + ring * turn(step / 572.9)) for turn in (math.cos, math.sin))
            page.fill(x, y, x + 1, y + 1, 20)
    for length in (70, 110):
        angle = draw.random() * 2 * math.pi
        for step in range(length):
            x, y = int(150 + step * math.cos(angle)), int(150 + step * math.sin(angle))
            page.fill(x - 2, y - 2, x + 3, y + 3, 20)
    return page


def marks(page: Page, draw: random.Random, left: int, top: int, width: int) -> None:
    for y in range(top, top + 8):
        for x in range(left, left + width):
            if draw.random() < 0.5:
                page.pixels[y * page.width + x] = 20


def table(seed: int) -> Page:
    draw = random.Random(seed)
    page = Page(480, 320)
    for top in range(0, 320, 20):
        page.fill(0, top, 480, top + 1, 120)
        for left in range(0, 480, 80):
            page.fill(left, top, left + 1, top + 20, 120)
            marks(page, draw, left + 6, top + 6, draw.randrange(8, 60))
    return page


def text(seed: int) -> Page:
    draw = random.Random(seed)
    page = Page(420, 594)
    for line in range(40):
        left = 40
        while left < 340:
            width = draw.randrange(6, 40)
            marks(page, draw, left, 45 + line * 13, width)
            left += width + 6
    return page


KINDS = {
    "QR codes, 21 x 21 of 8 pixels": lambda seed: qr(seed, 21, 8),
    "QR codes, 25 x 25 of 8 pixels": lambda seed: qr(seed, 25, 8),
    "QR codes, 29 x 29 of 8 pixels": lambda seed: qr(seed, 29, 8),
    "QR codes, 29 x 29 of 4 pixels": lambda seed: qr(seed, 29, 4),
    "QR codes, 45 x 45 of 8 pixels": lambda seed: qr(seed, 45, 8),
    "bar charts": bars,
    "boards with stones": board,
    "clock faces": clock,
    "tables": table,
    "pages of text": text,
}


def main() -> None:
    program = sys.argv[1]
    print("| | " + " | ".join(f"`{features}`" for features, _ in FEATURES) + " |")
    for kind, make in KINDS.items():
        cells = []
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(EACH):
                make(seed).write(pathlib.Path(folder, f"{seed:02}.pgm"))
            for features, threshold in FEATURES:
                command = [program, "pairs", folder, "--features", features, "--threshold", threshold, "--quiet"]
                lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
                scores = [json.loads(line)["score"] for line in lines]
                found = sum(score >= USUAL[features] for score in scores)
                cells.append(f"{found} ({max(scores, default=0):.2f})")
        print(f"| {kind} | " + " | ".join(cells) + " |")


main()
