"""Role fillers: the equations, the minimal disagreements with GRIT, the forms of documents, hierarchical roles."""

import pytest

from matchwise import align, iou, levels, supertypes
from matchwise.corpus.categories import Categories
from matchwise.corpus.counts import Counts
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.runners.runner import evaluate
from matchwise.tasks import roles
from matchwise.tasks.events import event
from matchwise.tasks.ner import Extraction
from matchwise.tasks.roles import (
    NAryRelation,
    RoleEntity,
    RoleFiller,
    SlotFiller,
    Template,
    TemplateSet,
    fillers,
    squad,
)
from matchwise.tasks.roles.fillers import squad_filler


def f1(pred: object, ref: object, preset: str = "paper", **options: object) -> dict[str, float]:
    report = evaluate(roles.suite(preset, **options), [pred], [ref])  # type: ignore[arg-type]
    return {name: report[name].f1 for name in report}


def test_ceaf_ree_gives_nothing_for_one_wrong_mention_and_phi3_and_phi4_do() -> None:
    pred, ref = {"Target": [["bank", "branch", "van"]]}, {"Target": [["bank", "branch"]]}
    assert f1(pred, ref) == {"ceaf_ree": 0.0, "phi3": 0.8, "phi4": 0.8}


def test_ceaf_ree_gives_all_for_one_mention_of_many_and_phi4_does_not() -> None:
    pred, ref = {"Target": [["bank"]]}, {"Target": [["bank", "branch", "office"]]}
    assert f1(pred, ref) == {"ceaf_ree": 1.0, "phi3": 0.5, "phi4": 0.5}


def test_an_entity_in_the_wrong_role_gets_nothing() -> None:
    assert set(f1({"Victim": [["bank"]]}, {"Target": [["bank"]]}).values()) == {0.0}


def test_one_entity_split_in_two_is_right_once() -> None:
    report = evaluate(roles.suite(), [{"Target": [["bank"], ["branch"]]}], [{"Target": [["bank", "branch"]]}])
    assert (report["ceaf_ree"].precision, report["ceaf_ree"].recall) == (0.5, 1.0)


def test_31_an_entity_that_is_predicted_twice_counts_twice_unless_duplicates_are_dropped() -> None:
    pred, ref = {"r": [["b"], ["b"]]}, {"r": [["b"]]}
    assert f1(pred, ref)["ceaf_ree"] == f1(pred, ref, "grit")["ceaf_ree"] == pytest.approx(2 / 3, abs=1e-12)
    assert f1(pred, ref, duplicates="drop")["ceaf_ree"] == 1.0


def test_32_an_entity_without_mentions_is_right_in_grit_and_nothing_in_the_paper() -> None:
    pred, ref = {"r": [[]]}, {"r": [["b"]]}
    assert f1(pred, ref, "grit") == {"ceaf_ree": 1.0, "proportional": 1.0}  # GRIT's own proportional score fails here
    assert f1(pred, ref)["ceaf_ree"] == 0.0


def test_32_an_entity_without_mentions_takes_the_place_of_no_better_one_in_grit() -> None:
    report = evaluate(roles.suite("grit"), [{"r": [[], ["b"]]}], [{"r": [["b"]]}])
    assert (report["ceaf_ree"].precision, report["ceaf_ree"].recall) == (0.5, 1.0)


def test_33_grit_does_not_see_predictions_in_roles_that_the_reference_does_not_list() -> None:
    pred, ref = {"r": [["b"]], "s": [["c"]]}, {"r": [["b"]]}
    report = {preset: evaluate(roles.suite(preset), [pred], [ref])["ceaf_ree"] for preset in ("grit", "paper")}
    assert (report["grit"].precision, report["paper"].precision) == (1.0, 0.5)


def test_grit_sees_predictions_in_roles_that_the_reference_lists_as_empty() -> None:
    report = evaluate(roles.suite("grit"), [{"r": [["b"]], "s": [["c"]]}], [{"r": [["b"]], "s": []}])
    assert report["ceaf_ree"].precision == 0.5


def test_grit_compares_normalised_strings_and_the_paper_strings_as_they_are() -> None:
    pred, ref = {"r": [["The Harbour-Bank"]]}, {"r": [["harbourbank"]]}
    assert f1(pred, ref, "grit")["ceaf_ree"] == f1(pred, ref, strings="squad")["ceaf_ree"] == 1.0
    assert f1(pred, ref)["ceaf_ree"] == 0.0


def test_the_proportional_score_divides_by_the_length_of_the_predicted_list() -> None:
    # eval.py at d8212bc: eval_ceaf({"1": {"Victim": [["The car", "CAR."]]}}, {"1": {"Victim": [["car"]]}})
    # has prop p = r = 0.5 and strict p = r = 1.0.
    assert f1({"Victim": [["The car", "CAR."]]}, {"Victim": [["car"]]}, "grit") == {
        "ceaf_ree": 1.0,
        "proportional": 0.5,
    }


def test_a_mention_that_a_reference_repeats_counts_once_in_the_proportional_score() -> None:
    assert f1({"r": [["car", "bus"]]}, {"r": [["the car", "car"]]}, "grit")["proportional"] == 0.5


def test_the_proportional_score_is_the_share_of_predicted_mentions_that_are_right() -> None:
    assert f1({"r": [["b", "c", "x"]]}, {"r": [["b", "c"]]}, "grit")["proportional"] == pytest.approx(2 / 3, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  The   Man ", "man"),
        ('"U.S." troops', "us troops"),
        ("an a the", ""),
        ("theatre", "theatre"),
        ("ÉLITE «x»", "élite «x»"),
    ],
)
def test_strings_are_normalised_as_squad_does(text: str, expected: str) -> None:
    assert squad(text) == expected


ONE = [RoleFiller("PerpInd", RoleEntity(("guerrillas", "rebels"))), RoleFiller("Weapon", RoleEntity(("bomb",)))]


@pytest.mark.parametrize(
    "document",
    [
        ONE,
        NAryRelation("attack", tuple(ONE)),
        [("PerpInd", ["guerrillas", "rebels"]), ("Weapon", "bomb")],
        {"PerpInd": [["guerrillas", "rebels"]], "Weapon": ["bomb"], "Victim": None},
        {"id": [["7"]], "PerpInd": [["guerrillas", "rebels"]], "Weapon": ["bomb"]},
        {"id": 7, "roles": {"PerpInd": [["guerrillas", "rebels"]], "Weapon": [["bomb"]]}, "text": "…"},
        {"args": [{"role": "PerpInd", "mentions": ["guerrillas", "rebels"]}, {"role": "Weapon", "entity": ["bomb"]}]},
        {"templates": [{"incident_type": "attack", "PerpInd": [["guerrillas", "rebels"]], "Weapon": [["bomb"]]}]},
        TemplateSet((Template("attack", tuple(SlotFiller(one.role, one.entity) for one in ONE)),)),
    ],
    ids=[
        "fillers",
        "relation",
        "tuples",
        "roles",
        "roles with an id",
        "nested roles",
        "args",
        "templates",
        "TemplateSet",
    ],
)
def test_documents_come_in_many_forms(document: object) -> None:
    assert [(one.role, one.entity.mentions) for one in fillers(document)] == [
        ("PerpInd", ("guerrillas", "rebels")),
        ("Weapon", ("bomb",)),
    ]


def test_what_fills_a_role_of_two_templates_is_one_filler() -> None:
    document = {"templates": [{"type": "attack", "r": [["b"]]}, {"type": "bombing", "r": [["b"], ["c"]]}]}
    assert [one.entity.mentions for one in fillers(document)] == [("b",), ("c",)]


def test_slots_that_hold_no_entity_are_no_roles() -> None:
    template = Template("attack", (SlotFiller("completed", True), SlotFiller("r", RoleEntity(("b",)))))
    assert [one.role for one in fillers(template)] == ["r"]


def test_the_arguments_of_events_are_fillers_with_all_mentions_of_their_entity() -> None:
    attack = event({"type": "Attack", "trigger": [3, 4], "args": [(0, 1, "Agent"), (7, 8, "Place")]})
    document = Extraction(events=(attack,), entities=(((0, 1), "e1"), ((5, 6), "e1")))
    assert [(one.role, one.entity.mentions) for one in fillers(document)] == [
        ("Agent", ((0, 1), (5, 6))),
        ("Place", ((7, 8),)),
    ]


def test_hierarchical_roles_get_partial_credit_by_one_option() -> None:
    pred, ref = {"Attacker.Person": [["b"]]}, {"Attacker.Group": [["b"]]}
    assert f1(pred, ref, types=levels("role"))["ceaf_ree"] == 0.5
    assert f1(pred, ref)["ceaf_ree"] == 0.0


def test_hierarchical_roles_by_the_f1_of_their_supertypes() -> None:
    pred, ref = {"bomber": [["b"]]}, {"attacker": [["b"]]}
    assert f1(pred, ref, types=supertypes({"bomber": "attacker"}, "role"))["phi4"] == pytest.approx(2 / 3, abs=1e-12)


def test_hierarchical_roles_work_under_grit() -> None:
    assert f1({"x.y": [["b"]], "x.z": []}, {"x.y": [], "x.z": [["b"]]}, "grit", types=levels("role")) == {
        "ceaf_ree": 0.5,
        "proportional": 0.5,
    }


def test_mentions_may_be_spans_that_are_partly_right() -> None:
    pred, ref = {"r": [[[0, 2]]]}, {"r": [[[0, 4]]]}
    assert f1(pred, ref, mentions=iou())["phi4"] == 0.5


def test_a_table_by_role_adds_up() -> None:
    pred, ref = {"r": [["b"]], "s": [["c"]]}, {"r": [["b"]], "s": [["d"], ["e"]]}
    by = Tally(roles.suite(), by="role").add(pred, ref).report().by
    assert {role: by[role]["ceaf_ree"].counts for role in by} == {
        "r": Counts(1, 1, 1),
        "s": Counts(0, 1, 2),
    }


def test_errors_are_missed_spurious_and_incorrect_fillers() -> None:
    pred, ref = {"r": [["b", "x"], ["y"]]}, {"r": [["b"]], "s": [["z"]]}
    found = Categories(roles.gradings()["ceaf_ree"]).add(pred, ref).total()
    assert found == {"correct": 0, "incorrect": 1, "partial": 0, "missed": 1, "spurious": 1}


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"r": "bank"}, r"r: expected a list of entities"),
        ({"r": [[None]]}, r"expected a mention such as"),
        ([("r",)], r"expected a filler such as"),
        (7, r"expected role fillers"),
    ],
)
def test_what_is_no_filler_is_named(document: object, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        f1(document, {})


@pytest.mark.parametrize("options", [{"preset": "grit"}, {"strings": "squad"}], ids=["grit", "squad"])
def test_a_step_before_scoring_names_the_side_that_is_wrong(options: dict[str, str]) -> None:
    with pytest.raises(DataError, match="expected a list of entities") as caught:
        f1({}, {"r": "bank"}, **options)  # type: ignore[arg-type]
    assert caught.value.side == "reference"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"preset": "girt"}, "did you mean 'grit'"),
        ({"strings": "lower"}, "strings='lower' is unknown; there are exact, squad"),
        ({"duplicates": "keep"}, "duplicates='keep' is unknown; there are count, drop"),
        ({"preset": "grit", "strings": "squad"}, "strings= belongs to paper, not to grit"),
    ],
)
def test_an_unknown_option_is_an_error(options: dict[str, str], problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        roles.suite(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pred", "ref", "said"),
    [(["bomb"], ["bomb", "device"], "wrong role "), (["bomb", "device"], ["bomb"], "wrong role and mention ")],
)
def test_a_filler_in_another_role_is_right_but_for_that_if_the_reference_has_its_mentions(
    pred: list[str], ref: list[str], said: str
) -> None:
    assert f"≠ {said}" in str(align(roles.suite()["ceaf_ree"], {"A": [pred]}, {"B": [ref]}))


def test_fillers_of_roles_that_the_reference_does_not_list_are_named() -> None:
    [step] = roles.suite("grit").steps
    found = step.left_out({"Victim": [["x"]], "Weapon": [["y"]]}, {"Victim": [["x"]]})
    assert [one.kind for one in found] == ["filler of the role 'Weapon', which the reference does not list, left out"]


def test_the_marks_of_a_relation_are_there_once() -> None:
    one = RoleEntity(((0, 2), (4, 5), "text"))
    made = NAryRelation("result", (RoleFiller("Task", one), RoleFiller("Task", one), RoleFiller("Method", one)))
    assert made.marks() == ((0, 2, "Task"), (4, 5, "Task"), (0, 2, "Method"), (4, 5, "Method"))


def test_a_filler_with_normalised_strings_keeps_its_type_and_its_name() -> None:
    one = RoleFiller("Agent", RoleEntity(("The Mayor", (0, 2)), "PER", "e1"))
    assert squad_filler(one) == RoleFiller("Agent", RoleEntity(("mayor", (0, 2)), "PER", "e1"))
