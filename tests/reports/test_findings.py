"""What the first screen of a report says of one system and of two, worked by hand on three documents."""

from typing import Any

import matchwise as mw
from matchwise.corpus.counts import Portion
from matchwise.reports.documents import (
    SeenSystem,
    changes,
    choose_documents,
    show_documents,
    unreadable_documents,
    unreadable_kinds,
)
from matchwise.reports.page import headlines, parts, problems, sentences, short_names, to_page
from matchwise.reports.results import Display, Results, System
from matchwise.sheets.table import NumberStyle, width_of, write_one_line
from matchwise.views.errors import Case, Errors, Level
from matchwise.views.model import Mark, View, ViewPassage


def document(*names: str) -> dict[str, Any]:
    return {"xs": [{"k": name[0], "t": name[1:]} for name in names]}


SUITE = mw.Suite(strict=mw.f1("xs", mw.eq("k") * mw.eq("t")), heads=mw.f1("xs", mw.eq("k")))
IDS = ["d1", "d 2", "d3"]
REFS = [document("aP", "bP", "cL"), document("dL"), document("eP")]
OLD = [document("aP", "bL"), document("dL"), document("fM")]
NEW = [document("aP", "bP"), document("dP"), document("eP")]
PERCENT = Display(numbers=NumberStyle(1, True))


def system(name: str, preds: list[Any], suite: mw.Suite = SUITE, *, by: str | None = "t", **more: Any) -> System:
    return System(name, mw.evaluate(suite, preds, REFS, by=by, ids=IDS), **more)


def results(*systems: System, **more: Any) -> Results:
    return Results("gold/ref.jsonl", 3, "f1", systems, "ner", **more)


OLD_RUN, NEW_RUN = system("runs/old.jsonl", OLD), system("runs/new.jsonl", NEW)
BOTH = results(OLD_RUN, NEW_RUN)


def rows(found: Results, place: int = 0) -> list[list[str]]:
    return [[row["name"], *row["cells"]] for row in parts(found)[place].draw(found.view)["rows"]]


def said(found: Results, errors: list[Errors] | None = None) -> list[str]:
    return ["".join(remark) for remark in sentences(found, errors or [])]


def test_labels_begin_with_the_worst_and_what_the_reference_never_has_comes_last() -> None:
    assert rows(results(OLD_RUN)) == [
        ["L", "0.5000", "0.5000", "0.5000", "1", "1"],
        ["P", "0.5000", "1.0000", "0.3333", "2", "0"],
        ["M", "0.0000", "0.0000", "1.0000", "0", "1"],
    ]
    assert parts(results(OLD_RUN))[0].draw(Display())["heads"] == ["F1", "precision", "recall", "missed", "spurious"]


def test_of_two_systems_the_worst_of_the_last_comes_first_with_the_change() -> None:
    assert rows(BOTH) == [
        ["L", "0.5000", "0.0000", "-0.5000", "1 → 2", "1 → 0"],
        ["P", "0.5000", "0.8571", "+0.3571", "2 → 0", "0 → 1"],
        ["M", "0.0000", "–", "–", "0", "1 → 0"],
    ]
    assert [one.title for one in parts(BOTH)] == ["Scores by t, strict", "Scores by metric"]
    assert rows(BOTH, 1) == [["strict", "0.4444", "0.6667", "+0.2222"], ["heads", "0.6667", "0.8889", "+0.2222"]]


def test_a_label_that_only_one_system_has_is_known_from_it() -> None:
    first, last = results(NEW_RUN, OLD_RUN), results(OLD_RUN, NEW_RUN)
    assert [row[0] for row in rows(first)] == ["L", "P", "M"]
    assert rows(first)[2] == ["M", "–", "0.0000", "–", "0", "0 → 1"]
    assert rows(last)[2][1:3] == ["0.0000", "–"]


def test_one_metric_has_no_part_of_metrics_beside_labels_and_no_name_in_the_title() -> None:
    only = mw.Suite(strict=SUITE["strict"])
    assert [one.title for one in parts(results(system("a", OLD, only)))] == ["Scores by t"]
    assert [one.title for one in parts(results(system("a", OLD, only, by=None)))] == ["Scores by metric"]


def test_intervals_of_labels_are_said_system_by_system() -> None:
    known = {Portion("label", "strict", "L"): (0.25, 0.75)}
    drawn = parts(results(OLD_RUN, NEW_RUN._replace(part_intervals=known)))[0].draw(Display())["rows"]
    assert [row["intervals"] for row in drawn] == ["new 0.2500 to 0.7500", "", ""]


def test_headlines_have_the_interval_and_the_difference_from_the_first() -> None:
    level = {"intervals": {"method": "delta", "level": 0.9, "units": "documents", "n": 3}}
    first, last = (
        OLD_RUN._replace(intervals={"strict": (0.25, 0.5)}),
        NEW_RUN._replace(intervals={"strict": (0.5, 1.2)}),
    )
    one, two = headlines(results(first, last, notes=level, view=PERCENT))
    assert (one["system"], one["file"], one["value"]) == ("old", "runs/old.jsonl", "44.4")
    assert (one["interval"], one["ends"][1:], one["difference"]) == ("90 % interval 25.0 to 50.0", (0.25, 0.5), "")
    assert (two["interval"], two["ends"]) == ("90 % interval 50.0 to 120.0", None)
    assert (two["difference"], two["p"]) == ("22.2 points better than old", "")
    [_, worse] = headlines(results(NEW_RUN, OLD_RUN))
    assert (worse["difference"], worse["interval"]) == ("0.2222 worse than new", "")
    [_, same] = headlines(results(OLD_RUN, OLD_RUN._replace(prediction="runs/copy.jsonl")))
    assert same["difference"] == "the same as old"


def test_a_difference_that_may_be_chance_says_so_after_the_correction() -> None:
    for number, said in (
        (6, "p = 0.0625, which may be chance"),
        (7, "p = 0.0312"),
    ):  # 2 · 2 / 2ⁿ: there are two metrics
        refs = [document("aP")] * number
        both = {
            name: System(name, mw.evaluate(SUITE, preds, refs))
            for name, preds in (("old", [document("bP")] * number), ("new", refs))
        }
        found = mw.compare({name: one.report for name, one in both.items()})
        [_, two] = headlines(results(*both.values(), comparison=found))
        assert two["p"] == said


RATES = mw.Suite(rate=mw.normalize(mw.overlap("xs", mw.eq("k") * mw.eq("t")), "error_rate"), heads=SUITE["heads"])


def test_less_of_an_error_rate_is_better() -> None:
    old, new = system("old", OLD, RATES, by=None), system("new", NEW, RATES, by=None)
    [_, two] = headlines(results(old, new))
    assert two["difference"] == "0.4000 better than old"  # 5 of 5 edits, then 3
    better, worse, same = changes(old, new)
    assert ([one.id for one in better], [one.id for one in worse], same) == (["d3", "d1"], ["d 2"], 0)
    assert said(results(old, new)) == [
        "2 documents better and 1 worse in new than in old, 0 the same; heads gained most (+0.2222)."
    ]


def test_sentences_name_the_weakest_label_and_what_changed() -> None:
    assert said(results(OLD_RUN)) == [
        "The weakest label is L: 0.5000 (1 missed, 1 spurious).",
        "1 of 3 documents is all right.",
    ]
    assert said(results(OLD_RUN, NEW_RUN, view=PERCENT)) == [
        "The weakest label is L: 0.0 in new (2 missed), 50.0 in old.",
        "2 documents better and 1 worse in new than in old, 0 the same; P gained most (+35.7); L lost most (-50.0).",
    ]
    lost = ({"document": "d9", "problem": "x"},)
    assert said(results(system("a", REFS, unreadable=lost))) == ["3 of 3 documents are all right; 1 could not be read."]


def test_sentences_name_the_weakest_metric_inside_the_headline() -> None:
    suite = mw.Suite(
        strict=SUITE["strict"], heads=SUITE["heads"], rate=RATES["rate"], all=mw.average("strict", "heads")
    )
    assert said(results(system("a", OLD, suite, by=None)))[0] == (
        "The weakest metric in all is strict: 0.4444 (precision 0.5000, recall 0.4000)."
    )


def errors(*counts: tuple[str, int], level: str = "mentions", right: int = 1) -> Errors:
    cases = tuple(Case(kind, "x") for kind, number in counts for _ in range(number))
    return Errors(()).add([Level(level, right, right + len(cases), right, cases)], "d1")


def test_sentences_name_the_largest_kind_of_error_of_the_last_system() -> None:
    old, new = errors(("type", 3), ("extra", 1)), errors(("type", 1), ("extra", 3))
    assert said(results(OLD_RUN), [old])[1] == "The largest kind of error is type: 3 errors, 75% of what is lost."
    assert said(BOTH, [old, new])[1] == (
        "The largest kind of error is extra: 3 errors, 75% of what is lost in new; 1 in old."
    )
    two = Errors(()).add([Level("heads", 1, 2, 1, (Case("extra", "x"),)), Level("arcs", 1, 1, 1)], "d1")
    assert said(results(OLD_RUN), [two])[1] == (
        "The largest kind of error of heads is extra: 1 error, 100% of what is lost."
    )


def test_problems_of_whole_documents_come_first_then_by_number() -> None:
    lost = {
        "missing": ("d9",),
        "errors": ({"document": "d8", "problem": "d8: broken"},),
        "unreadable": ({"document": "d7", "problem": "no JSON"}, {"document": "d6", "problem": "no JSON"}),
        "faults": {"y: unknown": 1, "x: not a number": 3},
    }
    found = problems(results(OLD_RUN, NEW_RUN._replace(**lost)), [])
    assert [(one.said, one.total, one.where[1]) for one in found] == [
        ("unreadable", "0 → 2", ["d7", "d6"]),
        ("without prediction", "0 → 1", ["d9"]),
        ("could not be scored", "0 → 1", ["d8: broken"]),
        ("x: not a number", "0 → 3 ×", []),
        ("y: unknown", "0 → 1 ×", []),
    ]
    kinds = Errors(()).add([Level("m", 0, 0, 0, (Case("not JSON", "x"), Case("missed", ref="y")))], "d7")
    named = problems(results(OLD_RUN, NEW_RUN._replace(**lost)), [Errors(()), kinds])
    assert [(one.said, one.where[1]) for one in named][1:3] == [("not JSON", ["d7"]), ("unreadable", ["d6"])]


def test_the_documents_that_are_shown_are_wrong_in_the_last_system_or_changed_most() -> None:
    found = changes(OLD_RUN, NEW_RUN)
    assert [(one.id, one.before, one.after) for one in found.better] == [("d3", 0.0, 1.0), ("d1", 0.4, 0.8)]
    assert [(one.id, one.by) for one in found.worse] == [("d 2", -1.0)]
    assert choose_documents(BOTH, 0) == []
    assert choose_documents(BOTH, 1) == ["d 2", "d3", "d1"]
    assert choose_documents(BOTH, 9) == ["d 2", "d1", "d3"]
    assert choose_documents(results(OLD_RUN), 1) == ["d3"]


def test_a_document_names_its_change_its_fields_kinds_and_labels() -> None:
    words = ViewPassage(
        "predicted", ("a", "b"), (Mark(0, 1, "PER", "wrong"), Mark(1, 2, "LOC"), Mark(1, 2, "", "wrong"))
    )
    view = View("d1", (words,), metric="heads", score=0.5)
    seen = [SeenSystem(errors(("type", 2)), {"d1": [view]}), SeenSystem(errors(("extra", 1)))]
    shown = list(
        show_documents(results(OLD_RUN._replace(missing=("d3",)), NEW_RUN), IDS, seen, [{"d 2": "cut off"}, {}])
    )
    assert [(one.anchor, one.scores, one.change) for one in shown] == [
        ("doc-d1", ["0.4000", "0.8000"], "better"),
        ("doc-d-2", ["1.0000", "0.0000"], "worse"),
        ("doc-d3", ["0.0000", "1.0000"], "better"),
    ]
    assert (shown[0].kinds, shown[0].labels, shown[0].named) == (["type", "extra"], ["PER"], "type, extra, PER")
    assert [[whole for whole, _ in one.seen] for one in shown] == [["", ""], ["cut off", ""], ["no prediction", ""]]
    assert "heads 0.5000" in shown[0].seen[0][1][0]
    many = shown[0]._replace(kinds=[f"k{number}" for number in range(6)], labels=[])
    assert (many.named, many._replace(labels=["x"]).named) == (
        "k0, k1, k2, k3, k4, k5",
        "k0, k1, k2, k3, k4, k5 and 1 more",
    )
    assert many._replace(fields=["total"]).named == "total"


def test_a_document_has_the_same_score_or_none_where_a_system_lacks_it() -> None:
    other = System("b", mw.evaluate(SUITE, OLD[:1], REFS[:1], ids=IDS[:1]))
    shown = list(
        show_documents(results(OLD_RUN, other), IDS, [SeenSystem(Errors(())), SeenSystem(Errors(()))], [{}, {}])
    )
    assert [(one.scores, one.change) for one in shown] == [
        (["0.4000", "0.4000"], "same"),
        (["1.0000", ""], ""),
        (["0.0000", ""], ""),
    ]


def test_a_field_of_an_error_is_named_as_the_table_of_fields_has_it() -> None:
    phi = mw.normalize(mw.eq("n") + mw.overlap("xs", mw.eq("k") + mw.eq("t")), "f1")
    report = mw.evaluate(phi, [{"n": 1, **OLD[0]}], [{"n": 2, **REFS[0]}], fields=True, ids=["d1"])
    cases = (Case("a", "x", where="xs[12].k"), Case("a", "x", where="xs[3]"), Case("a", "x", where="x"), Case("a", "x"))
    seen = SeenSystem(Errors(()).add([Level("values", 0, 0, 0, cases)], "d1"))
    [shown] = show_documents(results(System("a", report)), ["d1"], [seen], [{}])
    assert (shown.fields, shown.change) == (["xs[].k", "xs[]"], "")


def test_unreadable_predictions_have_a_kind_and_what_was_written() -> None:
    lost = tuple({"document": f"d{number}", "problem": f"problem {number}"} for number in range(3))
    cases = (Case("not JSON", "x"), Case("cut off", "y"), Case("missed", ref="z"))
    found = Errors(()).add([Level("m", 0, 0, 0, cases)], "d0").add([Level("m", 0, 0, 0, cases)], "d9")
    run = NEW_RUN._replace(unreadable=lost)
    kinds = unreadable_kinds(run, found)
    assert kinds == {"d0": "not JSON"}
    assert unreadable_kinds(run, None) == {}
    seen = SeenSystem(found, {}, {"d0": "x" * 3000})
    shown = unreadable_documents(results(OLD_RUN, run), [SeenSystem(Errors(())), seen], [{}, kinds], 2)
    assert shown == {"d0": [(1, "not JSON", "x" * 1999 + "…")], "d1": [(1, "unreadable", "problem 1")]}


def test_systems_are_called_by_as_little_as_tells_them_apart() -> None:
    def names(*files: str) -> list[str]:
        return short_names([OLD_RUN._replace(prediction=file) for file in files])

    assert names("runs/a.jsonl", "runs/b.jsonl") == ["a", "b"]
    assert names("a/run.jsonl", "a/run.json") == ["run.jsonl", "run.json"]
    assert names("a/run.jsonl", "b/run.jsonl") == ["a/run.jsonl", "b/run.jsonl"]
    assert names("") == [""]


def test_the_page_says_what_it_is_of() -> None:
    page = to_page(results(OLD_RUN, NEW_RUN, preset="seqeval"), made="2026-11-18")
    assert "<title>ner: old, new</title>" in page
    assert "preset seqeval" in page
    assert "2026-11-18" in page
    assert "ref.jsonl" in page
    assert "gold/ref.jsonl" not in page
    assert "<title>Scores</title>" in to_page(Results(None, 3, "f1", (OLD_RUN._replace(prediction=""),)))


def test_signs_that_take_no_room_have_no_width() -> None:
    assert [width_of(text) for text in ("a\u200db", "e\u0301", "a\u20dd", "Ｆ", "東", "é")] == [2, 1, 1, 2, 2, 1]


def test_parts_are_sorted_by_the_last_system_and_are_of_the_headline() -> None:
    one = mw.Suite(strict=SUITE["strict"])
    refs = [document("aP", "bL")]
    first, last = (System(name, mw.evaluate(one, [document(name)], refs, by="t")) for name in ("aP", "bL"))
    assert [list(parts(results(*both))[0].rows) for both in ((last, first), (first, last))] == [["L", "P"], ["P", "L"]]
    two = mw.Suite(xs=mw.f1("xs", mw.eq("t")), ys=mw.f1("ys", mw.eq("t")))
    found = mw.evaluate(two, [{"xs": [{"t": "b"}], "ys": [{"t": "a"}]}], [{"xs": [{"t": "b"}], "ys": []}], by="t")
    [labels, _] = parts(results(System("a", found)))
    assert (labels.title, list(labels.rows)) == ("Scores by t, xs", ["b"])


def test_documents_that_changed_as_much_are_listed_by_their_ids() -> None:
    ids, refs = ["d2", "d1", "d3"], [document("aP")] * 3
    old, new = (System("x", mw.evaluate(SUITE, [document(name)] * 3, refs, ids=ids)) for name in ("bP", "aP"))
    assert [one.id for one in changes(old, new).better] == ["d1", "d2", "d3"]
    assert write_one_line("".join(map(chr, (0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 127, 159)))) == (
        "⏎\\x202a\\x202e\\x2066\\x2069\\x7f\\x9f"
    )
