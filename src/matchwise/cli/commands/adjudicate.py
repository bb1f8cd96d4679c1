"""`matchwise adjudicate`: a person is asked about mismatches, one by one, and every answer is kept at once."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace

from matchwise.cli import DONE, say
from matchwise.cli.inputs import ChosenMetrics, check_stdin, pair_files
from matchwise.cli.parser import Parser
from matchwise.errors import ExpressionError, FormatError
from matchwise.files import whole
from matchwise.formats.muc4 import format_judgements, read_judgements
from matchwise.sheets.table import write_one_line
from matchwise.tasks.roles.fillers import Mention
from matchwise.tasks.templates.adjudication import Judgement, merge

EXAMPLES = """\
  matchwise adjudicate questions.jsonl
  matchwise score templates run.muc -r key.muc --preset muc4 --adjudications questions.jsonl"""


def add_arguments(to: Parser) -> None:
    to.add_argument("inputs", nargs=None, metavar="FILE", help="The file of questions; your answers are kept in it.")
    to.add_argument("--all", action="store_true", help="Ask again what was answered before.")


ANSWERS = {"0": 0, "n": 0, "1": 1, "y": 1, "h": 0.5, "½": 0.5, "1/2": 0.5, "0.5": 0.5, ".5": 0.5}


HELP = """\
  0  wrong          h  half right (also 1/2, 0.5)      1  right
  Enter  as proposed    s  skip    u  undo the last answer    q  quit; go on later
"""


def run(args: Namespace) -> int:
    if args.inputs == "-":
        raise ExpressionError(
            "adjudicate writes the answers into the file, so it cannot be standard input; give the name of a file"
        )
    questions = _Questions(args.inputs)
    asked = [place for place, one in enumerate(questions.judgements) if args.all or one.credit is None]
    say(f"{questions}\n{HELP if asked else ''}")
    before: list[float | None] = []  # the credit before each question that was answered or skipped
    while len(before) < len(asked):
        place = asked[len(before)]
        one = questions.judgements[place]
        match _ask(one, place + 1, len(questions.judgements), can_undo=bool(before)):
            case "quit":
                break
            case "undo":
                questions.set_credit(asked[len(before) - 1], before.pop())
            case "skip":
                before.append(one.credit)
            case credit:
                questions.set_credit(place, float(credit))
                before.append(one.credit)
    if asked:
        say(f"{questions}\n")
    return DONE


def _ask(one: Judgement, number: int, of: int, *, can_undo: bool) -> float | str:
    """Ask one question until there is a credit, or "skip", "undo" or "quit"."""
    where = "" if one.document is None else f"{one.document}  "
    kind = f"  ({one.type})" if one.type else ""
    given = "" if one.credit is None else f"  answered {one.credit:g}"
    say(
        f"\n[{number}/{of}] {where}{one.slot}{kind}{given}\n"
        f"  predicted  {_mentions(one.predicted)}\n  reference  {_mentions(one.reference)}\n"
    )
    while True:
        say(f"  credit [{one.proposed:g}] > ")
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line:
            say("\n")
        if not line or word in ("q", "quit"):
            return "quit"
        if word in ("u", "undo") and can_undo:
            return "undo"
        if word in ("s", "skip"):
            return "skip"
        if not word or word in ANSWERS:
            return ANSWERS[word] if word else one.proposed
        if word in ("u", "undo"):
            say("  nothing to undo\n")
        elif word in ("?", "help"):
            say(HELP)
        else:
            say(f"  found {word!r}, expected 0, h, 1, Enter, s, u, q or ?\n")


class _Questions:
    """The questions of a file, in which every answer is kept at once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.judgements = read_judgements(path)
        self.state = self._find_state()

    def set_credit(self, place: int, credit: float | None) -> None:
        """Keep an answer: in the file first."""
        if self.judgements[place].credit == credit:
            return
        made = [*self.judgements]
        made[place] = replace(made[place], credit=int(credit) if credit in (0, 1) else credit)
        if self._find_state() != self.state:
            raise FormatError("another program changed the file in the meantime; run adjudicate again", self.path)
        save(self.path, made)
        self.state, self.judgements = self._find_state(), made

    def _find_state(self) -> tuple[int, int, int]:
        found = os.stat(self.path)
        return found.st_mtime_ns, found.st_size, found.st_ino

    def __str__(self) -> str:
        still = sum(one.credit is None for one in self.judgements)
        return f"{self.path}: {len(self.judgements)} questions, {len(self.judgements) - still} answered, {still} open"


def _mentions(mentions: tuple[Mention, ...]) -> str:
    return " / ".join(write_one_line(str(each)) for each in mentions) or "(nothing)"


def check_collecting(chosen: ChosenMetrics, files: list[str], args: Namespace) -> None:
    """Say before anything is scored why nothing could be collected."""
    if chosen.declared is None or args.metric or chosen.declared.questions is None:
        raise ExpressionError(
            "only templates has adjudications to collect; write matchwise score templates --collect-adjudications FILE"
        )
    if args.references:
        raise ExpressionError(
            f"--collect-adjudications asks about one reference; leave out --references {args.references}"
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
