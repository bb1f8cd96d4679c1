"""Dependency parsing (paper §3.1): UAS, LAS and their relatives, also where two sides cut the text into other words.

>>> from matchwise.corpus.tally import Tally
>>> ref = [(2, "nsubj"), (0, "root"), (2, "obj")]
>>> pred = [(2, "nsubj"), (0, "root"), (1, "obj")]
>>> Tally(suite()).add(pred, ref).report()["las"].counts
Counts(matched=2, predicted=3, reference=3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from matchwise.algebra.build import custom, eq, f1, normalize, recall
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading, grading_of, gradings_of
from matchwise.corpus.suite import Suite
from matchwise.engine.plan import score
from matchwise.tasks import Analyse, Option, Say, Task, similarity_option
from matchwise.tasks.dependencies.sentences import Multiword as Multiword
from matchwise.tasks.dependencies.sentences import ParsedSentence as ParsedSentence
from matchwise.tasks.dependencies.sentences import Trees
from matchwise.tasks.dependencies.sentences import sentence as sentence
from matchwise.tasks.dependencies.sentences import sentences as sentences
from matchwise.tasks.dependencies.steps import WordAlignment as WordAlignment
from matchwise.tasks.dependencies.steps import aligned_words as aligned_words
from matchwise.tasks.dependencies.steps import check_kinds
from matchwise.tasks.dependencies.steps import equal_edges as equal_edges
from matchwise.tasks.dependencies.steps import equal_edges_without_subtypes as equal_edges_without_subtypes
from matchwise.tasks.dependencies.words import AlignedText as AlignedText
from matchwise.tasks.dependencies.words import Arc as Arc
from matchwise.tasks.dependencies.words import Edge as Edge
from matchwise.tasks.dependencies.words import segments as segments

if TYPE_CHECKING:
    from matchwise.views.model import View, ViewLine

ALIGNED = "_aligned"
"""How the name of an accuracy over aligned words ends."""

WORD = eq("dep")
HEAD = WORD * eq("gov")


def suite(
    preset: Literal["ud", "paper"] = "ud",
    *,
    aligned: bool = False,
    trees: Trees | None = None,
    relations: Similarity | None = None,
    enhancements: str | int | None = None,
) -> Suite:
    """The metrics of a preset, for sentences, lists of them, and lists of (head, deprel) or of dictionaries.

    >>> suite("paper")["las"]
    dependencies.aligned_words(trees="any") | f1("arcs", eq("dep") * eq("gov") * eq("deprel"))
    """
    TASK.check(preset, aligned=aligned, trees=trees, relations=relations, enhancements=enhancements)
    kinds = check_kinds(enhancements)
    step = WordAlignment(trees or _TREES[preset], aligned, kinds)
    relation = eq("deprel" if preset == "paper" else "rel")
    labelled = HEAD * (relation if relations is None else relations)
    metrics = _paper(labelled) if preset == "paper" else _ud(labelled, aligned)
    said = {"trees": step.trees, "relations": relations, "aligned": aligned or "", "enhancements": kinds}
    cited = {name: TASK.references[name.removesuffix(ALIGNED)] for name in metrics}
    return TASK.make_suite(preset, metrics, aligned_words.of(step), cited=cited, by=_labels(metrics), title=said)


def _labels(metrics: dict[str, Similarity]) -> dict[str, tuple[str, ...]]:
    """The metrics with a table by label: they count arcs, not tokens, sentences or enhanced graphs."""
    arcs = tuple(name for name in metrics if name not in ("tokens", "sentences", "elas", "eulas"))
    return dict.fromkeys(("rel", "deprel", "upos", "xpos", "feats", "lemma"), arcs)


_TREES: dict[str, Trees] = {"ud": "strict", "paper": "any"}


def _paper(labelled: Similarity) -> dict[str, Similarity]:
    return {
        "uas": f1("arcs", HEAD),
        "las": f1("arcs", labelled),
        "elas": f1("edges", eq("dep") * eq("gov") * eq("label")),
    }


def _ud(labelled: Similarity, aligned: bool) -> dict[str, Similarity]:
    arcs, content = _words(labelled), _content_words(labelled)
    metrics = {
        "tokens": f1("tokens", empty=0),
        "sentences": f1("sentences", empty=0),
        "words": f1("arcs", WORD, empty=0),
        **{name: f1("arcs", phi, empty=0) for name, phi in arcs.items()},
        **{name: f1("content", phi, empty=0) for name, phi in content.items()},
        "elas": normalize(custom(equal_edges, unnormalized=True), "f1", empty=0),
        "eulas": normalize(custom(equal_edges_without_subtypes, unnormalized=True), "f1", empty=0),
    }
    if aligned:
        metrics |= {name + ALIGNED: recall("aligned", phi, empty=0) for name, phi in arcs.items()}
        metrics |= {name + ALIGNED: recall("aligned_content", phi, empty=0) for name, phi in content.items()}
    return metrics


def _words(labelled: Similarity) -> dict[str, Similarity]:
    """Metric -> when a word is right."""
    upos, xpos, feats = eq("upos"), eq("xpos"), eq("feats")
    return {
        "upos": WORD * upos,
        "xpos": WORD * xpos,
        "ufeats": WORD * feats,
        "all_tags": WORD * upos * xpos * feats,
        "lemmas": WORD * eq("lemma"),
        "uas": HEAD,
        "las": labelled,
    }


def _content_words(labelled: Similarity) -> dict[str, Similarity]:
    """Metric -> when a content word is right."""
    morphology = labelled * eq("upos") * eq("feats") * eq("functional")
    return {"clas": labelled, "mlas": morphology, "blex": labelled * eq("lemma")}


def gradings(preset: str = "ud", **options: Any) -> dict[str, Grading]:
    """Metric -> when a word is correct, and when it is at least the same word, for `Categories`.

    >>> sorted(gradings())
    ['clas', 'las', 'uas', 'upos']
    """
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    arcs = gradings_of(made, dict.fromkeys(("uas", "las", "clas"), WORD), "deprel" if preset == "paper" else "rel")
    return arcs | gradings_of(made, {"upos": WORD}, "upos")


TAGS = {"upos": "tag", "xpos": "tag", "ufeats": "features", "all_tags": "tags", "lemmas": "lemma"}


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of a text, word by word; metrics that count no words are shown by las."""
    from matchwise.tasks.errors import Graded, analyse_graded, name_kind

    name = metric if metric in ("uas", "las", "clas", *TAGS) else "las"
    kind = name_kind("gov", "rel", ("wrong relation", "wrong head", "wrong head and relation"))

    def wrong_tag(pred: Arc, ref: Arc) -> str:
        return f"wrong {TAGS[name]}"

    def say(pred: Any, ref: Any) -> tuple[Say, Say]:
        return (_in_words(_forms(pred), _forms(ref), name),) * 2

    grading, named = grading_of(suite, name, eq("dep")), wrong_tag if name in TAGS else kind
    return analyse_graded(Graded("words", grading, named, "missed word", "spurious word", say))


def _forms(document: Any) -> list[str]:
    try:
        return [form for one in sentences(document) for form in one.forms]
    except (TypeError, ValueError):  # a prediction that is missing
        return []


def _in_words(mine: list[str], theirs: list[str], metric: str) -> Callable[[Arc], str]:
    """Words by number: above 0 in the reference, below 0 in the prediction; 0 is the root."""

    def word(number: int) -> str:
        if not number:
            return "the root"
        forms, place = (theirs, number) if number > 0 else (mine, -number)
        return forms[place - 1] if place <= len(forms) and forms[place - 1] != "_" else f"word {number}"

    def say(arc: Arc) -> str:
        if metric in TAGS:
            tags = {"upos": arc.upos, "xpos": arc.xpos, "ufeats": arc.feats, "lemmas": arc.lemma}
            return f"{word(arc.dep)} {tags.get(metric, f'{arc.upos} {arc.xpos} {arc.feats}')}"
        return f"{word(arc.dep)} is {arc.deprel} of {word(arc.gov)}"

    return say


def view(suite: Suite, metric: str, pred: Any, ref: Any) -> View:
    """The words that are wrong, and the tree of the reference."""
    from matchwise.tasks.views import view_of_levels
    from matchwise.views.model import ViewLines

    [levels], value = errors(suite, metric)([pred], [ref]), score(suite.metrics[metric], pred, ref)
    arcs, expected = ({arc.dep: arc for arc in side.arcs} for side in suite.steps[0](pred, ref))
    trees, start = [], 0
    for number, one in enumerate(sentences(ref), start=1):
        lines = tuple(_lines(one, start, arcs, expected))
        if any(line.status != "right" for line in lines):
            trees.append(ViewLines(f"reference{f', sentence {number}' if number > 1 else ''}", lines))
        start += len(one.heads)
    return view_of_levels(levels, metric, value, drawn=trees)


def _lines(one: ParsedSentence, start: int, pred: dict[int, Arc], ref: dict[int, Arc]) -> list[ViewLine]:
    """A sentence as an indented tree, each word below its head."""
    from matchwise.views.model import Chunk, ViewLine

    below: dict[int, list[int]] = {}
    for place, head in enumerate(one.heads, start=1):
        below.setdefault(head, []).append(place)
    lines, waiting, seen = [], [(place, 0) for place in reversed(below.get(0, []))], set()
    while waiting:
        place, depth = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        mine, theirs = pred.get(start + place), ref[start + place]
        is_same = mine is not None and (mine.gov, mine.rel) == (theirs.gov, theirs.rel)
        text = f"{one.forms[place - 1]} {one.deprels[place - 1]}"
        lines.append(ViewLine((Chunk(text),), depth, "right" if is_same else "missed" if mine is None else "wrong"))
        waiting += [(child, depth + 1) for child in reversed(below.get(place, []))]
    return lines


TASK = Task(
    name="dependencies",
    title="dependency parsing: UAS, LAS, CLAS, MLAS, BLEX, ELAS, EULAS, and tokens, sentences, words, tags, lemmas",
    presets={
        "ud": (
            "udeval (udtools 0.2.9; CoNLL 2018 and IWPT 2020): words aligned by characters, relations without "
            "subtypes, 0/0 is 0; ELAS and EULAS count every pair of equal edges, so that EULAS can exceed 1."
        ),
        "paper": (
            "the equations of the paper: F1 over edges with the full relation, and the same over the edges of the "
            "enhanced graph, each counted once; any graph is scored, and 0/0 is 1."
        ),
    },
    suite=suite,
    options=(
        Option(
            "aligned",
            help="also the accuracy over aligned words, as udeval's AligndAcc: las_aligned, clas_aligned, …",
            type="boolean",
            default=False,
            presets=("ud",),
        ),
        Option(
            "trees",
            help="whether a sentence with a cycle, without a root or with two is an error, as in udeval",
            choices=("strict", "any"),
            default="strict (paper: any)",
        ),
        similarity_option(
            "relations",
            "arcs",
            "when two relations agree",
            default='eq("rel") (paper: eq("deprel"))',
            example='levels("deprel", separator=":")',
        ),
        Option(
            "enhancements",
            help="kinds of enhancements that are left out of both graphs, as in udeval --enhancements 12",
            takes="digits from 1 to 6, or 0",
            default="0",
        ),
    ),
    formats=("conllu",),
    references={
        **dict.fromkeys(("tokens", "sentences", "words"), ("zeman-2018",)),
        **dict.fromkeys(("upos", "xpos", "ufeats", "all_tags", "lemmas"), ("zeman-2018",)),
        **dict.fromkeys(("uas", "las"), ("buchholz-marsi-2006",)),
        "clas": ("nivre-fang-2017",),
        **dict.fromkeys(("mlas", "blex"), ("zeman-2018",)),
        **dict.fromkeys(("elas", "eulas"), ("bouma-2020",)),
    },
    example="matchwise score dependencies system.conllu -r gold.conllu",
    gradings=gradings,
    view=view,
    errors=errors,
    shown=("las",),
)
