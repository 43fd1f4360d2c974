#!/usr/bin/env python3
# labels: cli slow
"""Tests what bash, zsh and fish complete, and the man pages. Real shells are asked, and what they offer is compared with what
--help and --help-all print.

A shell that is not installed is skipped, and so are man pages without groff. The program is BENZER or the release build. Prints
"N passed, N failed, N skipped".
"""

from __future__ import annotations

import functools
import gzip
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import program, run_test, run_tests, scratch

PATIENCE_SECONDS = 120
FOLDER = scratch("files")
SHELLS = ("bash", "zsh", "fish")
Offers = list[set[str]]

# Arguments with which a command refuses a value of the option and names all words that are allowed.
CHOICES = {
    "--format": ["dedup", "one.jsonl", "-o", "x"],
    "--measure": ["dedup", "one.jsonl", "-o", "x"],
    "--short": ["dedup", "one.jsonl", "-o", "x"],
    "--cluster": ["dedup", "one.jsonl", "-o", "x"],
    "--stage": ["dedup", "one.jsonl", "--work", "folder"],
    "--progress": ["dedup", "one.jsonl", "-o", "x"],
    "--score": ["similar", "an-index", "--id", "a"],
    "--at": ["passages", "one.jsonl", "--remove", "-o", "x"],
    "--log": ["serve", "folder", "--port", "0"],
    "--new-key": ["serve"],
}

# What each input of a command is; the last one is what follows. Other commands take files.
INPUTS = {
    "index": ["folders", "files", "files"],
    "check-and-add": ["folders", "files", "files"],
    "update": ["folders", "files", "files"],
    "similar": ["folders", "nothing"],
    "clusters": ["folders", "nothing"],
    "list": ["folders", "nothing"],
    "stats": ["folders", "nothing"],
    "verify": ["folders", "nothing"],
    "compact": ["folders", "nothing"],
    "serve": ["folders", "nothing"],
    "get": ["folders", "nothing"],
    "remove": ["folders", "nothing"],
    "snapshot": ["folders", "folders", "nothing"],
    "compare": ["files", "files", "nothing"],
    "explain": ["files", "nothing"],
    "review": ["files", "nothing"],
    "eval": ["experiments", "experiments"],
    "completions": ["shells", "nothing"],
    "man": ["commands", "nothing"],
    "demo": ["files", "nothing"],
}


def run(*words: str, code: int = 0) -> str:
    """Returns what the program prints, on standard error if it is to fail."""
    done = subprocess.run(
        [str(program()), *words], capture_output=True, text=True, cwd=FOLDER, timeout=PATIENCE_SECONDS
    )
    if done.returncode != code:
        raise RuntimeError(f"benzer {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stderr if code else done.stdout


def entries(text: str) -> dict[str, str]:
    """The left and the right column of a help."""
    out: dict[str, str] = {}
    left = ""
    for line in text.split("\nExamples:")[0].splitlines():
        if re.match(r"  \S", line):
            left, _, right = line[2:].partition("  ")
            out[left] = right.strip()
        elif line.startswith(" " * 24):
            out[left] = f"{out[left]} {line.strip()}".strip()
        else:
            left = ""
    return out


COMMANDS = [left for left in entries(run("--help")) if not left.startswith("-")]
HELP = {command: entries(run(command, "--help-all")) for command in COMMANDS}


def names(entry: str) -> list[str]:
    """-o and --output of "-o, --output FILE"."""
    return re.findall(r"(?:^|, )(--?[^\s,]+)", entry)


@functools.cache
def words_of(kind: str) -> set[str]:
    """What is offered in the folder of the test."""
    return {
        "files": {"one.jsonl", "with space", "colon:name", "folder", "an-index"},
        "folders": {"folder", "an-index"},
        "experiments": set(re.findall(r"^  (\S+)", run("eval", "--list"), re.MULTILINE)),
        "shells": set(SHELLS),
        "commands": set(COMMANDS),
        "nothing": set(),
    }[kind]


def allowed(option: str) -> set[str]:
    """The words that the program names when it refuses a value of the option."""
    command, *others = CHOICES[option]
    sentence = run(command, *others, option, "?", code=2)
    found = re.search(r" '\?' is not allowed: give (.*)$", sentence)
    if found is None:
        raise RuntimeError(f"this names no words: {sentence}")
    return set(re.split(r", | or ", found[1]))


def expected() -> Iterator[tuple[str, set[str]]]:
    """Command lines, and what is offered at their ends."""
    choices = {option: allowed(option) for option in CHOICES}
    yield "benzer ", {*COMMANDS, "help"}
    yield "benzer de", {"dedup", "demo"}
    yield "benzer -", {"-h", "--help", "-V", "--version"}
    yield "benzer help ", set(COMMANDS)
    yield "benzer nonsense -", set()
    yield "benzer nonsense ", set()
    for command in COMMANDS:
        options = [name for entry in HELP[command] for name in names(entry)]
        yield f"benzer {command} -", set(options)
        yield f"benzer {command} --", {name for name in options if name.startswith("--")}
        kinds = INPUTS.get(command, ["files", "files", "files"])
        for position, kind in enumerate(kinds):
            yield f"benzer {command} " + "an-index " * position, words_of(kind)
            yield f"benzer {command} -- " + "an-index " * position, words_of(kind)
        for entry in HELP[command]:
            value = entry.partition(names(entry)[-1])[2].strip()
            for name in names(entry):
                if value.startswith("FILE"):
                    offered = words_of("files")
                elif value == "DIR":
                    offered = words_of("folders")
                elif value:
                    offered = choices.get(name, set())
                else:
                    offered = words_of(kinds[0])
                yield f"benzer {command} {name} ", offered
            if value and not value.startswith("FILE..."):
                yield f"benzer {command} {name} one.jsonl ", words_of(kinds[0])
                if offered:
                    yield f"benzer {command} {name}=", offered
    # An option that takes several values, and what comes after it.
    yield "benzer dedup --against one.jsonl ", words_of("files")
    yield "benzer dedup --against one.jsonl --format js", {"jsonl"}
    yield "benzer dedup one.jsonl --format=js", {"jsonl"}
    yield "benzer dedup one.jsonl --nonsense ", words_of("files")
    # Shells that take words apart at = and : must not take the parts for inputs.
    yield "benzer index --field title=text:word3 ", words_of("folders")
    yield "benzer index redis://localhost/news ", words_of("files")
    yield "benzer index an-index -- -", set()


# --- shells --------------------------------------------------------------------------------------


def asked(command: list[str], text: str) -> Offers:
    """Runs a shell that prints a line "= = =" after the offers for each line."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=FOLDER, timeout=PATIENCE_SECONDS)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")
    return [set(block.splitlines()) for block in done.stdout.split("= = =\n")[:-1]]


def ask_bash(lines: list[str]) -> Offers:
    """Calls the function with the words into which bash would split each line."""
    script = f"source {FOLDER}/../script.bash\n"
    for line in lines:
        words = re.findall(r"[=:]+|[^\s=:]+", line)
        if line[-1] == " ":
            words.append("")
        quoted = " ".join(f"'{word}'" for word in words)
        script += f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _benzer\n"
        script += 'if [[ ${#COMPREPLY[@]} -gt 0 ]]; then printf "%s\\n" "${COMPREPLY[@]}"; fi; echo "= = ="\n'
    return asked(["bash", "--norc", "-u"], script)


def ask_fish(lines: list[str]) -> Offers:
    script = f"source {FOLDER}/../script.fish\nwhile read -l line\n complete -C $line\n echo '= = ='\nend"
    text = "".join(line + "\n" for line in lines)
    environment = ["env", f"HOME={FOLDER}/../home", "fish", "--no-config", "-c", script]
    offers = asked(environment, text)
    # Each has a description after a tab; the value in --option=VALUE comes with the option.
    return [{re.sub(r"^--[^\s=]+=", "", offer.split("\t")[0]).rstrip("/") for offer in block} for block in offers]


ZSH = """
PS1='ready> '
fpath=({folder}/.. $fpath)
autoload -Uz compinit
compinit -u -d {folder}/../zcompdump
setopt no_list_beep
compadd() {{
  local -a offers
  local word
  for word in "$@"; do
    case $word in
      -|--) break ;;
      -*[OAD]*) builtin compadd "$@"; return ;;
    esac
  done
  builtin compadd -O offers "$@"
  (( $#offers )) && print -rl -- $offers >> {folder}/../offers
  builtin compadd "$@"
}}
probe() {{ _main_complete; compstate[insert]=''; compstate[list]='' }}
ask() {{ zle probe_word; print -r -- '= = =' >> {folder}/../offers; BUFFER= }}
zle -C probe_word complete-word probe
zle -N ask
bindkey '^I' ask
"""


class Terminal:
    """A shell that reads its commands from a terminal."""

    def __init__(self, *command: str) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(FOLDER)
            # Wide, so that the shell does not break a line.
            os.environ.update(TERM="dumb", COLUMNS="2000", HOME=str(FOLDER.parent / "home"), INPUTRC="/dev/null")
            os.execvp(command[0], command)
        self.said = ""

    def write(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def wait_for(self, there: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not there():
            if time.monotonic() > end:
                raise RuntimeError(f"{what} did not come; the shell said {self.said[-500:]!r}")
            if select.select([self.terminal], [], [], 0.01)[0]:
                self.said += os.read(self.terminal, 65536).decode(errors="replace")

    def close(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def ask_zsh(lines: list[str]) -> Offers:
    """Types the lines at a terminal, because zsh completes nowhere else. What compadd is given is noted."""
    found = FOLDER.parent / "offers"
    found.write_text("")
    (FOLDER.parent / "setup.zsh").write_text(ZSH.format(folder=FOLDER))
    shell = Terminal("zsh", "-f", "-i")
    try:
        shell.write(f"source {FOLDER.parent}/setup.zsh\n")
        shell.wait_for(lambda: "ready> " in shell.said, "the prompt")
        for asked_before, line in enumerate(lines):
            shell.write(line + "\t")
            shell.wait_for(
                lambda count=asked_before + 1: found.read_text().count("= = =\n") == count, f"the answer to '{line}'"
            )
    finally:
        shell.close()
    # Names of files are noted as they are written into the line.
    return [
        {offer.rstrip("/").replace("\\", "") for offer in block.splitlines()}
        for block in found.read_text().split("= = =\n")[:-1]
    ]


ASK = {"bash": ask_bash, "zsh": ask_zsh, "fish": ask_fish}
SCRIPTS = {"bash": "script.bash", "zsh": "_benzer", "fish": "script.fish"}


def check_shell(shell: str) -> Iterator[str]:
    (FOLDER.parent / SCRIPTS[shell]).write_text(run("completions", shell))
    wanted = list(expected())
    offers = ASK[shell]([line for line, _ in wanted])
    if len(offers) != len(wanted):
        yield f"{len(wanted)} lines were asked, and {len(offers)} answers came"
    for (line, words), offered in zip(wanted, offers):
        # Where no input may follow, zsh offers the options without waiting for a '-'.
        no_more = re.fullmatch(r"benzer ([a-z-]+)( an-index)+ ", line) if shell == "zsh" else None
        if no_more and offered == {name for entry in HELP[no_more[1]] for name in names(entry)}:
            continue
        if offered != words:
            yield f"'{line}': not offered {sorted(words - offered)}, offered too {sorted(offered - words)}"


def bash() -> Iterator[str]:
    yield from check_shell("bash")


LINES_OF_BASH = [
    ("ded", "dedup "),
    ("dedup --format=js", "dedup --format=jsonl "),
    ("dedup one", "dedup one.jsonl "),
    ("dedup --work fol", "dedup --work folder/"),
    ("dedup --output=one", "dedup --output=one.jsonl "),
    ("index redis://localhost/x one", "index redis://localhost/x one.jsonl "),
    ("dedup with", "dedup with\\ space "),
    ("dedup colon:n", "dedup colon:name "),
    ("dedup ~/in-h", "dedup ~/in-home "),
]


def bash_at_a_terminal() -> Iterator[str]:
    """How bash itself takes words apart, and what it writes into the line."""
    (FOLDER.parent / SCRIPTS["bash"]).write_text(run("completions", "bash"))
    line = FOLDER.parent / "line"
    setup = FOLDER.parent / "setup.bash"
    # Control-G writes the line as it stands to a file, and empties it.
    setup.write_text(f"""bind 'set enable-bracketed-paste off'
print_line() {{ printf '%s' "$READLINE_LINE" > {line}.new; mv {line}.new {line}; READLINE_LINE=; }}
bind -x '"\\C-g": print_line'
source {FOLDER.parent}/{SCRIPTS["bash"]}
PS1='ready> '
""")
    shell = Terminal("bash", "--norc", "--noprofile", "-i")
    try:
        shell.write(f"source {setup}\n")
        shell.wait_for(lambda: "ready> " in shell.said, "the prompt")
        for typed, becomes in LINES_OF_BASH:
            line.unlink(missing_ok=True)
            shell.write(f"benzer {typed}\t\007")
            shell.wait_for(line.exists, f"the line 'benzer {typed}'")
            if line.read_text() != f"benzer {becomes}":
                yield f"'benzer {typed}' became '{line.read_text()}' and not 'benzer {becomes}'"
    finally:
        shell.close()


def zsh() -> Iterator[str]:
    yield from check_shell("zsh")


def fish() -> Iterator[str]:
    yield from check_shell("fish")


# --- man pages -----------------------------------------------------------------------------------


def man_pages() -> Iterator[str]:
    folder = FOLDER.parent / "man"
    run("man", "--out", str(folder))
    pages = {path.name for path in folder.iterdir()}
    if pages != {"benzer.1", *(f"benzer-{command}.1" for command in COMMANDS)}:
        yield f"the pages are {sorted(pages)}"
    for command in ("", *COMMANDS):
        name = f"benzer-{command}" if command else "benzer"
        if (folder / f"{name}.1").read_text() != run("man", *([command] if command else [])):
            yield f"{name}.1 is not what 'benzer man {command}' prints"
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tascii", "-P-bcou", folder / f"{name}.1"], capture_output=True, text=True
        )
        if done.returncode != 0 or done.stderr:
            yield f"{name}.1: groff says {done.stderr[:300]}"
        text = " ".join(done.stdout.split())
        told = HELP[command] if command else entries(run("--help"))
        missing = [left for left, right in told.items() if " ".join(f"{left} {right}".split()) not in text]
        if missing:
            yield f"{name}.1 does not tell of {', '.join(missing)} what --help-all tells"
        options = {option for left in told for option in names(left)}
        listed = set(re.findall(r"^\.TP\n.*$", (folder / f"{name}.1").read_text(), re.MULTILINE))
        extra = {option for entry in listed for option in re.findall(r"\\fB(\\-[^\\]*(?:\\-[^\\]*)*)\\fR", entry)}
        extra = {option.replace("\\-", "-") for option in extra} - options
        if extra:
            yield f"{name}.1 has the options {sorted(extra)}, and --help-all has not"


def installation() -> Iterator[str]:
    """What `cmake --install` installs is what the program prints."""
    prefix = FOLDER.parent / "prefix"
    subprocess.run(
        ["cmake", "--install", program().parent, "--prefix", prefix, "--component", "program"],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=PATIENCE_SECONDS,
    )
    wanted = {
        "bash-completion/completions/benzer": ("completions", "bash"),
        "zsh/site-functions/_benzer": ("completions", "zsh"),
        "fish/vendor_completions.d/benzer.fish": ("completions", "fish"),
        "man/man1/benzer.1.gz": ("man",),
        **{f"man/man1/benzer-{command}.1.gz": ("man", command) for command in COMMANDS},
    }
    for name, words in wanted.items():
        path = prefix / "share" / name
        read = gzip.decompress if path.suffix == ".gz" else bytes
        if not path.exists() or read(path.read_bytes()).decode() != run(*words):
            yield f"share/{name} is not what 'benzer {' '.join(words)}' prints"


def main() -> int:
    (FOLDER / "one.jsonl").write_text('{"id":"a","text":"one two three four five six"}\n')
    (FOLDER / "with space").touch()
    (FOLDER / "colon:name").touch()
    (FOLDER / "folder").mkdir()
    (FOLDER.parent / "home").mkdir(exist_ok=True)
    (FOLDER.parent / "home" / "in-home").touch()
    run("index", "an-index", "one.jsonl", "--create", "--quiet")
    tests: list[Callable[[], Iterator[str]]] = []
    skipped = 0
    for need, test in (
        ("bash", bash),
        ("bash", bash_at_a_terminal),
        ("zsh", zsh),
        ("fish", fish),
        ("groff", man_pages),
    ):
        if shutil.which(need):
            tests.append(test)
        else:
            print(f"SKIPPED {test.__name__}: {need} is not installed")
            skipped += 1
    if (program().parent / "cmake_install.cmake").exists():
        tests.append(installation)
    else:
        print(f"SKIPPED installation: {program().parent} is not a build folder of CMake")
        skipped += 1
    return run_tests(tests, skipped)


if __name__ == "__main__":
    sys.exit(run_test(main))
