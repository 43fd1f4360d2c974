"""Implements the rules of docs/format.md for +html a second time, sharing no code with the engine."""

import html.entities
import re

SEPARATING = set(
    """address article aside blockquote body br button caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe input
    legend li listing main menu nav object ol optgroup option p plaintext pre rp rt search section select summary
    table tbody td textarea tfoot th thead title tr ul xmp""".split()
)
LEFT_OUT = {"iframe", "noembed", "noframes", "noscript", "style"}  # and script, which has rules of its own
TEXT_ONLY = {"textarea", "title"}
NAMES = {**html.entities.name2codepoint, "apos": 39}
OPEN_NAMES = {n: c for n, c in NAMES.items() if c < 256 and n != "apos"}
WINDOWS = {n: bytes([n]).decode("cp1252", "ignore") or chr(n) for n in range(0x80, 0xA0)}

NAME_END = rb"(?=[ \n\t\r\f/>])"
ATTRIBUTE = rb"""[ \n\t\r\f/]*+[^ \n\t\r\f/>][^ \n\t\r\f/>=]*+[ \n\t\r\f]*+
                 (?:(?!=)|=[ \n\t\r\f]*+(?:"[^"]*"|'[^']*'|(?=>)|[^"' \n\t\r\f>][^ \n\t\r\f>]*+))"""
TAG = re.compile(rb"<(/?)([A-Za-z][^ \n\t\r\f/>]*)((?:" + ATTRIBUTE + rb")*+)[ \n\t\r\f/]*>", re.VERBOSE)
COMMENT = re.compile(rb"<!--(?:-?>|.*?--!?>)", re.DOTALL)
NUMBER = re.compile(rb"&#(?:([0-9]+)|[xX]([0-9A-Fa-f]+));?")
NAME = re.compile(rb"&([0-9A-Za-z]+)(;?)")


def end_of(name, data, at):
    found = re.compile(rb"</" + name.encode() + NAME_END, re.IGNORECASE).search(data, at)
    return found.start() if found else len(data)


def end_of_script(data, at):
    token = re.compile(rb"(<!--)|(-->)|(</script(?=[ \n\t\r\f/>]))|(<script(?=[ \n\t\r\f/>]))", re.IGNORECASE)
    comment = inner = False
    while found := token.search(data, at):
        at = found.end()
        if found[1]:
            at = found.start() + (4 if comment else 2)
            comment = True
        elif found[2]:
            comment = inner = False
        elif found[3]:
            if not inner:
                return found.start()
            inner = False
        else:
            inner = comment
    return len(data)


def reference(data, at):
    """Returns the bytes of a character reference and its end, or None."""
    if found := NUMBER.match(data, at):
        value = int(found[1]) if found[1] else int(found[2], 16)
        if value == 0 or value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            value = 0xFFFD
        return WINDOWS.get(value, chr(value)).encode(), found.end()
    if found := NAME.match(data, at):
        name = found[1].decode()
        if found[2] and name in NAMES:
            return chr(NAMES[name]).encode(), found.end()
        for size in range(len(name), 1, -1):
            if name[:size] in OPEN_NAMES:
                return chr(OPEN_NAMES[name[:size]]).encode(), at + 1 + size
    return None


def readable(data):
    out, hidden, at = [], 0, 0  # blanks are b" ", separators b"\n"

    def add(text):
        if hidden == 0:
            out.append(text)

    def text_until(end):
        nonlocal at
        while at < end:
            found = reference(data, at) if data[at] == 38 else None
            if found:
                piece, at = found
            else:
                piece, at = data[at : at + 1], at + 1
            add(b" " if piece in (b" ", b"\n", b"\t", b"\r", b"\f") else piece)

    while at < len(data):
        here = data[at : at + 3]
        if re.match(rb"</?[A-Za-z]", here):
            tag = TAG.match(data, at)
            if not tag:
                break
            at = tag.end()
            name = tag[2].lower().decode("latin-1")
            if name in SEPARATING:
                add(b"\n")
            if name == "template":
                hidden = max(0, hidden - 1) if tag[1] else hidden + 1
            elif not tag[1] and name == "script":
                at = end_of_script(data, at)
            elif not tag[1] and name in LEFT_OUT:
                at = end_of(name, data, at)
            elif not tag[1] and name in TEXT_ONLY:
                text_until(end_of(name, data, at))
        elif data.startswith(b"<!--", at):
            comment = COMMENT.match(data, at)
            at = comment.end() if comment else len(data)
        elif here[:2] in (b"<!", b"<?") or (here[:2] == b"</" and len(here) == 3):
            at = data.find(b">", at + 2) + 1 or len(data)
        elif here[:1] == b"<":
            add(b"<")
            at += 1
        else:
            end = data.find(b"<", at)
            text_until(len(data) if end < 0 else end)
    joined = b"".join(out).strip(b" \n")
    return re.sub(rb"[ \n]+", lambda m: b"\n" if b"\n" in m[0] else b" ", joined)
