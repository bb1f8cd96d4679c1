"""What tasks refuse, to the letter: `refused.txt` has the message for each case, with the side, place and document.

`damaged.txt` has what becomes of documents damaged at random; here every case is one that people run into. After an
intended change `python tests/tasks/test_refused.py` writes the table anew; read the difference before you commit it.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise.tasks import (
    boxes,
    constituency,
    coref,
    dependencies,
    ner,
    task,
    templates,
    toolcalls,
    triples,
)
from matchwise.tasks.coref import CorefMention, Entity, EntitySet
from matchwise.tasks.dependencies import ParsedSentence

FILE = Path(__file__).with_name("refused.txt")
SPAN, BOX = {"start": 0, "end": 2}, [0, 0, 4, 4]
WORDS, OTHERS = ["New", "York", "is", "big"], ["New", "York", "was", "big", "once"]
TWICE = (Entity((CorefMention(0, 2), CorefMention(3, 4)), "a", (5, 9)), Entity((CorefMention(3, 4),), "b", (11,)))
TOP = {"tops": [0], "edges": [(0, 1, "ARG1")], "nodes": [{"id": 0}, {"id": 1}]}
ANCHORED = {**TOP, "nodes": [{"id": 0, "anchors": [{"from": 0, "to": 3}]}, {"id": 1}]}


def score(name: str, pred: Any, ref: Any, preset: str | None = None, **options: Any) -> Callable[[], Any]:
    def run() -> Any:
        one = task(name)
        return mw.Tally(one.suite(preset=preset or one.default, **options)).add(pred, ref, id="d7").report()

    return run


def suite(name: str, preset: str | None = None, **options: Any) -> Callable[[], Any]:
    return lambda: task(name).suite(**({} if preset is None else {"preset": preset}), **options)


def parsed(*heads: int, **more: Any) -> ParsedSentence:
    forms = more.pop("forms", tuple(f"w{place}" for place in range(len(heads))))
    return ParsedSentence(heads, ("root",) * len(heads), forms, **more)


def parameters(text: str) -> Callable[[], Any]:
    def run() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mine.prm"
            path.write_text(text, encoding="utf-8")
            try:
                return constituency.suite(parameters=str(path))
            except mw.MatchwiseError as error:
                raise ValueError(str(error).replace(str(path), "mine.prm")) from None

    return run


SEEN = {"facts": [("Paris", "France", "capital")]}
CASES: dict[str, Callable[[], Any]] = {
    # coreference
    "coref other words": score(
        "coref", coref.from_clusters([], words=WORDS), coref.from_clusters([], "r", words=OTHERS)
    ),
    "coref fewer words": score("coref", coref.from_clusters([], words=WORDS[:2]), coref.from_clusters([], words=WORDS)),
    "coref twice": score("coref", EntitySet(TWICE, "r", "\n".join(WORDS), "gold.conll"), coref.from_clusters([])),
    "coref twice in the reference": score("coref", coref.from_clusters([]), EntitySet(TWICE, "r", file="gold.conll")),
    "coref no set": score("coref", [[(0, 1)]], coref.from_clusters([])),
    "coref no set in the reference": score("coref", coref.from_clusters([]), {"entities": []}),
    "coref no head": score(
        "coref", coref.from_clusters([[(0, 2)]]), coref.from_clusters([[(0, 3)]], "r"), "corefud", singletons="keep"
    ),
    "coref shape": lambda: coref.from_clusters([3], "d7"),  # type: ignore[list-item]
    "coref span": lambda: coref.from_clusters([[(0, 1)], [(3, 4), (5, 5)]], "d7"),
    "coref inclusive span": lambda: coref.from_clusters([[(5, 4)]], inclusive=True),
    "coref no numbers": lambda: coref.from_clusters([[(0, True)]]),
    "coref mentions": suite("coref", mentions="heads"),
    "coref share": suite("coref", mentions=1.5),
    "coref share of nothing": suite("coref", mentions=0),
    # trees
    "constituency two words": score("constituency", "(S (NP the man))", "(S (DT the))"),
    "constituency two words in one": score("constituency", "(S (DT the) (NN old man))", "(S (DT the))"),
    "constituency outside": score("constituency", "(S (DT the) man)", "(S (DT the))"),
    "constituency open": score("constituency", "(S (NP (DT the)", "(S (DT the))"),
    "constituency not closed": score("constituency", "(S (DT the", "(S (DT the))"),
    "constituency closed twice": score("constituency", "(S (DT the)))", "(S (DT the))"),
    "constituency no tree": score("constituency", "(S (DT the))", "the man"),
    "constituency a list": score("constituency", ["S", ["NP", 3]], "(S (DT the))"),
    "constituency a number": score("constituency", 3, "(S (DT the))"),
    "constituency other number": score("constituency", "(S (DT a) (NN b))", "(S (DT a))", mismatch="error"),
    "constituency other word": score("constituency", "(S (DT a) (NN b))", "(S (DT a) (NN c))", mismatch="error"),
    "constituency no words": score("constituency", "()", "(S (. .))", mismatch="error"),
    "constituency paper": score("constituency", "(S (DT a) (NN b))", "(S (DT a))", "paper"),
    "constituency tags": lambda: constituency.Tree(("a", "b"), ("DT",), ()),
    "constituency parameters": suite("constituency", parameters="COLINS"),
    "constituency no file": suite("constituency", parameters="nowhere.prm"),
    "constituency cutoff": suite("constituency", cutoff=0),
    "constituency mismatch": suite("constituency", mismatch="skp"),
    "constituency unknown line": parameters("# mine\nDELETE_LABLE TOP\n"),
    "constituency wrong line": parameters("DELETE_LABEL TOP\n\nEQ_LABEL A\n"),
    "constituency labelled": parameters("LABELED 2\n"),
    "constituency chain": parameters("EQ_LABEL A B\nEQ_LABEL B C\n"),
    # dependencies
    "dependencies head": score("dependencies", parsed(0, 3, line=7), parsed(0, 1)),
    "dependencies head of a named sentence": score("dependencies", parsed(0, 1), parsed(0, 5, id="s3", line=7)),
    "dependencies no root": score("dependencies", parsed(2, 1), parsed(0, 1)),
    "dependencies two roots": score("dependencies", parsed(0, 1), parsed(0, 0, id=4)),
    "dependencies cycle": score("dependencies", parsed(0, 3, 2), parsed(0, 1, 1)),
    "dependencies other text": score(
        "dependencies", parsed(0, 1, forms=("ab", "cd")), parsed(0, 1, forms=("ab", "ce"))
    ),
    "dependencies text that goes on": score("dependencies", parsed(0, forms=("ab",)), parsed(0, 1, forms=("ab", "c"))),
    "dependencies graph": score("dependencies", parsed(0, 1, deps=("0:root", "7:obj")), parsed(0, 1)),
    "dependencies no graph": score("dependencies", parsed(0, 1), parsed(0, 1, deps=("0:root", "obj"), id="s", line=3)),
    "dependencies columns": lambda: ParsedSentence((0, 1), ("root",), ("a", "b")),
    "dependencies keys": score("dependencies", {"forms": ["a"]}, [(0, "root")]),
    "dependencies no head": score("dependencies", [{"head": "x", "deprel": "root"}], [(0, "root")]),
    "dependencies words and others": score("dependencies", [{"head": 0, "deprel": "root"}, (1, "obj")], [(0, "root")]),
    "dependencies no word": score("dependencies", [(0, "root"), "x"], [(0, "root")]),
    "dependencies no sentence": score("dependencies", [(0, "root")], 3),
    "dependencies no form": score(
        "dependencies", parsed(0, forms=("a",)), parsed(0, 1, forms=("a", " "), id="s", line=9)
    ),
    "dependencies enhancements": suite("dependencies", enhancements="17"),
    "dependencies stretches": lambda: list(
        dependencies.segments([parsed(0, line=2, forms=("ab",))], [parsed(0, line=5, forms=("ac",))])
    ),
    "dependencies stretches end": lambda: list(
        dependencies.segments([parsed(0, forms=("ab",))], [parsed(0, forms=("a",))])
    ),
    # entities
    "ner lengths": score("ner", ["O", "O"], ["O"]),
    "ner one tag": score("ner", ["O"], ["O", "O"]),
    "ner tag": score("ner", ["O", "PER"], ["O", "O"]),
    "ner tag of a scheme": score("ner", ["O", "O"], ["O", "E-PER"], "seqeval", scheme="IOB2"),
    "ner suffix": score("ner", ["PER-X"], ["O"], suffix=True),
    "ner tags that are numbers": score("ner", {"tags": ["O"]}, {"tags": [3]}, "conlleval"),
    "ner no tags": score("ner", [(0, 1, "PER")], ["O"], "conlleval"),
    "ner keys": score("ner", {"words": []}, []),
    "ner text": score("ner", "O O", []),
    "ner mention": score("ner", [(0, 1)], []),
    "ner order": score("ner", [], [(3, 2, "PER")]),
    "ner negative": score("ner", [(-1, 2, "PER")], []),
    "ner half": score("ner", [{"start": 0, "end": 1.5, "type": "PER"}], []),
    "ner no label": score("ner", [SPAN], []),
    "ner piece of a word": score("ner", [{**SPAN, "entity": "B-PER"}], []),
    "ner label": score("ner", [{**SPAN, "label": 3}], []),
    "ner no span": score("ner", [{"type": "PER"}], []),
    "ner spans": score("ner", [{"type": "PER", "span": [0, 1, 2]}], []),
    "ner under a name": score("ner", {"entities": "PER"}, []),
    "ner percent": suite("ner", "nervaluate", percent=0.5),
    "ner option": suite("ner", "nervaluate", suffix=True),
    "ner scheme": lambda: ner.read_tags(["O"], "IOB3"),  # type: ignore[arg-type]
    # relations, events, roles
    "relations directed": suite("relations", "dygie", directed=False),
    "relations facts": suite("relations", "docred", facts=["Paris"]),
    "relations no name": score("relations", [], [("capital", 3, "France")], "docred", **SEEN),
    "relations type": score("relations", [{"type": None, "subj": "a", "obj": "b"}], []),
    "relations keys": score("relations", [], [{"type": "x", "subj": "a"}]),
    "relations shape": score("relations", [("a", "b")], []),
    "relations evidence": score("relations", [{"type": "x", "h": 0, "t": 1, "evidence": "2"}], []),
    "relations key": score("relations", {"relation": []}, []),
    "events event": score("events", [3], []),
    "events keys": score("events", [], [{"type": "Attack"}]),
    "events realis": score("events", [{"type": "x", "trigger": [0, 1], "realis": 1}], []),
    "events argument": score("events", [{"type": "x", "trigger": [0, 1], "args": [(0, 1, "A"), (0, 1)]}], []),
    "events role": score("events", [{"type": "x", "trigger": [0, 1], "args": [{"start": 0}]}], []),
    "roles shape": score("roles", {"Target": "bank"}, {}),
    "roles name": score("roles", {"Target": [{"mentions": ["a"], "name": 1.5}]}, {}),
    "roles mention": score("roles", {"Target": [[3.5]]}, {}),
    "roles document": score("roles", {}, 3),
    "nary relation": score("nary", [3], []),
    "nary given": suite("nary", entities="given", mentions=mw.eq()),
    "srl predicate": score("srl", [{"predicate": -1, "args": []}], []),
    "srl no predicate": score("srl", [], [{"args": [(0, 1, "A0")]}]),
    "srl no arguments": score("srl", [{"predicate": 1}], []),
    "srl role": score("srl", [{"predicate": 1, "args": [{"start": 0, "end": 1}]}], []),
    "srl parse": score("srl", {"props": [], "heads": [0, 1], "deprels": ["a"]}, {"props": []}, "conll09"),
    "srl words": score(
        "srl",
        {"props": [], "heads": [0], "deprels": ["a"]},
        {"props": [], "heads": [0, 1], "deprels": ["a", "b"]},
        "conll09",
    ),
    # graphs
    "sdp edge": score("sdp", [(0, 1, 2)], []),
    "sdp node": score("sdp", {"nodes": [{}], "edges": []}, []),
    "sdp tops": score("sdp", {"edges": [], "tops": [None]}, []),
    "sdp label": score("sdp", {"edges": [], "nodes": [{"id": 1, "label": 3}]}, []),
    "sdp normal": score("sdp", {"edges": [{"source": 0, "target": 1, "normal": 3}]}, []),
    "sdp properties": score("sdp", {"edges": [], "nodes": [{"id": 1, "properties": ["a", "b"], "values": ["c"]}]}, []),
    "sdp anchor": score("sdp", {"edges": [], "nodes": [{"id": 1, "anchors": [{"from": 3, "to": 2}]}]}, []),
    "sdp graph": score("sdp", [], 3),
    "sdp anchors": score("sdp", ANCHORED, TOP),
    "sdp no anchors": score("sdp", TOP, ANCHORED),
    "amr text": score("amr", "(a / b)", []),
    "amr triple": score("amr", [("a", "b")], []),
    "amr keys": score("amr", [], {"graph": []}),
    "amr number": score("amr", 3, []),
    "drs words": score("drs", [["b1", "REF"]], []),
    "drs no words": score("drs", [["b1", 3, "x1"]], []),
    "drs box": score("drs", [], [['"b"', "REF", "x1"]]),
    "drs constant": score("drs", [["b1", "REF", '"now"']], []),
    "drs constant box": score("drs", [["b1", "NEGATION", '"now"']], []),
    "drs constant of a concept": score("drs", [["b1", "male", '"n.02"', '"now"']], []),
    "drs sense": score("drs", [["b1", "male", '"n2"', "x1"]], []),
    "drs no sense": score("drs", [["b1", "male", "x1"]], []),
    "drs role": score("drs", [["b1", "Agent", "x1"]], []),
    "drs quote": score("drs", [["b1", "EQU", "x1", '"now']], []),
    "drs clash": score("drs", [["b1", "REF", "x1"], ["x1", "REF", "x2"]], []),
    "drs text": score("drs", "b1 REF x1", []),
    "drs keys": score("drs", [], {"clause": []}),
    "drs synsets": suite("drs", synsets={"a": 1}),
    # triples, tables of queries, tools
    "triples shape": score("triples", [("a", "b")], []),
    "triples texts": score("triples", [("a", "b", None)], []),
    "triples keys": score("triples", [], [{"subj": "a"}]),
    "triples confidences": lambda: triples.report(triples.suite("carb"), [([("a", "b", "c")], [])]),
    "triples report": lambda: triples.report(triples.suite(), []),
    "results rows": score("results", {"rows": [[1], [1, 2]]}, []),
    "results row": score("results", [[1], 2], []),
    "results empty row": score("results", [], [[]]),
    "results columns": score("results", {"rows": [[1]], "columns": "a"}, []),
    "results keys": score("results", {"table": []}, []),
    "results key columns": score("results", [[1]], {"rows": [[1]], "condition_cols": [1]}),
    "results number": score("results", 3, []),
    "results tolerance": suite("results", tolerance=0),
    "toolcalls reference": score("toolcalls", [], [{"name": "f", "optional": True}], "adk"),
    "toolcalls tool": lambda: toolcalls.suite(tools=[{"title": "f"}]),
    "toolcalls subset": suite("toolcalls", "adk", arguments="subset"),
    # pictures and sounds
    "boxes score": score("boxes", [{"bbox": BOX, "score": 1}, {"bbox": BOX}], [], "coco"),
    "boxes mask": score("boxes", [], [{"bbox": BOX}], regions="masks"),
    "boxes predicted mask": score("boxes", [{"bbox": BOX}], [], regions="masks"),
    "boxes scale": score("boxes", [{"bbox": BOX}], {"boxes": [], "width": 5}, scale=10),
    "boxes corners": score("boxes", [], [{"bbox": [4, 0, 0, 4]}]),
    "boxes keys": score("boxes", {"id": 1}, []),
    "boxes box": score("boxes", [{"label": "a"}], []),
    "boxes crowd": score("boxes", [], [{"bbox": BOX, "iscrowd": 2}]),
    "boxes label": score("boxes", [{"bbox": BOX, "label": [1]}], []),
    "boxes area": score("boxes", [{"bbox": BOX, "area": "x"}], []),
    "boxes size": score("boxes", [], {"boxes": [], "width": "x"}),
    "boxes list": score("boxes", 3, []),
    "boxes text": score("boxes", "no boxes", []),
    "boxes no mask": score("boxes", [{"mask": {"size": [1, 2]}}], []),
    "boxes mask size": score("boxes", [{"mask": {"size": [1], "counts": [1]}}], []),
    "boxes run lengths": score("boxes", [{"mask": {"size": [1, 2], "counts": [-1]}}], []),
    "boxes polygon": score("boxes", [{"segmentation": [[0, 0, 1, 0, 1, 1]]}], []),
    "boxes report": lambda: boxes.report(boxes.suite(), []),
    "tracks twice": score("tracks", [(1, 7, BOX), (2, 7, BOX), (2, 7, BOX)], []),
    "tracks frame": score("tracks", [], [("a", 7, BOX)]),
    "tracks keys": score("tracks", [{"frame": 1, "bbox": BOX}], []),
    "tracks shape": score("tracks", [(1, 2)], []),
    "sounds order": score("sounds", [(2, 1.5, "dog")], []),
    "sounds time": score("sounds", [], [("a", 1, "dog")]),
    "sounds pitch": score("sounds", [(0, 1, -3)], []),
    "sounds keys": score("sounds", [{"onset": 1}], []),
    "sounds shape": score("sounds", [(0, 1)], []),
    "sounds note": score("sounds", [(0, 1, 440), (0, 1, "dog")], [], "mir_eval"),
    "transcripts time": score("transcripts", [], [{"speaker": "A", "start": 1}], "pyannote"),
    # templates and declarations
    "templates template": score("templates", [3], []),
    "templates type": score("templates", [{"victim": "x"}], []),
    "templates filler": score("templates", [("a", [("victim", "x"), 3])], []),
    "templates value": score("templates", [], [("a", {"victim": [None]})]),
    "templates category": score("templates", [("a", {"stage": {"category": None}})], []),
    "templates judgements": suite("templates", "muc4", adjudications=["x"]),
    "templates questions": lambda: templates.questions(templates.suite(), [], []),
    "templates report": lambda: templates.TASK.report(templates.suite(), []),  # type: ignore[misc]
    "templates option": suite("templates", "gtt", categories="a"),
    "templates hierarchy": suite("templates", hierarchy="a"),
    "templates words": suite("templates", categories=3),
    "no task": lambda: task("cref"),
    "no preset": suite("coref", "conll11"),
    "no metric": lambda: mw.explain("ner", [], [], metric="strct"),
    "no option": lambda: task("ner").option("schme"),
    "no similarity": suite("ner", types="type"),
    "no boolean": suite("amr", aspects="yes"),
    "no number": suite("boxes", iou="high"),
    "number too high": suite("boxes", iou=1.5),
    "no choice": suite("coref", singletons="keeps"),
    "no word or similarity": suite("events", mentions="heads"),
}


def write() -> Iterator[str]:
    for name, run in CASES.items():
        try:
            run()
        except (mw.MatchwiseError, ValueError) as error:
            yield f"{name} ({type(error).__name__}): {error}"
        else:
            yield f"{name}: is not refused"


KNOWN = dict(line.split(" (", 1) for line in FILE.read_text(encoding="utf-8").splitlines()) if FILE.exists() else {}


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_is_said_to_the_letter(name: str) -> None:
    with pytest.raises((mw.MatchwiseError, ValueError)) as found:
        CASES[name]()
    assert f"{type(found.value).__name__}): {found.value}" == KNOWN[name]


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in write()), encoding="utf-8")
