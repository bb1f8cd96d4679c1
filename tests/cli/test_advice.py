"""What a message advises can be typed: every option that it names is one of the command, or of a command it names."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from matchwise.cli.parser import COMMANDS, command_parser

TRANSCRIPTS = Path(__file__).parents[1] / "transcripts"
OPTIONS = {name: set(command_parser(name)._option_string_actions) for name in COMMANDS}

GOOD = '{"id": "a", "xs": [1], "confidence": 0.5}\n{"id": "b", "xs": [2], "confidence": 0.9}\n'
OTHERS = {
    "another id": GOOD.replace('"b"', '"c"'),
    "one more": GOOD + '{"id": "c", "xs": [3], "confidence": 0.1}\n',
    "other ids": GOOD.replace('"a"', '"x"').replace('"b"', '"y"'),
    "no ids": GOOD.replace('"id"', '"name"'),
    "an id twice": GOOD.replace('"b"', '"a"'),
    "a wrong id": GOOD.replace('"b"', "[1]"),
    "no id at last": GOOD.replace('"id": "b", ', ""),
    "one less": GOOD.splitlines(keepends=True)[0],
    "a broken line": GOOD[:-20],
    "another type": GOOD.replace("[2]", "5"),
    "nothing": "",
    "no JSON": "B-PER\n",
}
READING_TWO = ("score", "compare", "report", "align", "errors", "check", "curve", "calibrate")
READING_ONE = ("agreement", "matrix", "nearest", "duplicates", "consensus")
MORE = {
    "curve": ("--confidence", "confidence"),
    "calibrate": ("--confidence", "confidence"),
    "report": ("-o", "page.html"),
    "agreement": ("--level", "0.9"),
}


def wrong_advice(command: str, text: str) -> Iterator[str]:
    for clause in re.split(r"; |\n", text):
        named = {command, *(name for name in COMMANDS if re.search(rf"\b{name}\b", clause))}
        known = {option for name in named for option in OPTIONS[name]}
        if not clause.partition("error: ")[2].startswith("unknown option"):
            yield from (
                f"{option} in {clause!r}"
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*\b(?!\.\w)", clause)
                if option not in known
            )


@pytest.mark.parametrize("path", sorted(TRANSCRIPTS.glob("*.txt")), ids=lambda path: path.stem)
def test_messages_in_transcripts_name_options_of_their_command(path: Path) -> None:
    found = []
    for session in path.read_text(encoding="utf-8").split("\n$ "):
        line, *printed = session.removeprefix("$ ").splitlines()
        command = next((word for word in shlex.split(line)[1:] if word in COMMANDS), "")
        said = "\n".join(text for text in printed if text.startswith(("! ", "(")))
        found += wrong_advice(command, said) if command else []
    assert found == []


ASKED = [
    (command, more)
    for command in (*READING_TWO, *READING_ONE)
    for more in ((), ("--id", "key"), ("--id", "none"), ("--text", "key"), ("--by", "type"))
    if not more or more[0] in OPTIONS[command]
]


@pytest.mark.parametrize(("command", "more"), ASKED)
def test_messages_about_files_name_options_of_the_command(
    run, write, tmp_path: Path, monkeypatch, command: str, more: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    good, found = write("good.jsonl", GOOD), []
    words = (command, "--metric", 'f1("xs")', *MORE.get(command, ()), *more)
    for about, text in OTHERS.items():
        other = write("other.jsonl", text)
        for files in ((good, other), (other, good)):
            reference = ("-r", files[1]) if command in READING_TWO else files[1:]
            asked = [(*words, files[0], *reference), (*words, files[0], *reference, *reference)]
            if command in ("score", "compare"):
                asked.append((*words, files[0], *reference, "-r", good, "--references", "any"))
            found += [(about, wrong) for one in asked for wrong in wrong_advice(command, run(*one).err)]
    assert found == []
