"""`matchwise adjudicate`: a person is asked about mismatches, one by one, and every answer is kept at once."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace

from matchwise.cli import DONE, say
from matchwise.cli.inputs import check_stdin, pair_files
from matchwise.cli.metric import ChosenMetrics
from matchwise.cli.options import Arguments
from matchwise.cli.output import whole
from matchwise.errors import ExpressionError, FormatError
from matchwise.formats.muc4 import format_judgements, read_judgements
from matchwise.tasks.roles.fillers import Mention
from matchwise.tasks.templates.adjudication import Judgement, merge

EXAMPLES = """\
  matchwise adjudicate questions.jsonl
  matchwise score templates run.muc -r key.muc --preset muc4 --adjudications questions.jsonl"""


def add_arguments(to: Arguments) -> None:
    to.inputs(None, "FILE", "The file of questions; your answers are kept in it.")
    to.flag("--all", "Ask again what was answered before.")


ANSWERS = {"0": 0.0, "n": 0.0, "1": 1.0, "y": 1.0, "h": 0.5, "½": 0.5, "1/2": 0.5, "0.5": 0.5, ".5": 0.5}


HELP = """\
  0  wrong          h  half right (also 1/2, 0.5)      1  right
  Enter  as proposed    s  skip    u  undo the last answer    q  quit; go on later
"""


def run(args: Namespace) -> int:
    if args.inputs == "-":
        raise ExpressionError(
            "adjudicate writes the answers into the file, so it cannot be standard input; give the name of a file"
        )
    dialogue = _Dialogue(args.inputs, again=args.all)
    dialogue.run()
    return DONE


class _Dialogue:
    """The questions of a file, and the place of the one that is asked."""

    def __init__(self, path: str, *, again: bool) -> None:
        self.path = path
        self.judgements = read_judgements(path)
        self.state = _state(path)
        self.asked = [place for place, one in enumerate(self.judgements) if again or one.credit is None]
        self.undo: list[tuple[int, float | None]] = []
        """The place of each question that was answered or skipped, and its credit before."""

    def run(self) -> None:
        if not self.asked:
            say(f"{self._summary()}\n")
            return
        say(f"{self._summary()}\n{HELP}")
        while len(self.undo) < len(self.asked):
            place = self.asked[len(self.undo)]
            if not self._ask(place):
                break
        say(f"{self._summary()}\n")

    def _ask(self, place: int) -> bool:
        """Ask one question until there is an answer; False to stop."""
        one = self.judgements[place]
        say(_question(one, place + 1, len(self.judgements)))
        while True:
            say(f"  credit [{one.proposed:g}] > ")
            line = sys.stdin.readline()
            if not line:
                say("\n")
                return False
            word = line.strip().lower()
            if word in ("q", "quit"):
                return False
            if word in ("u", "undo"):
                if self.undo:
                    self._take_back()
                    return True
                say("  nothing to undo\n")
            elif word in ("s", "skip"):
                self.undo.append((place, one.credit))
                return True
            elif word in ("?", "help"):
                say(HELP)
            elif not word or word in ANSWERS:
                self._answer(place, ANSWERS[word] if word else one.proposed)
                return True
            else:
                say(f"  found {word!r}, expected 0, h, 1, Enter, s, u, q or ?\n")

    def _answer(self, place: int, credit: float) -> None:
        before = self.judgements[place].credit
        self._set(place, credit)
        self.undo.append((place, before))

    def _take_back(self) -> None:
        place, before = self.undo[-1]
        if self.judgements[place].credit != before:
            self._set(place, before)
        self.undo.pop()

    def _set(self, place: int, credit: float | None) -> None:
        """Keep an answer: in the file first."""
        made = [*self.judgements]
        made[place] = replace(
            made[place], credit=None if credit is None else int(credit) if credit in (0, 1) else credit
        )
        if _state(self.path) != self.state:
            raise FormatError("another program changed the file in the meantime; run adjudicate again", self.path)
        save(self.path, made)
        self.state = _state(self.path)
        self.judgements = made

    def _summary(self) -> str:
        still = sum(one.credit is None for one in self.judgements)
        return f"{self.path}: {len(self.judgements)} questions, {len(self.judgements) - still} answered, {still} open"


def _state(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino


def _question(one: Judgement, number: int, of: int) -> str:
    where = "" if one.document is None else f"{one.document}  "
    kind = f"  ({one.type})" if one.type else ""
    given = "" if one.credit is None else f"  answered {one.credit:g}"
    return (
        f"\n[{number}/{of}] {where}{one.slot}{kind}{given}\n"
        f"  predicted  {_mentions(one.predicted)}\n  reference  {_mentions(one.reference)}\n"
    )


def _mentions(mentions: tuple[Mention, ...]) -> str:
    """Write mentions without control characters that could move the cursor."""
    texts = (each if isinstance(each, str) else str(each) for each in mentions)
    return " / ".join("".join(c if c.isprintable() else repr(c)[1:-1] for c in text) for text in texts) or "(nothing)"


def check_collecting(chosen: ChosenMetrics, files: list[str], args: Namespace) -> None:
    """Say before anything is scored why nothing could be collected."""
    if chosen.declared is None or args.metric or chosen.declared.questions is None:
        raise ExpressionError(
            "only templates has adjudications to collect; write matchwise score templates --collect-adjudications FILE"
        )
    check_stdin(files, *args.refs, twice="--collect-adjudications reads the files")
    chosen.declared.questions(chosen.suite, (), ())
    if os.path.exists(args.collect_adjudications):
        read_judgements(args.collect_adjudications)


def collect(chosen: ChosenMetrics, files: list[str], args: Namespace) -> Iterator[str]:
    """Add what the automatic rule cannot settle to the file of --collect-adjudications; yields what to say of it."""
    path = args.collect_adjudications
    questions = None if chosen.declared is None else chosen.declared.questions
    assert questions is not None, "check_collecting asks for them"
    before = read_judgements(path) if os.path.exists(path) else []
    found: list[Judgement] = []
    for file in files:
        for pred, ref, _ in pair_files(chosen, file, args):
            found += questions(chosen.suite, pred, ref)
    after = list(merge(before, found))
    save(path, after)
    still = sum(one.credit is None for one in after)
    yield f"{path}: {len(after) - len(before)} new questions, {still} open" + (
        f"; answer them by matchwise adjudicate {path}" if still else ""
    )


def save(path: str, judgements: list[Judgement]) -> None:
    """Write the file whole or not at all; a link stays a link."""
    path = os.path.realpath(path)
    with whole(path) as temporary, open(temporary, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(format_judgements(judgements))
        file.flush()
        os.fsync(file.fileno())
