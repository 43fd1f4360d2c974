"""Generates a random case: a collection in files, and options that go together. The seed decides everything."""
from __future__ import annotations

import gzip
import json
import random
import subprocess
from pathlib import Path

import texts
from documents import Fields, Input

NUMBERS = ["0", "-0", "1", "1.0", "1e0", "2.5", "-3", "7", "7.25", "1e-3", "9007199254740993", "9007199254740992",
           "18446744073709551615", "-9223372036854775808", "1e300", "1e400", "-1e-400", "123456789012345678901234567890"]
GROUPS = ['"de"', '"en"', '"en"', "1", "1.0", "true", "false", '"true"', '"1"', "null", "[1]", "0", "-0.0", None]
DIRT = [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc0\xaf"]
BAD_LINES = [b"no json", b'{"id":1', b"[1,2]", b'{"other":"x"}', b'{"text":5,"tags":"x"}', b'{"text":null,"tags":[1]}',
             b'{"text":"a","tags":["a"]} x', b'{"text":"a\tb","tags":["\x01"]}', b'{"text":NaN,"tags":NaN}', b"5", b'"text"']


def pick(chance: random.Random, **shares: float) -> str:
    return chance.choices(list(shares), list(shares.values()))[0]


def packed(chance: random.Random, name: str, data: bytes) -> tuple[str, bytes]:
    """Returns the file unchanged, or as .gz or .zst, sometimes of several parts."""
    kind = pick(chance, plain=6, gz=2, zst=2)
    if kind == "plain":
        return name, data
    middle = chance.randrange(len(data) + 1) if chance.random() < 0.3 else len(data)
    parts = [data[:middle], data[middle:]] if middle < len(data) else [data]
    if kind == "gz":
        return name + ".gz", b"".join(gzip.compress(part, 1, mtime=0) for part in parts)
    zst = [subprocess.run(["zstd", "-q", "-c", "-1"], input=part, capture_output=True, check=True).stdout for part in parts]
    return name + ".zst", b"".join(zst)


class Case:
    def __init__(self, seed: int, without: set[str] = frozenset()) -> None:
        self.seed, self.without = seed, without
        self.chance = chance = random.Random(f"case {seed}")
        self.command = pick(chance, dedup=8, pairs=2)
        self.format = pick(chance, jsonl=10, values=3, csv=2, tsv=1, text=3)
        self.fields = Fields()
        self.files: dict[str, bytes] = {}  # on disk
        self.inputs: list[Input] = []
        self.options: dict[str, str | None] = {}  # options of the comparison, which decide the result
        self.rules: list[tuple] = [("first",)]
        self._choose_features()
        self._choose_similarity()
        self._choose_fields()
        self._write_inputs()
        self._choose_keep()
        self._choose_outputs()

    def may(self, share: float, word: str) -> bool:
        """Whether something is a part of this case; --without leaves it out of all."""
        return self.chance.random() < share and word not in self.without

    # Options

    def _choose_features(self) -> None:
        chance = self.chance
        if self.format == "values":
            spec = "values"
            self.options["--values"] = "tags"
        else:
            spec = chance.choice(["text:word5"] * 4 + ["text:word1", "text:word2", "text:word3", "text:word8", "text:words1", "text:words3",
                                 "text:char3", "text:char5", "text:char9", "truth:w1", "truth:w3", "truth:c5", "text:shingle4", "text:terms004"])
        plain = spec.startswith(("text:word", "text:char"))
        if plain and self.may(0.2, "html"):
            spec += "+html"
        if spec.startswith("text:shingle"):
            spec += chance.choice(["", "+squeeze"]) + chance.choice(["", "", "+4bytes", "+djb2a"])
        self.has_weights = spec == "values" and self.may(0.4, "weights")
        if self.has_weights:
            spec += "+weights"
        if not spec.startswith(("truth", "text:terms", "values+weights")) and self.may(0.15, "bag"):
            spec += "+bag"
        if spec.startswith("text:word") and self.may(0.15, "stop"):
            spec += "+stop:" + chance.choice(["en", "de"])
        if spec.startswith("text:word") and self.may(0.15, "stem"):
            spec += "+stem:" + chance.choice(["en", "de", "tr"])
        if not spec.startswith(("truth", "text:terms", "values+weights")) and self.may(0.12, "drop-common"):
            spec += "+drop-common:" + chance.choice(["0.05", "0.2", "0.5", "0.123456789"])
        if spec.startswith(("text:word", "text:char", "values")) and self.may(0.15, "tf-idf") \
                and not any(other in spec for other in ("+bag", "+weights", "+drop-common")):
            spec += "+tf-idf"
        self.is_weighted = self.has_weights or "+tf-idf" in spec
        if self.may(0.1, "seed"):
            spec += f"+seed:{chance.choice([1, 7, 2**64 - 1])}"
        elif self.may(0.7, "seed"):
            self.options["--seed"] = str(chance.randrange(1, 2**63))  # so that runs are independent
        self.spec = spec
        if spec not in ("text:word5", "values"):
            self.options["--features"] = spec
        if (plain or spec.startswith("text:shingle")) and self.may(0.3, "short"):
            self.options["--short"] = chance.choice(["exact", "keep", "drop"])

    def _choose_similarity(self) -> None:
        chance = self.chance
        self.threshold = "0.8"
        if chance.random() < 0.8:
            self.threshold = chance.choice(["0.2", "0.25", "0.3", "0.33", "0.5", "0.5", "0.6", "0.66", "0.75", "0.8", "0.9", "0.95",
                                            "0.99", "1", "0.50", ".7"])
            self.options["--threshold"] = self.threshold
        self.exact = self.command == "pairs" and chance.random() < 0.3
        # In a lossless case a pair is missed only with a probability of 10^-12.
        self.lossless = self.exact or chance.random() < 0.6
        if self.exact:
            self.options["--exact"] = None
        elif self.lossless:
            self.options["--recall"] = "0.999999999999"
            if chance.random() < 0.5:
                sketches = ["fss:128", "fss:200", "fss:256"] + ["kperm:128", "kperm:160", "linear:150"] * (not self.is_weighted)
                self.options["--sketch"] = chance.choice(sketches)
        else:
            sketch = chance.choice([None, "fss:64", "fss:100", "kperm:96", "linear:64+max", "mod-prime:64", "multiply-shift:64+seed:3",
                                    "java-random:64"])
            if chance.random() < 0.4:
                self.options["--bands"] = chance.choice(["16x4", "64x1", "30x2", "5x5", "1x1"])
            elif chance.random() < 0.5:
                self.options["--recall"] = chance.choice(["0.5", "0.9", "0.95"])
            if sketch and (sketch.startswith("fss") or not self.is_weighted):
                self.options["--sketch"] = sketch
        self._choose_measure()
        if not self.exact and not self.contained and self.may(0.15, "config"):
            parts = [self.spec] + [self.options.pop(name) for name in ("--sketch", "--bands") if name in self.options]
            chance.shuffle(parts)
            self.options.pop("--features", None)
            self.options["--config"] = chance.choice([" | ", "|"]).join(self._part(part) for part in parts)

    def _choose_measure(self) -> None:
        """Containment, where anchors miss nothing at a recall of nearly 1: they need a threshold that is not too low."""
        # Chances of its own, so that all other cases stay the same.
        wanted = random.Random(f"measure {self.seed}").random() < 0.2 and "containment" not in self.without
        self.contained = wanted and self.lossless and not self.is_weighted and float(self.threshold) >= 0.5
        if self.contained:
            self.options["--measure"] = "containment"
            self.options.pop("--sketch", None)

    @staticmethod
    def _part(part: str) -> str:
        return "bands:" + part if part[0].isdigit() else part

    def _choose_fields(self) -> None:
        by = "group" if self.format != "text" and self.may(0.25, "by") else None
        self.fields = self.fields._replace(values="tags" if self.format == "values" else None, has_weights=self.has_weights, by=by)
        if by:
            self.options["--by"] = by
        if self.format != "text" and self.may(0.1, "names"):
            self.fields = self.fields._replace(id='na"me', **({} if self.format == "values" else {"text": "böd y"}))
            self.options["--id"] = self.fields.id
            if self.format != "values":
                self.options["--text"] = self.fields.text
        if self.may(0.4, "max-line"):
            self.options["--max-line"] = "1M"
        self.wanted_numbers = self.format != "text" and self.command == "dedup" and self.may(0.35, "numbers")
        if self.wanted_numbers:
            self.fields = self.fields._replace(numbers=("rank",))

    def _choose_keep(self) -> None:
        if self.command != "dedup":
            return
        chance = self.chance
        rules: list[tuple] = []
        if self.may(0.2, "source"):
            names = [one.name for one in self.inputs if not one.reference]
            names = chance.sample(names, chance.randint(1, len(names)))
            rules.append(("source", *names))
        if self.wanted_numbers:
            rules.append((chance.choice(["max", "min"]), "rank"))
        if self.may(0.3, "length"):
            rules.append((chance.choice(["longest", "shortest"]),))
        chance.shuffle(rules)
        if chance.random() < 0.3 or not rules:
            rules.append((chance.choice(["first", "last"]),))
        if self.contained and rules == [("first",)]:
            rules = [("largest",)]  # the default
        self.rules = rules
        if rules not in ([("first",)], [("largest",)]):
            self.options["--keep"] = ",".join(rule[0] + (":" if rule[1:] else "") + ",".join(rule[1:]) for rule in rules)
        self.components = self.may(0.35, "components") and not self.contained
        if self.components:
            self.options["--cluster"] = "components"

    def _choose_outputs(self) -> None:
        chance = self.chance
        self.output = "out/kept" + {"values": ".jsonl", "text": ".txt"}.get(self.format, "." + self.format)
        self.output += chance.choice(["", "", "", ".gz", ".zst"])
        self.outputs: dict[str, str | None] = {}
        if self.command == "pairs":
            self.output = "out/pairs.jsonl" + chance.choice(["", ".gz", ".zst"])
            return
        # The checks need the pairs that a run has found, unless it finds all.
        if not self.lossless or chance.random() < 0.3:
            self.outputs["--pairs"] = "out/pairs.jsonl"
        if chance.random() < 0.5:
            self.outputs["--clusters"] = "out/clusters.jsonl" + chance.choice(["", ".gz"])
        if self.format != "text" and self.may(0.2, "annotate"):
            self.outputs["--annotate"] = None
        if "--annotate" in self.outputs or chance.random() < 0.2:
            self.outputs["--removed"] = "out/removed.jsonl"
        if self.may(0.2, "report"):
            self.outputs["--report"] = "out/report.html"
        if self.contained and not self.is_by_size():
            self.outputs.pop("--pairs", None)

    def is_by_size(self) -> bool:
        """With containment, whether all similar pairs are looked for, and not only earlier documents that contain later ones."""
        return self.rules == [("largest",)] and not any(one.reference for one in self.inputs)

    # Inputs

    def _write_inputs(self) -> None:
        chance = self.chance
        stock = texts.Words(chance)
        collection = texts.collection(chance, stock)
        # Guard rails look at sources of 1,000 documents.
        if self.command == "dedup" and self.format != "text" and self.lossless and self.may(0.04, "guard"):
            few = [stock.some(9) for _ in range(chance.choice([40, 150]))]
            collection += [chance.choice(few) for _ in range(1200)]
            if chance.random() < 0.5:
                self.options["--allow-large-clusters"] = None
        count = chance.choice([1, 1, 2, 3]) if self.format != "text" else chance.choice([1, 1, 2])
        references = chance.choice([1, 2]) if self.may(0.3, "against") else 0
        shares: list[list] = [[] for _ in range(count + references)]
        for words in collection:
            chance.choice(shares).append(words)
        self.unique = chance.random() < 0.7  # all ids differ
        self.number = chance.randrange(1000, 5000)
        for i, share in enumerate(shares):
            reference = i >= count
            name = f"{'ref' if reference else 'in'}{i}"
            if self.format == "text":
                self._write_folder(name, share, reference)
            else:
                self._write_file(name, share, reference)

    def _write_folder(self, name: str, share: list, reference: bool) -> None:
        found, used = [], set()
        for words in share:
            path = self.chance.choice(["", "", "sub/", "sub/x/", "sub-", "é/"]) + f"{self.chance.randrange(10**6)}" + self.chance.choice(["", ".txt"])
            if path in used:
                continue
            used.add(path)
            data = self._text(words).encode("utf-8", "replace")
            if self.may(0.05, "dirt") and self.spec.startswith(("text:word", "text:char")):
                data += b" " + self.chance.choice(DIRT)
            if data[:1] == b"{" or data[:3] == b"\xef\xbb\xbf":
                data = b"x" + data
            path, on_disk = packed(self.chance, path, data)
            self.files[f"{name}/{path}"] = on_disk
            found.append((f"{name}/{path}", data))
        if not found:
            found.append((f"{name}/empty.txt", b""))
            self.files[f"{name}/empty.txt"] = b""
        found.sort(key=lambda pair: pair[0].encode())
        self.inputs.append(Input(name, "text", found, reference))

    def _write_file(self, name: str, share: list, reference: bool) -> None:
        chance = self.chance
        if self.format in ("csv", "tsv"):
            name += "." + self.format
            end = chance.choice([b"\n", b"\n", b"\r\n"])
            data = b"".join(self._table_row(words, end) for words in [None, *share])
        else:
            name += chance.choice([".jsonl", ".ndjson", ".json"])
            data = b"".join(self._json_line(words) for words in share)
            if self.may(0.05, "large"):  # outputs of several blocks
                more = chance.randbytes(300_000).hex().encode()
                data += b"".join(b'{"text":"large %d","tags":["%d"],"more":"%d%s"}\n' % (i, i, i, more) for i in range(6))
        if not data and "empty-file" in self.without:
            data = b'{"text":"nothing","tags":["nothing"]}\n'
        if self.may(0.1, "bom"):
            data = b"\xef\xbb\xbf" + data
        if chance.random() < 0.3 and share:
            data = data.removesuffix(b"\n").removesuffix(b"\r")
        name, on_disk = packed(chance, name, data)
        self.files[name] = on_disk
        self.inputs.append(Input(name, "jsonl" if self.format == "values" else self.format, [(name, data)], reference))

    def _text(self, words: list[str]) -> str:
        if "+html" in self.spec:
            return texts.page(self.chance, words)
        return texts.spelled(self.chance, words, self.chance.random() < 0.5)

    def _id(self) -> str | None:
        """Returns a JSON token, or None for a record without an id."""
        chance = self.chance
        self.number += 1
        if not self.unique and chance.random() < 0.3:
            return chance.choice(['"twin"', "77.0", '"tw\\u0069n"', "-0", "null", "true", "[]", None])
        if chance.random() < 0.05:
            return None
        return chance.choice([f'"d{self.number}"', f'"d{self.number}"', f"{self.number}", f'"\\u00e9{self.number}\\n<\\"😀"',
                              f"{self.number}.50", f"{self.number}E+2" if self.unique else '"x"', f"-{self.number}"])

    def _string(self, text: str) -> bytes:
        """Returns a JSON string, with some characters escaped."""
        chance = self.chance
        out = json.dumps(text, ensure_ascii=chance.random() < 0.3).encode("utf-8", "replace")
        if self.may(0.03, "dirt"):
            out = out[:-1] + chance.choice([*DIRT, b"\\ud800", b"\\udc00 x", b"\\ud83d\\u0051"]) + b'"'
        return out

    def _weight(self) -> bytes:
        """Returns a weight in quarters, or rarely what is none."""
        if self.may(0.002, "bad-lines"):
            return self.chance.choice([b"0", b"-1", b"1e9", b'"1"', b"null", b"[]"])
        return self.chance.choice([b"1"] * 8 + [b"0.25", b"0.5", b"1.5", b"2", b"3.0", b"1e1"])

    def _json_line(self, words: list[str]) -> bytes:
        chance = self.chance
        if self.may(0.03, "bad-lines"):
            return chance.choice(BAD_LINES) + b"\n"
        if self.may(0.02, "blank-lines"):
            return chance.choice([b"\n", b" \t\n", b"\r\n"])
        pairs: list[tuple[str, bytes]] = []
        if (id_ := self._id()) is not None:
            pairs.append((self.fields.id, id_.encode()))
        if self.format == "values":
            values = words + chance.choice([[], words[:2], [""]])
            if self.has_weights and chance.random() < 0.8:
                weighed = [self._string(v) + b":" + self._weight() for v in dict.fromkeys(values)]
                pairs.append(("tags", b"{" + b", ".join(weighed) + b"}"))
            else:
                pairs.append(("tags", b"[" + b", ".join(self._string(v) for v in values) + b"]"))
        else:
            pairs.append((self.fields.text, self._string(self._text(words))))
        if self.fields.by and (group := chance.choice(GROUPS)) is not None and not (group == "-0.0" and "huge" in self.without):
            pairs.append((self.fields.by, group.encode()))
        small = "huge" in self.without
        numbers = [n for n in NUMBERS if not small or len(n) < 25]
        if self.wanted_numbers and chance.random() < 0.9:
            pairs.append(("rank", chance.choice(numbers + ["null", '"5"', "[]"]).encode()))
        if chance.random() < 0.1:
            pairs.append(("more", chance.choice([b'{"text":"inner","id":1}', b"[[],{}]", b"1e2", b"null"])))
        if small:
            pairs = [(name, value) for name, value in pairs if value not in (b"1e400", b"-1e-400")]
        chance.shuffle(pairs)
        if chance.random() < 0.02 and len(pairs) > 1:
            pairs.append((pairs[0][0], pairs[0][1]))
        blank = chance.choice(["", "", " "]).encode()
        body = (b"," + blank).join(json.dumps(k, ensure_ascii=False).encode() + b":" + blank + v for k, v in pairs)
        return blank + b"{" + body + b"}" + blank + chance.choice([b"\n"] * 9 + [b"\r\n"])

    def _table_row(self, words: list[str] | None, end: bytes) -> bytes:
        chance = self.chance
        names = [self.fields.id, self.fields.text, "rank", "group"]
        if words is None:
            row = names
        else:
            id_ = json.loads(self._id() or '""')
            group = chance.choice(["de", "en", "1", "1.0", ""])
            row = [id_ if isinstance(id_, str) else str(id_) if type(id_) in (int, float) else "", self._text(words),
                   chance.choice(["1", "2.5", "-7", "", "x", "1e3", "0"]), group]
            if self.may(0.03, "bad-lines"):
                row.append("one more")
        comma = "," if self.format == "csv" else "\t"
        cells = []
        for cell in row:
            if any(c in cell for c in ',"\n\r\t') or chance.random() < 0.2:
                cell = '"' + cell.replace('"', '""') + '"'
            cells.append(cell)
        blank = end if words is not None and self.may(0.02, "blank-lines") else b""
        return comma.join(cells).encode("utf-8", "replace") + end + blank

    # The command

    def skipped_kind(self) -> str:
        return {"csv": ".csv", "tsv": ".tsv"}.get(self.format, ".jsonl")

    def write(self, folder: Path) -> None:
        (folder / "out").mkdir(parents=True)
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def arguments(self) -> list[str]:
        """Returns the inputs, and the options that decide the result."""
        out = [one.name for one in self.inputs if not one.reference]
        against = [one.name for one in self.inputs if one.reference]
        if against:
            out += ["--against", *against]
        for name, value in self.options.items():
            out += [name] if value is None else [f"{name}={value}"]
        return out
