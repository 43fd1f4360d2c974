#!/usr/bin/env python3
"""Recomputes tests/golden/features.json from docs/format.md, without the engine.

    apt-get install python3-xxhash python3-regex    (or: pip install xxhash regex)
    check_features.py            # compares the file with the definition; exit code 1 if they differ
    check_features.py --write    # writes the file anew from the inputs below

Written from the definition alone. Python's own Unicode tables may be older than ICU's, so inputs have only
code points that every version since Unicode 10 treats alike.
"""

import json
import pathlib
import sys
import unicodedata

import html_rules
import languages
import regex
import xxhash

FILE = pathlib.Path(__file__).with_name("features.json")
MASK = (1 << 64) - 1
BASE = 0x9E3779B97F4A7C13
NO_SPACES = (
    "Ahom Balinese Bopomofo Han Hiragana Javanese Katakana Khitan_Small_Script Khmer Lao Tai_Tham "
    "Myanmar New_Tai_Lue Nushu Tai_Le Tai_Viet Tangut Thai Yi"
).split()
IN_ANY = regex.compile("[" + "".join(rf"\p{{scx={s}}}" for s in NO_SPACES) + "]")
ALL_SCRIPTS = sorted(
    "Adlam Arabic Armenian Bengali Cherokee Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi "
    "Hangul Hebrew Kannada Latin Malayalam Mongolian Oriya Sinhala Syriac Tamil Telugu Thaana Tibetan".split()
)
IN_OTHER = regex.compile("[" + "".join(rf"\p{{scx={s}}}" for s in ALL_SCRIPTS) + "]")
IGNORABLE = regex.compile(r"\p{DI}")


# Normalise and split

def decode(data):
    """Returns the text and the number of replacements. Python, too, replaces maximal subparts one by one."""
    count = 0

    def replace(error):
        nonlocal count
        count += 1
        return "\ufffd", error.end

    import codecs

    codecs.register_error("count", replace)
    return data.decode("utf-8", "count"), count


def nfkc_casefold(text):
    text = unicodedata.normalize("NFD", text)
    while True:
        folded = unicodedata.normalize("NFKC", IGNORABLE.sub("", text).casefold())
        if folded == text:
            return folded
        text = folded


def char_class(c):
    category = unicodedata.category(c)
    if category[0] == "M":
        return "mark"
    if category[0] not in "LN":
        return "other"
    if category != "Nd" and IN_ANY.match(c) and not IN_OTHER.match(c):
        return "cut"
    return "word"


def split_units(text):
    """Returns the words with whether each touches the one before it, and whether it is a code point that was cut out."""
    units, word, cut, touches, gap = [], "", False, False, True
    for c in text:
        kind = char_class(c)
        if kind in ("other", "cut") or (kind == "word" and cut):
            if word:
                units.append((word, touches, cut))
            word, cut = "", False
        if kind != "other":
            if not word:
                touches = not gap
            word += c
            cut = cut or kind == "cut"
        gap = kind == "other"
    return units + ([(word, touches, cut)] if word else [])


def split_words(text):
    return [word for word, _, _ in split_units(text)]


def words_of(kind, normalised, stop_words):
    """Returns the words of text:wordN, text:wordsN or text:charN, without stop words."""
    is_by_dictionary = kind.startswith("text:words")
    words = languages.dictionary_words(split_units(normalised)) if is_by_dictionary else split_words(normalised)
    return [w for w in words if w not in stop_words]


def stems_of(language, words):
    return [languages.stem(language, word) for word in words]


def truth_words(kind, data):
    data = bytes(b + 32 if 65 <= b <= 90 else b for b in data)
    if kind == "truth:w1":
        data = bytes(b for b in data if b not in b".,:;'")
        return data, [w for w in data.split() if len(w) >= 3 and w != b"the"]
    return data, regex.findall(rb"[a-z0-9\x80-\xff]+", data)


# Hash

class Hash:
    def __init__(self, seed):
        self.seed = seed

    def key(self, number):
        return xxhash.xxh3_64_intdigest(bytes([number]), self.seed)

    def of_bytes(self, data):
        if len(data) > 16:
            return xxhash.xxh3_64_intdigest(data, self.seed)
        padded = data + bytes(16 - len(data))
        low = int.from_bytes(padded[:8], "little") ^ self.key(len(data))
        high = int.from_bytes(padded[8:], "little") ^ self.key(17)
        product = low * high
        return (product & MASK) ^ (product >> 64)

    @staticmethod
    def finish(x):
        x &= MASK
        x ^= x >> 33
        x = x * 0xC2B2AE3D27D4EB4F & MASK
        x ^= x >> 29
        x = x * 0x165667B19E3779F9 & MASK
        return x ^ (x >> 32)

    def feature(self, raw, units):
        return self.finish(raw + self.key(18) + units * (self.key(19) | 1))

    def of_words(self, words):
        powers = [pow(BASE, len(words) - 1 - i, 1 << 64) for i in range(len(words))]
        raw = sum(self.of_bytes(w.encode()) * p for w, p in zip(words, powers))
        return self.feature(raw, len(words))

    def occurrence(self, feature, number):
        if number == 1:
            return feature
        return self.finish(feature + (number - 1) * (self.key(20) | 1))


# Cases

def expected(spec, data, stop_words):
    """Returns all that the engine must find in a document whose kept words are valid UTF-8."""
    kind, *modifiers = spec.split("+")
    seed = next((int(m[5:]) for m in modifiers if m.startswith("seed:")), 0)
    hashed = Hash(seed)
    replaced, readable = 0, {}
    if "html" in modifiers:
        data = html_rules.readable(data)
        readable = {} if decode(data)[1] else {"readable": data.decode()}
    if kind.startswith("truth:"):
        normalised, words = truth_words(kind, data)
        normalised, words = normalised.decode(), [w.decode() for w in words]
    else:
        text, replaced = decode(data)
        normalised = nfkc_casefold(text)
        words = words_of(kind, normalised, stop_words)
    language = next((m[5:] for m in modifiers if m.startswith("stem:")), None)
    stems = stems_of(language, words) if language else []
    by_char = "char" in kind or kind == "truth:c5"
    wanted = int(regex.search("[0-9]+$", kind)[0])
    units = list(" ".join(words)) if by_char else stems or words
    n = min(wanted, len(units))
    shingles = []
    for i in range(len(units) - n + 1 if n else 0):
        part = units[i : i + n]
        if by_char:
            text = "".join(part)
            shingles.append([text, hashed.feature(hashed.of_bytes(text.encode()), n)])
        else:
            shingles.append([" ".join(part), hashed.of_words(part)])
    if "bag" in modifiers:
        seen = {}
        for shingle in shingles:
            seen[shingle[1]] = number = seen.get(shingle[1], 0) + 1
            shingle[1] = hashed.occurrence(shingle[1], number)
    return {
        **readable,
        "normalised": normalised,
        "words": words,
        **({"stems": stems} if stems else {}),
        "short": 0 < len(units) < wanted,
        "replaced": replaced,
        "shingles": [[text, str(feature)] for text, feature in shingles],
    }


def expected_values(spec, values):
    _, *modifiers = spec.split("+")
    hashed = Hash(next((int(m[5:]) for m in modifiers if m.startswith("seed:")), 0))
    features, seen = [], {}
    for value in values:
        feature = hashed.feature(hashed.of_bytes(bytes.fromhex(value)), 1)
        if "bag" in modifiers:
            seen[feature] = seen.get(feature, 0) + 1
            feature = hashed.occurrence(feature, seen[feature])
        features.append(str(feature))
    return {"features": features}


# name, specification, input (text, or bytes if it is not UTF-8), stop words that the input contains
CASES = [
    ("empty", "text:word5", "", ""),
    ("only punctuation", "text:word5", " .,;:!?-_ \t\r\n()[]{}\"'", ""),
    ("English", "text:word3", "The quick brown fox -- it's 42! -- jumps over\nthe lazy dog.", ""),
    ("case and punctuation change nothing", "text:word3", "the QUICK, brown fox it S 42 jumps; over the (lazy) dog", ""),
    ("short", "text:word5", "Only four words here.", ""),
    ("one word", "text:word5", "Word", ""),
    ("exactly five words", "text:word5", "one two three four five", ""),
    ("a word of 16 bytes, 17 bytes, 40 bytes", "text:word1",
     "characterization characterizations " + "a2" * 20, ""),
    ("the same word again and again", "text:word5", "a a a a a a a", ""),
    ("two words in turn", "text:word4", "ab ba ab ba ab ba", ""),
    ("NUL and control characters", "text:word2", "a\0b\x01c\x7fd", ""),
    ("French, composed", "text:word2", "L'élève français était à l'Œuvre: naïve, cœur", ""),
    ("French, decomposed", "text:word2", unicodedata.normalize("NFD", "L'élève français était à l'Œuvre: naïve, cœur"), ""),
    ("German sharp s, small and capital", "text:word1", "Straße STRASSE STRAẞE Maß", ""),
    ("Turkish dotted and dotless i", "text:word1", "İstanbul ISPARTA ısı Iğdır diyarbakır", ""),
    ("Greek final sigma", "text:word2", "ὈΔΥΣΣΕΎΣ Ὀδυσσεύς οδος ΟΔΟΣ", ""),
    ("Vietnamese, two marks", "text:word2", "Tiếng Việt " + unicodedata.normalize("NFD", "Tiếng Việt"), ""),
    ("Cyrillic", "text:word2", "Съешь же ещё этих мягких французских булок", ""),
    ("Cyrillic, decomposed", "text:word2", unicodedata.normalize("NFD", "Съешь же ещё йод"), ""),
    ("Armenian ligature", "text:word1", "Եվրոպա և եւ", ""),
    ("Arabic with and without vowel signs", "text:word2", "السَّلَامُ عَلَيْكُمْ السلام عليكم ٢٠٢٤", ""),
    ("Arabic presentation forms", "text:word1", "\ufefb \ufdfa", ""),
    ("Hebrew with points", "text:word2", "בְּרֵאשִׁית בָּרָא אֱלֹהִים", ""),
    ("Devanagari", "text:word2", "क्षत्रिय हिन्दी में \u0958 \u0915\u093c", ""),
    ("Bengali and Tamil vowels of two parts", "text:word1", "\u0995\u09c7\u09be \u0bb5\u0bca \u0b95\u0bc6\u0bbe", ""),
    ("Thai", "text:word3", "ภาษาไทยน้ำ ๒๕๖๗ ปี", ""),
    ("Lao and Khmer and Myanmar", "text:word2", "ພາສາ ខ្មែរ မြန်မာ", ""),
    ("Tibetan syllables", "text:word2", "བོད་སྐད་ཡིན།", ""),
    ("Japanese, mixed", "text:word3", "日本語のテキストとEnglishが混ざる。ｶﾞｷﾞー人々〇", ""),
    ("Japanese, decomposed voice marks", "text:word2", "か\u3099き\u3099", ""),
    ("Chinese", "text:word5", "我们都是来自五湖四海，为了一个共同的目标走到一起来了。", ""),
    ("Chinese beside Latin and digits", "text:word2", "用Python3写的10个程序", ""),
    ("Chinese compatibility ideographs and plane 2", "text:word1", "\uf900\U00020000\U0002f800", ""),
    ("Bopomofo and Yi", "text:word1", "ㄅㄆㄇ ꆈꌠ", ""),
    ("Korean keeps words", "text:word2", "한국어는 띄어쓰기를 합니다", ""),
    ("Korean, decomposed", "text:word2", unicodedata.normalize("NFD", "한국어는 띄어쓰기를 합니다"), ""),
    ("full-width", "text:word2", "Ｆｕｌｌ　ｗｉｄｔｈ　１２３", ""),
    ("ligatures, fractions, signs", "text:word1", "ﬁnance oﬃce ½ ② ™ ㏂ ㎏ Ⅷ", ""),
    ("Ångström and Ohm signs", "text:word1", "\u212b \u2126 \u212a", ""),
    ("letters beyond plane 0", "text:word1", "\U00010400\U00010428 \U0001d400\U0001d7d8", ""),
    ("emoji part words", "text:word2", "hi😀there 👩\u200d👧 ok", ""),
    ("soft hyphen and joiners vanish", "text:word2", "co\u00adoperate zero\u200bwidth می\u200cخواهم \ufeffbom", ""),
    ("a mark alone", "text:word2", "\u0301 a \u0301b", ""),
    ("marks out of order", "text:word1", "q\u0307\u0323 s\u0307\u0323 s\u0323\u0307", ""),
    ("a mark behind ASCII, a cut letter, a replaced byte", "text:word1", b"abe\xcc\x81 \xe6\xbc\xa2\xcc\x81\xe5\xad\x97 \xff\xcc\x81x", ""),
    ("invalid UTF-8", "text:word2", b"ab\xffcd\xc3 \xe2\x82x\xed\xa0\x80y\xf0\x9f\x98\xf4\x90\x80\x80z\xc0\xafw", ""),
    ("invalid UTF-8 at the end", "text:word2", b"one two \xf0\x9f\x98", ""),
    ("bag", "text:word1+bag", "to be or not to be to", ""),
    ("bag of short", "text:word5+bag", "to be", ""),
    ("English stop words", "text:word2+stop:en", "It is the best of times, and it was the worst of times.", "it is the of and was"),
    ("German stop words", "text:word2+stop:de", "Daß DER Hund und die Katze über das Haus gehen", "dass der und die über das"),
    ("Turkish stop words", "text:word1+stop:tr", "Bu bir DENEME ve değil", "bu bir ve değil"),
    ("nothing but stop words", "text:word2+stop:en", "to be and not to be", "to be and not"),
    ("English stems", "text:word2+stem:en", "The connections were connected; connecting is easy -- easily!", ""),
    ("stems without stop words, a bag", "text:word1+bag+stop:en+stem:en", "It is connected and was connecting", "it is and was"),
    ("German stems", "text:word3+stem:de", "Die Häuser in den Straßen, HÄUSERN und Straße", ""),
    ("Russian stems, of long words", "text:word1+stem:ru", "Программирование достопримечательностями ДОМА домами", ""),
    ("Arabic and Hindi stems of other scripts", "text:word1+stem:ar", "المكتبات والكتب houses", ""),
    ("Turkish stems, with the fold of Unicode", "text:word1+stem:tr", "Evlerimizden KITAPLAR İSTANBUL'dan", ""),
    ("stems of short texts", "text:word5+stem:en", "connected connections", ""),
    ("a word too long for a stem", "text:word1+stem:en", "a" * 254 + "s " + "a" * 255 + "s", ""),
    ("words of Thai", "text:words2", "ภาษาไทยน้ำ การทำงาน ๒๕๖๗ปี", ""),
    ("words of Lao, Khmer and Myanmar", "text:words1", "ພາສາລາວ ຄຳສັ່ງ ភាសាខ្មែរជាភាសា မြန်မာဘာသာစကား", ""),
    ("words of Chinese", "text:words3", "我们都是来自五湖四海，为了一个共同的目标走到一起来了。", ""),
    ("words of Japanese, mixed", "text:words2", "日本語のテキストとEnglishが混ざる。ｶﾞｷﾞー人々〇", ""),
    ("words of scripts with neither spaces nor a dictionary", "text:words2", "ㄅㄆㄇ ꆈꌠ 中文ㄅ", ""),
    ("words of dictionaries, marks and gaps", "text:words1", "ก\u0301ข 我 们\u0301都 \u0e4d\u0e32", ""),
    ("words of HTML, seed", "text:words1+html+seed:3", "<p>我们<b>都是</b></p>来自", ""),
    ("seed", "text:word3+seed:1", "The quick brown fox jumps", ""),
    ("largest seed", "text:word3+seed:18446744073709551615", "The quick brown fox jumps", ""),
    ("characters", "text:char5", "Hello,  World", ""),
    ("characters of two to four bytes", "text:char4", "Ärger 漢字 \U00010400x", ""),
    ("characters, longer than 16 bytes", "text:char9", "漢字仮名交じり文章", ""),
    ("characters, short", "text:char5", "a-b", ""),
    ("characters, bag and seed", "text:char2+bag+seed:7", "banana", ""),
    ("HTML, blocks and inline elements", "text:word2+html",
     "<html><head><title>The t&icirc;tle</title><body><h1>One</h1><p>two<b>three</b><br>four<td>five<span>six</span>", ""),
    ("HTML, what is left out", "text:word2+html",
     "a<script>x<!-- <script>y</script> --> z</script>b<style>p{}</style> c<template>d<template>e</template>f</template>g"
     "<noscript>h</noscript> i <!-- j -- k --!>l<!-->m<?n?>o<!DOCTYPE p>q</ r>s", ""),
    ("HTML, references", "text:word1+html",
     "caf&eacute; &Uuml;bung &#214;l &#xe9;t&#xE9 na&iumlve &notin &notit; &hellip;x &nosuch; &#150; a&nbsp;b co&shy;op &#0;&#xD800;"
     "&#99999999999;c &#10;d &amp;eacute; & &;", ""),
    ("HTML, every name", "text:word1+html", " ".join(f"&{name};" for name in sorted(html_rules.NAMES)), ""),
    ("HTML, every name without ;", "text:word1+html", " ".join(f"&{name}" for name in sorted(html_rules.NAMES)), ""),
    ("HTML, attributes", "text:word1+html",
     "<a title='no>' alt=\"no>\" href=x>y</a><img alt=no/><i =no>z</i no='>'>w<p x=\"no", ""),
    ("HTML, text in which < is no tag", "text:word2+html", "1 < 2 <3 and <> a <- b </> c <", ""),
    ("HTML, texts without tags inside", "text:word2+html",
     "<TITLE>a <b>c</TITLE ><textarea> d</p> e &amp; f</textarea>g<xmp><i>h</i></xmp>", ""),
    ("HTML, invalid UTF-8 and NUL", "text:word2+html", b"ab\xff<b>cd\xc3</b> <p title='\xff'>x\0y", ""),
    ("HTML, characters and seed", "text:char5+html+seed:3", "<p>Hello,<br/>  <i>W</i>orld</p>", ""),
    ("HTML, bag and stop words", "text:word1+html+bag+stop:en", "<li>the end<li>The <em>end</em>", "the"),
    ("HTML, nothing to read", "text:word5+html", "<!DOCTYPE html><script>only a script</script>", ""),
    ("truth w1", "truth:w1", "The cat's tail, on: the-mat; it.is A BIG Tail Ärger äÄ", ""),
    ("truth w3", "truth:w3", "The cat's tail; ÄRGER am 3.4. don't", ""),
    ("truth w3, short", "truth:w3", "Two words.", ""),
    ("truth c5", "truth:c5", "Ab,cd É漢字", ""),
    ("truth c5, short", "truth:c5", "É漢-", ""),
    ("truth c5, seed", "truth:c5+seed:9", "abcdefg", ""),
]

VALUES = [
    ("values", "values", ["libc6", "libstdc++6", "", "a value of more than sixteen bytes", "libc6"]),
    ("values, bag", "values+bag", ["a", "b", "a", "a"]),
    ("values, bytes as they are", "values+seed:5", [b"\xff\x00", b"\xff", b"\xff\x00\x00", "É", "é"]),
]


def to_bytes(value):
    return value.encode() if isinstance(value, str) else value


def build():
    cases = []
    for name, spec, value, stop in CASES:
        data = to_bytes(value)
        shown = {"text": value} if isinstance(value, str) else {"hex": data.hex()}
        cases.append({"name": name, "spec": spec, **shown, **expected(spec, data, stop.split())})
    values = []
    for name, spec, given in VALUES:
        hexes = [to_bytes(value).hex() for value in given]
        values.append({"name": name, "spec": spec, "hex": hexes, **expected_values(spec, hexes)})
    return {"cases": cases, "values": values}


def main():
    built = build()
    if "--write" in sys.argv[1:]:
        FILE.write_text(json.dumps(built, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return 0
    found = json.loads(FILE.read_text(encoding="utf-8"))
    wrong = 0
    for part in ("cases", "values"):
        if len(found[part]) != len(built[part]):
            print(f"{part}: {len(found[part])} in the file, {len(built[part])} defined")
            wrong += 1
        for ours, theirs in zip(built[part], found[part]):
            if ours != theirs:
                print(f"differs: {ours['name']}\n  defined {ours}\n  file    {theirs}")
                wrong += 1
    print(f"{len(found['cases']) + len(found['values'])} cases, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
