#!/usr/bin/env python3
"""Writes sketches.json from the definitions in docs/format.md, one step at a time and without any code
of the engine: the golden vectors that every implementation and every CPU level must reproduce.

  make_sketches.py > sketches.json
"""
import json

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
EMPTY = MASK


def mix(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def affine(number: int, x: int) -> int:
    a = mix(2 * number * GOLDEN & MASK) | 1
    b = mix((2 * number + 1) * GOLDEN & MASK)
    return (x * a + b) & MASK


def fss(features: list[int], slots: int) -> list[int]:
    out = [EMPTY] * slots
    if not features:
        return out
    for round_number in range(2 * slots):
        for feature in features:
            h = feature if round_number == 0 else affine(round_number, feature)
            if round_number < slots:
                slot = (h >> 48) * slots >> 16
            else:
                slot = round_number - slots
            out[slot] = min(out[slot], round_number << 48 | h & (1 << 48) - 1)
        if EMPTY not in out:
            break
    return out


def kperm(features: list[int], slots: int) -> list[int]:
    return [min((affine(j + 1, f) >> 1 for f in features), default=EMPTY) for j in range(slots)]


def features_of(count: int) -> list[int]:
    """splitmix64 from state `count`: strong hashes, as features are."""
    state, out = count, []
    for _ in range(count):
        state = state + GOLDEN & MASK
        out.append(mix(state))
    return out


def main() -> None:
    cases = []
    for name, function in (("fss", fss), ("kperm", kperm)):
        # Slot counts on and around what the loops are blocked by, sets from empty to many rounds' worth.
        for slots in (1, 2, 7, 63, 64, 65, 100, 128, 256):
            for count in (0, 1, 2, 5, 31, 200, 257, 1500):
                if count * slots > 100_000 and name == "kperm":
                    continue
                values = function(features_of(count), slots)
                cases.append({"sketch": f"{name}:{slots}", "features": count,
                              "slots": [str(v) for v in values]})
    print(json.dumps({"features": "splitmix64 from state n, n values", "cases": cases}, indent=0))


main()
