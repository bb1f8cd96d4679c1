"""An entity is a set of mentions: one that it has twice counts once, whatever it is read from."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from matchwise.corpus.tally import Tally
from matchwise.formats import grit, gtt, iterx, jsonl
from matchwise.formats import templates as template_lines
from matchwise.tasks import nary, role_mentions, roles, templates
from matchwise.tasks.ner.mentions import span
from matchwise.tasks.roles import RoleEntity, SlotFiller, Template, TemplateSet

Source = Callable[[list[str]], Any]


def _first(module: Any, value: Any, *options: str) -> Any:
    [one] = module.read(StringIO(json.dumps(value)), *options)
    return one


SOURCES: dict[str, Source] = {
    "classes": lambda names: TemplateSet((Template("t", (SlotFiller("Victim", RoleEntity(tuple(names))),)),)),
    "dictionaries": lambda names: {"templates": [{"type": "t", "Victim": [names]}]},
    "iterx": lambda names: _first(iterx, {"d": [{"incident_type": "t", "Victim": [names]}]}),
    "gtt": lambda names: _first(gtt, {"docid": "d", "templates": [{"incident_type": "t", "Victim": [names]}]}),
    "gtt with places": lambda names: _first(
        gtt, {"docid": "d", "templates": [{"incident_type": "t", "Victim": [[[m, n] for n, m in enumerate(names)]]}]}
    ),
    "templates": lambda names: _first(template_lines, {"id": "d", "templates": [{"type": "t", "Victim": [names]}]}),
}


def counts(suite: Any, metric: str, pred: Any, ref: Any) -> tuple[Any, ...]:
    found = Tally(suite).add(pred, ref).report()[metric].counts
    return found.matched, found.predicted, found.reference


@pytest.mark.parametrize("source", SOURCES)
def test_a_mention_that_an_entity_has_twice_counts_once_under_phi_3(source: str) -> None:
    pred, ref = SOURCES[source](["ana", "ana", "paz"]), SOURCES[source](["ana", "paz", "paz", "rojas"])
    for suite, metric in (
        (roles.suite(), "phi3"),
        (role_mentions.suite(), "phi3"),
        (role_mentions.suite("coverage"), "phi3"),
        (templates.suite(), "rme_phi3"),
    ):
        assert counts(suite, metric, pred, ref) == (2, 2, 3)


@pytest.mark.parametrize("source", SOURCES)
def test_phi_4_is_the_f1_of_sets(source: str) -> None:
    pred, ref = SOURCES[source](["ana", "ana", "paz"]), SOURCES[source](["ana", "paz", "rojas"])
    assert counts(roles.suite(), "phi4", pred, ref) == (pytest.approx(0.8, abs=1e-12), 1, 1)


@pytest.mark.parametrize("source", SOURCES)
def test_iterx_counts_the_mentions_of_lists(source: str) -> None:
    """Its phi3_for_clusters_rme counts the predicted mentions that the reference has, and the lengths of lists."""
    pred, ref = SOURCES[source](["ana", "ana", "paz"]), SOURCES[source](["ana", "paz", "paz", "rojas"])
    assert counts(role_mentions.suite("iterx"), "phi3", pred, ref) == (3, 3, 4)
    assert counts(templates.suite("iterx"), "rme_phi3", pred, ref) == (3, 3, 4)


def test_role_fillers_of_files_have_sets_of_mentions() -> None:
    read = _first(grit, {"docid": "d", "extracts": {"Victim": [[["ana", 0], ["ana", 7], ["paz", 9]]]}})
    assert counts(roles.suite(), "phi3", read, read) == (2, 2, 2)
    lines = list(jsonl.read([b'{"roles": {"Victim": [["ana", "ana", "paz"]]}}']))
    assert counts(roles.suite(), "phi3", *lines, *lines) == (2, 2, 2)


@pytest.mark.parametrize("suite", [roles.suite(strings="squad"), role_mentions.suite(strings="squad")])
def test_strings_that_become_equal_are_one_mention(suite: Any) -> None:
    pred, ref = {"Victim": [["the mayor", "mayor", "she"]]}, {"Victim": [["mayor", "she"]]}
    assert counts(suite, "phi3", pred, ref) == (2, 2, 2)


def test_an_entity_of_a_relation_is_a_set_of_mentions() -> None:
    """One of its two mentions is right, which is not more than half."""
    ref = [("result", {"Task": [[0, 2], [8, 9]]})]
    pred = [("result", {"Task": [[0, 2], [0, 2], [5, 6]]})]
    assert counts(nary.suite(), "entities", pred, ref) == (0, 1, 1)
    assert counts(nary.suite(), "relations", pred, ref) == (0, 1, 1)


def test_entities_are_equal_as_sets_are_and_keep_what_was_given() -> None:
    twice = RoleEntity(("ana", "paz", "ana"))
    assert twice == RoleEntity(("ana", "paz"))
    assert (twice.given, RoleEntity(("ana",)).given) == (("ana", "paz", "ana"), ("ana",))


def test_spans_that_are_lists_may_be_repeated_too() -> None:
    assert RoleEntity(([0, 2], [0, 2], [5, 6])).mentions == ([0, 2], [5, 6])  # type: ignore[arg-type]  # as a user may


def test_a_piece_inside_of_another_adds_nothing() -> None:
    assert span((0, 5), (1, 3)) == (0, 5)
