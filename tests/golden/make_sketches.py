#!/usr/bin/env python3
"""Writes sketches.json from the definitions in docs/format.md, one step at a time and without any code
of the engine: the golden vectors that every implementation and every CPU level must reproduce.

  make_sketches.py > sketches.json
"""
import json
from decimal import Decimal, localcontext

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


P61 = (1 << 61) - 1


def linear_draws(seed: int):
    """Yields numbers below 2^61 - 1, drawn as docs/format.md says."""
    state = splitmix(seed)
    while True:
        number = splitmix(state) & P61
        state = state + GOLDEN & MASK
        if number != P61:
            yield number


def splitmix(x: int) -> int:
    return mix(x + GOLDEN & MASK)


def linear_functions(count: int, seed: int) -> list[tuple[int, int]]:
    draws, out = linear_draws(seed), []
    for _ in range(count):
        a = next(a for a in draws if a != 0)
        out.append((a, next(draws)))
    return out


def java_functions(count: int, seed: int) -> list[tuple[int, int]]:
    state, out = (seed ^ 0x5DEECE66D) & (1 << 48) - 1, []
    for _ in range(2 * count):
        state = state * 0x5DEECE66D + 0xB & (1 << 48) - 1
        out.append(state >> 16)
    return list(zip(out[::2], out[1::2]))


class DotNet:
    """System.Random of the .NET Framework: the subtractive generator of Numerical Recipes."""

    def __init__(self, seed: int):
        most, self.table = 2**31 - 1, [0] * 56
        last, now = 161803398 - abs(seed), 1
        self.table[55] = last
        for i in range(1, 55):
            at = 21 * i % 55
            self.table[at] = now
            now, last = last - now, now
            now += most if now < 0 else 0
        for _ in range(4):
            for i in range(1, 56):
                self.table[i] = wrap32(self.table[i] - self.table[1 + (i + 30) % 55])
                if self.table[i] < 0:
                    self.table[i] += most
        self.i, self.j = 0, 21

    def next(self) -> int:
        self.i, self.j = self.i % 55 + 1, self.j % 55 + 1
        value = self.table[self.i] - self.table[self.j]
        value -= value == 2**31 - 1
        value += 2**31 - 1 if value < 0 else 0
        self.table[self.i] = value
        return value

    def below(self, most: int) -> int:
        return int(self.next() * (1.0 / (2**31 - 1)) * most)


def wrap32(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


def dotnet_functions(count: int, seed: int) -> list[tuple[int, int]]:
    random, out = DotNet(seed), []
    for _ in range(count):
        a = random.next() | 1
        b = 0
        while b <= 0:
            b = random.below(1 << 30)
        out.append((a, b))
    return out


def spread(value: int) -> int:
    return value << 16 | splitmix(value) & 0xFFFF


def drawn(functions, value):
    """Returns a sketch of the minima of `slots` functions; with +max, of the complements of the maxima."""

    def sketch(features, slots, seed, flip):
        return [min((value(a, f, b) ^ flip for f in features), default=EMPTY)
                for a, b in functions(slots, seed)]

    return sketch


DRAWN = {
    "linear": (0, drawn(linear_functions, lambda a, x, b: (a * x + b) % P61)),
    "mod-prime": (0, drawn(linear_functions, lambda a, x, b: spread((a * x + b) % P61 % 2**32))),
    "multiply-shift": (10, drawn(dotnet_functions, lambda a, x, b: spread((a * x + b) % 2**32 >> 2))),
    "java-random": (1337, drawn(java_functions, lambda a, x, b: spread((a * x + b) % 2**32 ^ 2**31))),
}


def bottomk(features: list[int], slots: int, seed: int) -> list[int]:
    (a, b), = linear_functions(1, seed)
    return (sorted({(a * x + b) % P61 for x in features}) + [EMPTY] * slots)[:slots]


# Entry n: the probability that a Poisson variable of mean 1 is at most n, in 2^-64ths, rounded down.
POISSON = []
with localcontext() as context:
    context.prec = 60
    sum_, term = Decimal(0), Decimal(-1).exp()
    while not POISSON or POISSON[-1] < 2**64 - 3:
        sum_, term = sum_ + term, term / (len(POISSON) + 1)
        POISSON.append(int(sum_ * 2**64))


def weight_of(feature: int) -> int:
    """Returns the weight of a feature in millionths."""
    exponent, mantissa = divmod(feature & (1 << 20) - 1, 100_000)
    return mantissa * 10**exponent


def rank_value(rank: int, random: int) -> int:
    length = rank.bit_length()
    if length >= 58:
        mantissa = rank >> length - 58
    else:
        mantissa = rank << 58 - length | random & (1 << 58 - length) - 1
    return length << 57 | mantissa & (1 << 57) - 1


def darts_of(feature: int, limit: int):
    """Yields the darts of a feature below its weight whose rank is below the limit: random number and rank."""
    column_key, row_key, dart_key = GOLDEN, 0xBB67AE8584CAA73B, 0xA54FF53A5F1D36F1
    weight = weight_of(feature) << 17
    key = splitmix(feature >> 20 << 20)
    for a in range(27):
        for b in range(38):
            region = key + (a << 8 | b) * dart_key
            width, height = 37 + a - b, 82 + b - a
            for column in range(2**b):
                left = (2**a - 1 << 37) + (column << width)
                if left >= weight or 2**b - 1 << 82 >= limit:
                    break
                for row in range(2**a):
                    bottom = (2**b - 1 << 82) + (row << height)
                    if bottom >= limit:
                        break
                    cell = splitmix(region + column * column_key + row * row_key & MASK)
                    for dart in range(1, sum(cell >= entry for entry in POISSON) + 1):
                        first = splitmix(cell + dart * dart_key & MASK)
                        second = splitmix(first ^ row_key)
                        third = splitmix(second ^ column_key)
                        rank = bottom + ((first << 64 | third) >> 128 - height)
                        if left + (second >> 64 - width if width else 0) < weight and rank < limit:
                            yield splitmix(third ^ dart_key), rank


def weighted(features: list[int], slots: int) -> list[int]:
    total = sum(map(weight_of, features))
    out = [EMPTY] * slots
    if not total:
        return out
    limit = slots * (slots.bit_length() + 6) * 2**102 // total
    while EMPTY in out:
        for feature in features:
            for random, rank in darts_of(feature, min(limit, 2**120 - 1)):
                slot = (random >> 32) * slots >> 32
                out[slot] = min(out[slot], rank_value(rank, random))
        limit *= 2
    return out


def with_weights(features: list[int], kind: str) -> list[int]:
    """Gives features weights by their own lowest bits: from 1 to 10, or of any size."""
    def code(bits: int) -> int:
        return 210_000 + bits % 90_000 if kind == "near" else bits % 10 * 100_000 + 10_000 + bits // 10 % 90_000

    return [f >> 20 << 20 | code(f & (1 << 20) - 1) for f in features]


def features_of(count: int) -> list[int]:
    """Returns outputs of splitmix64 from the state `count`: strong hashes, like features."""
    state, out = count, []
    for _ in range(count):
        state = state + GOLDEN & MASK
        out.append(mix(state))
    return out


def main() -> None:
    cases = []
    for name, function in (("fss", fss), ("kperm", kperm)):
        # Numbers of slots at and around the block sizes of the loops; sets from empty ones to those that take many rounds.
        for slots in (1, 2, 7, 63, 64, 65, 100, 128, 256):
            for count in (0, 1, 2, 5, 31, 200, 257, 1500):
                if count * slots > 100_000 and name == "kperm":
                    continue
                values = function(features_of(count), slots)
                cases.append({"sketch": f"{name}:{slots}", "features": count,
                              "slots": [str(v) for v in values]})
    for name, (own_seed, function) in DRAWN.items():
        for slots, count in ((1, 0), (1, 1), (7, 5), (64, 31), (100, 200), (3, 1500)):
            for modifiers, seed, flip in (("", own_seed, 0), ("+max", own_seed, P61), ("+seed:77", 77, 0)):
                values = function(features_of(count), slots, seed, flip)
                cases.append({"sketch": f"{name}:{slots}{modifiers}", "features": count,
                              "slots": [str(v) for v in values]})
    for name in ("bottomk", "single"):
        for slots, count in ((1, 0), (1, 1), (7, 5), (64, 31), (31, 31), (100, 1500)):
            for modifiers, seed in (("", 0), ("+seed:77", 77)):
                cases.append({"sketch": f"{name}:{slots}{modifiers}", "features": count,
                              "slots": [str(v) for v in bottomk(features_of(count), slots, seed)]})
    for kind in ("near", "any"):
        for slots, count in ((1, 0), (1, 1), (7, 1), (64, 2), (65, 31), (128, 200), (256, 40), (3, 1500), (1024, 3)):
            values = weighted(with_weights(features_of(count), kind), slots)
            cases.append({"sketch": f"fss:{slots}", "features": count, "weights": kind, "slots": [str(v) for v in values]})
    print(json.dumps({"features": "splitmix64 from state n, n values", "cases": cases}, indent=0))


main()
