"""Suites are data: named similarities and what is derived from them."""

import pickle
from typing import Any

import pytest

from matchwise.algebra.build import eq, f1, jaccard, overlap
from matchwise.corpus.suite import Derived, Suite, as_suite, average, product, replace
from matchwise.errors import ExpressionError

MUC = f1("entities", overlap("mentions") - 1, match="N:N")
CEAF = f1("entities", f1("mentions"))
COREF = Suite(muc=MUC, ceaf=CEAF, both=average("muc", "ceaf"))


def test_a_suite_has_its_metrics_by_name_and_in_order() -> None:
    assert (list(COREF), len(COREF), COREF["ceaf"], "muc" in COREF) == (["muc", "ceaf", "both"], 3, CEAF, True)


def test_the_metrics_of_a_suite_are_without_what_is_derived() -> None:
    assert COREF.metrics == {"muc": MUC, "ceaf": CEAF}


def test_suites_compare_and_hash_by_content() -> None:
    again = Suite({"muc": MUC, "ceaf": CEAF}, both=average("muc", "ceaf"))
    assert again == COREF
    assert hash(again) == hash(COREF)
    assert again != Suite(muc=MUC)


def test_a_suite_prints_as_the_python_that_builds_it() -> None:
    assert repr(Suite(x=f1("xs"), y=product("x"))) == 'Suite(x=f1("xs"), y=product("x"))'
    names: dict[str, Any] = {"Suite": Suite, "f1": f1, "overlap": overlap, "average": average}
    assert eval(repr(COREF), names) == COREF


def test_a_suite_with_references_prints_them() -> None:
    suite = Suite(x=f1("xs"), references={"x": ("jones-2001",)})
    assert repr(suite) == """Suite({"x": f1("xs")}, references={'x': ('jones-2001',)})"""
    assert eval(repr(suite), {"Suite": Suite, "f1": f1}) == suite


def test_a_suite_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(COREF)) == COREF


def test_the_signature_names_every_metric_and_the_version() -> None:
    line, version, digest = Suite(x=f1("xs"), both=average("x")).signature.split("|")
    assert line == 'x=f1("xs"); both=average("x")'
    assert version.startswith("matchwise:")
    assert len(digest) == 8


def test_references_are_no_part_of_the_signature() -> None:
    assert Suite(x=f1("xs"), references={"x": ("a",)}).signature == Suite(x=f1("xs")).signature


def test_a_single_similarity_is_a_suite_of_one() -> None:
    assert as_suite(MUC) == Suite(score=MUC)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Suite(), "a suite needs a metric"),
        (lambda: Suite(x=average("y")), "a suite needs a metric"),
        (lambda: Suite(muc=MUC, both=average("mcu")), "no metric 'mcu' in the suite; did you mean 'muc'"),
        (lambda: Suite(muc=MUC, a=average("muc"), b=average("a")), "no metric 'a' in the suite"),
        (lambda: Suite(muc=MUC, x=3), "x must be a similarity, not 3; write x=f1"),  # type: ignore[arg-type]
        (lambda: Suite({"b-cubed": MUC}), "'b-cubed' cannot be the name of a metric; write a name such as"),
        (lambda: Suite({"class": MUC}), "'class' cannot be the name of a metric"),
        (lambda: Suite(MUC), "not Suite\\(f1"),  # type: ignore[arg-type]
        (lambda: Suite(muc=MUC, references={"mcu": ()}), "references for 'mcu', which is not in the suite"),
        (lambda: average(), "found nothing; write average"),
        (lambda: product(MUC), "product takes the names of metrics"),  # type: ignore[arg-type]
        (lambda: as_suite([MUC]), "or a suite, not \\["),
        (lambda: as_suite({"muc": MUC}), "For several metrics: Suite\\(\\*\\*metrics\\)"),
        (lambda: COREF["cef"], "no metric 'cef' in the suite; did you mean 'ceaf'"),
    ],
)
def test_a_suite_built_wrongly_says_what_to_write(build: Any, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        build()


def test_derived_values_are_means_and_products() -> None:
    assert Derived("average", ("a", "b")).of([0.5, 1.0]) == 0.75
    assert Derived("product", ("a", "b")).of([0.5, 0.5]) == 0.25


def test_replace_changes_every_metric_in_which_the_part_occurs() -> None:
    suite = Suite(a=f1("xs", eq("span")), b=f1("ys"), c=average("a", "b"), references={"a": ("key",)})
    changed = replace(suite, {eq("span"): jaccard("span")})
    assert changed == Suite(a=f1("xs", jaccard("span")), b=f1("ys"), c=average("a", "b"), references={"a": ("key",)})


def test_replace_of_a_similarity_is_a_similarity() -> None:
    assert replace(f1("xs", eq("a")), {eq("a"): eq("b")}) == f1("xs", eq("b"))


def test_replacing_what_is_only_hidden_in_another_replacement_of_one_metric_is_no_error() -> None:
    suite = Suite(a=f1("xs", f1("ys", eq("s"))), b=f1("zs", eq("s")))
    changed = replace(suite, {f1("ys", eq("s")): eq("y"), eq("s"): eq("t")})
    assert changed == Suite(a=f1("xs", eq("y")), b=f1("zs", eq("t")))


def test_replacing_what_occurs_nowhere_is_an_error() -> None:
    with pytest.raises(ExpressionError, match='eq\\("spam"\\) occurs in no metric; did you mean \'eq\\("span"\\)\''):
        replace(Suite(a=f1("xs", eq("span"))), {eq("spam"): eq("x")})


def test_replacing_by_something_else_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="maps similarities to similarities"):
        replace(COREF, {eq(): "x"})  # type: ignore[dict-item]


@pytest.mark.parametrize("names", [(), (3,), ("muc", 3), (None, "muc")])
@pytest.mark.parametrize("derive", [average, product])
def test_values_are_derived_from_names_only(derive: Any, names: tuple[Any, ...]) -> None:
    with pytest.raises(ExpressionError, match="takes the names of metrics, but found"):
        derive(*names)


def test_an_average_is_no_metric_of_a_pair_and_says_which_are() -> None:
    suite = Suite(a=f1("a"), b=f1("b"), both=average("a", "b"))
    assert suite["a"] == f1("a")
    with pytest.raises(
        ExpressionError, match=r"^'both' is average\(\"a\", \"b\"\), of which evaluate\(\) has the value"
    ):
        suite["both"]
