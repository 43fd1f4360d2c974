#!/usr/bin/env python3
"""Hashes images with ImageHash (PyPI), and Pillow to decode them.

  image_hashes.py all LIST      hashes each file that LIST names, one a line: one JSON object of file -> name -> hex
  image_hashes.py time FOLDER   decodes every file of the folder and takes its phash, in one thread: seconds, and files
"""
import json
import sys
import time
from pathlib import Path

import imagehash
from PIL import Image, ImageOps

NAMES = {"dhash": imagehash.dhash, "phash": imagehash.phash, "average": imagehash.average_hash, "whash": imagehash.whash}


def picture(path: Path) -> Image.Image:
    return ImageOps.exif_transpose(Image.open(path)).convert("RGB")


def main() -> None:
    what, where = sys.argv[1], Path(sys.argv[2])
    if what == "all":
        out = {}
        for name in where.read_text(encoding="utf-8").splitlines():
            one = picture(Path(name))
            out[name] = {kind: str(function(one)) for kind, function in NAMES.items()}
        print(json.dumps(out))
        return
    files = sorted(where.iterdir())
    imagehash.phash(picture(files[0]))  # set-up on first use does not count
    started = time.perf_counter()
    for path in files:
        with Image.open(path) as image:
            imagehash.phash(image)
    print(json.dumps({"seconds": time.perf_counter() - started, "files": len(files)}))


main()
