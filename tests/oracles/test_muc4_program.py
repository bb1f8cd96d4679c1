"""Every count of MUC-4's own scoring program on texts of our own, whose results are frozen here.

The program is the Emacs Lisp of 1992 (version 3.3: `score.tar.Z` in the archive `muc34` of the repository
IceJinx33/auto-err-template-fill). Emacs 28 runs it in batch mode once its old backquotes are put into today's form; the
questions that it asks are left without an answer. `scores.tsv` has a line for each pair of templates: the text, the
numbers of the key's and of the response's template, and for each slot POS, ACT, COR, PAR, INC, ICR, IPA, SPU, MIS, NON
and the number of wrong values that there could have been.
"""

from pathlib import Path

from matchwise.formats.muc4 import read, read_judgements
from matchwise.tasks.roles.fillers import TemplateSet
from matchwise.tasks.templates import Judgements
from matchwise.tasks.templates.muc4 import FILLED
from matchwise.tasks.templates.scorer import TemplateScoring, counts_of

DATA = Path(__file__).parent / "muc4"
Cells = dict[tuple[str, str, str], dict[str, list[int]]]


def program() -> Cells:
    found = {}
    for line in (DATA / "scores.tsv").read_text(encoding="utf-8").splitlines():
        document, key, response, *cells = line.replace("*", "<NONE>").split("\t")
        counts = (cell.split("=") for cell in cells)
        found[document, key, response] = {row: [int(one) for one in text.split(",")] for row, text in counts}
    return found


def number(side: TemplateSet, place: int | None) -> str:
    return "<NONE>" if place is None else str(side.templates[place].id)


def ours() -> Cells:
    step = TemplateScoring(judgements=Judgements(tuple(read_judgements(DATA / "history.lisp"))).data)
    runs = {one.id: one for one in read(DATA / "run.muc")}
    found = {}
    for key in read(DATA / "key.muc"):
        run = runs[key.id]
        for one in step.score(run, key):
            cells = {FILLED[slot].row: counts_of(score) for slot, score in one.slots.items()}
            found[str(key.id), number(key, one.ref), number(run, one.pred)] = cells
    return found


def test_every_pair_of_templates_and_every_count_is_that_of_the_program() -> None:
    expected = program()
    assert sum(map(len, expected.values())) == 483
    assert ours() == expected
