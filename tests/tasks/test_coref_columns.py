"""Documents as they are read from files hold columns: they are equal to documents of objects, and score the same."""

import copy
import pickle
from dataclasses import asdict, dataclass, replace
from io import StringIO
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise import close, eq, f1, jaccard
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.tally import Tally
from matchwise.engine.many.frame import Frame, run
from matchwise.formats import conll2012
from matchwise.runners.runner import evaluate
from matchwise.tasks.coref import EntitySet, from_clusters, suite
from matchwise.tasks.coref.entities import all_mentions

Clusters = list[list[tuple[int, int]]]
LENGTH = 12


def write(clusters: Clusters, name: str) -> str:
    """A document in CoNLL-2012; a mention that ends first is listed first."""
    cells: list[list[str]] = [[] for _ in range(LENGTH)]
    for number, cluster in enumerate(clusters):
        for left, right in sorted(cluster, key=lambda one: (one[0], -one[1])):
            cells[left].append(f"({number}" if right > left + 1 else f"({number})")
        for left, right in cluster:
            if right > left + 1:
                cells[right - 1].append(f"{number})")
    rows = [f"{name} 0 {at} w{at} NN {'|'.join(cell) or '-'}" for at, cell in enumerate(cells)]
    return "\n".join([f"#begin document ({name}); part 000", *rows, "#end document", ""])


def read(documents: list[Clusters]) -> list[EntitySet]:
    return list(conll2012.read(StringIO("".join(write(one, f"d{at}") for at, one in enumerate(documents)))))


def random_clusters(random: Random) -> Clusters:
    """Entities that share no span; mentions of one entity may be nested, those of two may cross."""
    spans = [(left, right) for left in range(LENGTH) for right in range(left + 1, min(left + 4, LENGTH + 1))]
    found: Clusters = [[] for _ in range(random.randint(1, 4))]
    for span in random.sample(spans, random.randint(0, 12)):
        cluster = random.choice(found)
        if not any(_cross(span, other) or _cross(other, span) for other in cluster):
            cluster.append(span)
    return [cluster for cluster in found if cluster]


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[0] < one[1] < other[1]


def as_objects(document: EntitySet) -> EntitySet:
    return EntitySet(document.entities, document.id, document.text, document.file, column=document.column)


@pytest.mark.parametrize("preset", ["conll12", "e2e", "paper", "corefud"])
@pytest.mark.parametrize("number", [1, 2, 40])
def test_columns_score_as_objects_do(preset: str, number: int) -> None:
    random = Random(number)
    preds, refs = ([random_clusters(random) for _ in range(number)] for _ in range(2))
    metrics = suite(preset, mentions="exact")
    objects = Tally(metrics).update([*map(as_objects, read(preds))], [*map(as_objects, read(refs))])
    assert Tally(metrics).update(read(preds), read(refs)) == objects
    mixed = [document if at % 2 else as_objects(document) for at, document in enumerate(read(preds))]
    assert Tally(metrics).update(mixed, read(refs)) == objects


def test_frames_of_columns_make_the_same_objects() -> None:
    random = Random(3)
    documents = read([random_clusters(random) for _ in range(8)])
    expected = [entity for document in read([*map(_clusters, documents)]) for entity in document.entities]
    fresh = read([*map(_clusters, documents)])

    def look(side: Frame, _: Frame) -> None:
        entities = side.flat(("entities",)).frame
        assert entities.items == expected
        assert [entity.id for entity in entities.items] == [entity.id for entity in expected]
        assert [list(entity.lines) for entity in entities.items] == [list(entity.lines) for entity in expected]
        mentions = [mention for entity in expected for mention in entity.mentions]
        assert side.flat((all_mentions,)).frame.items == entities.flat(("mentions",)).frame.items == mentions
        assert entities.take([1, 2]).items == expected[1:3]

    run(look, fresh, fresh)


def _clusters(document: EntitySet) -> Clusters:
    return [[mention[:2] for mention in entity.mentions] for entity in document.entities]


@given(st.randoms(use_true_random=False))
def test_what_was_written_is_read(random: Random) -> None:
    clusters = random_clusters(random)
    [document] = read([clusters])
    ordered = [sorted(cluster, key=lambda one: (one[1], -one[0])) for cluster in clusters]
    assert sorted(_clusters(document)) == sorted(ordered)


def test_a_document_that_was_read_equals_one_that_was_made() -> None:
    [document] = read([[[(0, 1), (4, 6)]]])
    made = from_clusters([[(0, 1), (4, 6)]])
    assert document == made
    assert hash(document) == hash(made)
    assert repr(document) == repr(replace(made, id="d0; part 000", text=document.text))


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_keep_everything(twin: object) -> None:
    for change in (lambda one: one, as_objects):
        document = change(read([[[(0, 1), (4, 6)]]])[0])
        copied = twin(document)  # type: ignore[operator]
        assert copied == document
        assert (copied.id, copied.words, copied.file) == (document.id, document.words, document.file)
        assert list(copied.entities[0].lines) == [2, 6]


def test_a_changed_document_forgets_what_was_read() -> None:
    [document] = read([[[(0, 1), (4, 6)]]])
    changed = replace(document, entities=from_clusters([[(2, 3)]]).entities)
    report = Tally(suite()).update([changed] * 2, [from_clusters([[(2, 3)]])] * 2).report()
    assert report["mentions"].f1 == 1


def test_an_attribute_that_a_document_does_not_have_is_named() -> None:
    for document in (*read([[[(0, 1)]]]), from_clusters([])):
        with pytest.raises(AttributeError, match="'EntitySet' object has no attribute 'sentences'"):
            document.sentences  # type: ignore[attr-defined]  # noqa: B018


@dataclass(frozen=True)
class Noted(EntitySet):
    note: str = ""


def test_what_entities_are_made_of_is_no_field() -> None:
    [one] = read([[[(0, 1)]]])
    made = {"mentions": ((0, 1, None, (), (), ()),), "id": "0"}
    [entity] = asdict(one)["entities"]
    assert list(asdict(one)) == ["entities", "id", "text", "file", "zeros", "column"]
    assert {name: entity[name] for name in made} == made


def test_a_class_of_ones_own_is_copied_and_pickled_as_it_is() -> None:
    one = Noted(from_clusters([[(0, 1)]]).entities, "d", zeros=(3,), note="seen")
    for made in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert made == one
        assert (type(made), made.id, made.zeros, made.note) == (Noted, "d", (3,), "seen")


@pytest.mark.parametrize("number", [3, 200])
@pytest.mark.parametrize(
    ("metric", "by"),
    [
        (f1(all_mentions, eq("left")), "left"),
        (f1(all_mentions, close("left", abs=1) * close("right", abs=1)), None),
        (f1("entities", eq("id")), "id"),
        (f1("entities", eq("mentions")), None),
        (f1("entities", jaccard("mentions", close("left", abs=2))), None),
    ],
)
def test_metrics_of_ones_own_score_columns_as_objects(metric: Similarity, by: str | None, number: int) -> None:
    random = Random(5)
    preds, refs = (read([random_clusters(random) for _ in range(number)]) for _ in range(2))
    expected = evaluate(metric, list(map(as_objects, preds)), list(map(as_objects, refs)), by=by)
    assert str(evaluate(metric, preds, refs, by=by)) == str(expected)
    assert str(evaluate(metric, list(map(as_objects, preds)), refs, by=by)) == str(expected)


@pytest.mark.parametrize("number", [3, 200])
def test_columns_are_compared_with_nothing(number: int) -> None:
    random = Random(6)
    refs, empty = read([random_clusters(random) for _ in range(number)]), [EntitySet(())] * number
    for preset in (None, "conll12"):
        rules = suite(preset) if preset else suite()
        assert str(evaluate(rules, empty, refs)) == str(evaluate(rules, empty, list(map(as_objects, refs))))
        assert str(evaluate(rules, refs, empty)) == str(evaluate(rules, list(map(as_objects, refs)), empty))
