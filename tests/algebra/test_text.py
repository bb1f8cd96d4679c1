from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import matchwise
from matchwise.algebra.build import (
    again,
    best,
    contingency,
    custom,
    eq,
    f1,
    fbeta,
    harmonic,
    jaccard,
    latent,
    mean,
    normalize,
    overlap,
    precision,
    recall,
    recursive,
    subset,
    union,
    var,
)
from matchwise.algebra.leaves import LeafKind
from matchwise.algebra.nodes import Leaf, Similarity
from matchwise.algebra.parse import parse
from matchwise.algebra.text import signature, text
from matchwise.similarities.vocabulary import close, edit, ontology


class Entity:
    pass


def head(value: Any) -> Any:
    return value


NAMES = {"Entity": Entity, "head": head}

TEXTS = {
    "eq()": eq(),
    'eq("a")': eq("a"),
    'eq("pair.0")': eq("pair.0"),
    'eq("0")': eq(0),
    'eq(("items", -1))': eq(("items", -1)),
    'eq(("a.b", "c"))': eq(("a.b", "c")),
    'eq(("3",))': eq(("3",)),
    'eq(("",))': eq(("",)),
    "eq(head)": eq(head),
    'eq(("a", head))': eq(("a", head)),
    'eq("say \\"hi\\"\\n\\\\ 😀 \\ud800")': eq('say "hi"\n\\ 😀 \ud800'),
    'eq("a") * eq("b") * eq("c")': eq("a") * eq("b") * eq("c"),
    'eq("a") + eq("b")': eq("a") + eq("b"),
    '3 * eq("a") + eq("b")': 3 * eq("a") + eq("b"),
    '1 * eq("a")': 1 * eq("a"),
    '2 * (eq("a") * eq("b"))': 2 * (eq("a") * eq("b")),
    'eq("a") * eq("b") + eq("c")': eq("a") * eq("b") + eq("c"),
    '(2 * eq("a")) * eq("b")': (2 * eq("a")) * eq("b"),
    '(eq("a") + eq("b")) * eq("c")': (eq("a") + eq("b")) * eq("c"),
    'Fraction(1, 2) * eq("a") + 0.25 * eq("b")': Fraction(1, 2) * eq("a") + 0.25 * eq("b"),
    'f1("x") > 0.5': f1("x") > 0.5,
    '(f1("x") >= 1) > 0.5': (f1("x") >= 1) > 0.5,
    'eq("a") * (f1("x") > 0.5)': eq("a") * (f1("x") > 0.5),
    '(eq("a") > 0.5) + eq("b")': (eq("a") > 0.5) + eq("b"),
    'eq("a") * eq("b") > 0.5': eq("a") * eq("b") > 0.5,
    'eq("a") + eq("b") > 0.5': eq("a") + eq("b") > 0.5,
    'overlap("x") - 1 > 0.5': overlap("x") - 1 > 0.5,
    'overlap("x") - 1 - 2': overlap("x") - 1 - 2,
    'eq("a") + eq("b") - 1': eq("a") + eq("b") - 1,
    'eq("a") + (eq("b") - 1)': eq("a") + (eq("b") - 1),
    '(overlap("x") - 1) * eq("a")': (overlap("x") - 1) * eq("a"),
    "f1()": f1(),
    'f1("x")': f1("x", eq()),
    'f1(None, eq("a"))': f1(None, eq("a")),
    'f1("r", eq("a") * eq("b"))': f1("r", eq("a") * eq("b")),
    'f1("r", match="N:1", order="sequence", align_by=eq("a"), empty=0)': f1(
        "r", match="N:1", order="sequence", align_by=eq("a"), empty=0
    ),
    'fbeta("x", beta=2)': fbeta("x", beta=2),
    'jaccard("x", eq("a"))': jaccard("x", eq("a")),
    'overlap("x", match="N:N")': overlap("x", match="N:N"),
    'normalize(eq("a") + eq("b"), "f1")': normalize(eq("a") + eq("b"), "f1"),
    'normalize(overlap("x") - 1, "fbeta", beta=0.5, empty=0)': normalize(overlap("x") - 1, "fbeta", beta=0.5, empty=0),
    'harmonic(precision("x"), recall("x"))': harmonic(precision("x"), recall("x")),
    'mean(eq("a"), 2 * eq("b"), eq("c") + eq("d"), eq("e") > 0.5)': mean(
        eq("a"), 2 * eq("b"), eq("c") + eq("d"), eq("e") > 0.5
    ),
    'mean(2 * (eq("a") * eq("b")))': mean(2 * (eq("a") * eq("b"))),
    'union("v", {Entity: f1("mentions"), str: eq()})': union("v", {str: eq(), Entity: f1("mentions")}),
    'union(None, {"Entity": eq("id"), NoneType: eq()})': union(None, {"Entity": eq("id"), type(None): eq()}),
    'best("mentions", eq("a"))': best("mentions", eq("a")),
    "best()": best(),
    'subset("mentions")': subset("mentions"),
    'latent(f1("props", var("subj", space="node") * var("obj")))': latent(
        f1("props", var("subj", space="node") * var("obj"))
    ),
    'recursive("T", eq("a") + overlap("c", again("T")), "root")': recursive(
        "T", eq("a") + overlap("c", again("T")), "root"
    ),
    'again("T", "left")': again("T", "left"),
    'custom(head, "a", batch=True, unnormalized=True, facts=("left", "right"))': custom(
        head, "a", batch=True, unnormalized=True, facts=("right", "left")
    ),
    'custom(head, facts=("unit",))': custom(head, facts=("unit",)),
    "custom(head)": custom(head),
    "contingency(head)": contingency(head),
    'contingency(head, "clusters")': contingency(head, "clusters"),
    "contingency(head, None, overlap())": contingency(head, None, overlap()),
    'contingency(head, "clusters.all", overlap("members"), unnormalized=True, facts=("left", "right"))': contingency(
        head, "clusters.all", overlap("members"), unnormalized=True, facts=("right", "left")
    ),
    'eq("a") * contingency(head, head)': eq("a") * contingency(head, head),
    'edit("name")': edit("name"),
    'edit("name", normalize="casefold", floor=0.5)': edit("name", normalize="casefold", floor=0.5),
    'close("price", abs=0.01)': close("price", abs=Decimal("0.010")),
    'ontology({"bombing": "attack"}, "type", credited="either")': ontology(
        {"bombing": "attack"}, "type", credited="either"
    ),
}


@pytest.mark.parametrize("written", TEXTS)
def test_an_expression_is_written_as_the_python_that_builds_it(written: str) -> None:
    assert text(TEXTS[written]) == written


@pytest.mark.parametrize("written", TEXTS)
def test_what_is_written_is_read_back_as_the_same_expression(written: str) -> None:
    assert parse(written, NAMES) == TEXTS[written]


def test_repr_is_the_text() -> None:
    assert repr(f1("x")) == 'f1("x")'


def test_a_mapping_among_the_options_of_a_leaf_is_written_as_a_mapping() -> None:
    kind = LeafKind("ranked", lambda value, _: value, lambda f, g, _: 0, lambda _: {})
    leaf = Leaf(kind, ("a",), (("order", ((1, "x"), (2, ("y", "z")))), ("strict", True)))
    assert text(leaf) == 'ranked("a", order={1: "x", 2: ("y", "z")}, strict=True)'


def test_a_signature_has_the_expression_the_version_and_a_digest() -> None:
    written, version, digest = signature(f1("mentions")).split("|")
    assert (written, version) == ('f1("mentions")', f"matchwise:{matchwise.__version__}")
    assert len(digest) == 8
    assert int(digest, 16) >= 0


def test_equal_expressions_have_equal_signatures() -> None:
    pairs: list[tuple[Similarity, Similarity]] = [
        (f1("x") > Fraction(1, 2), f1("x") > 0.5),
        (1.0 * eq("a"), 1 * eq("a")),
    ]
    for phi, psi in pairs:
        assert phi == psi
        assert signature(phi) == signature(psi)


def test_functions_of_one_name_have_different_signatures() -> None:
    def make() -> Any:
        def head(value: Any) -> Any:
            return value

        return head

    assert text(eq(make())) == text(eq(head))
    assert signature(eq(make())) != signature(eq(head))


def test_a_signature_names_classes_with_their_module_and_builtins_without() -> None:
    written = signature(union("v", {str: eq(), Entity: eq()}))
    assert f"{Entity.__module__}:Entity: eq(), str: eq()" in written
