"""What a task declares is checked by the declaration, and says what the task really does."""

from inspect import signature
from typing import Any, Literal

import pytest

import matchwise as mw
from matchwise import eq, f1
from matchwise.errors import ExpressionError
from matchwise.formats import find_format
from matchwise.tasks import TASKS as OURS
from matchwise.tasks import Option, cite, list_tasks, ner, read_bibliography, task

TASKS = [task(name) for name in list_tasks()]


@pytest.mark.parametrize("about", TASKS, ids=list_tasks())
def test_the_first_preset_is_the_one_that_the_suite_takes(about: mw.Task) -> None:
    assert signature(about.suite).parameters["preset"].default == about.default


@pytest.mark.parametrize("about", [about for about in TASKS if about.name != "templates"], ids=lambda about: about.name)
def test_the_options_are_the_keywords_of_the_suite(about: mw.Task) -> None:
    assert set(signature(about.suite).parameters) == {"preset", *(option.name for option in about.options)}


@pytest.mark.parametrize("about", TASKS, ids=list_tasks())
def test_presets_of_options_and_keys_of_references_exist(about: mw.Task) -> None:
    assert all(set(option.presets) <= set(about.presets) for option in about.options)
    assert {key for keys in about.references.values() for key in keys} <= set(read_bibliography())


def test_a_format_reads_the_files_of_the_options_that_name_it() -> None:
    named = [option for about in TASKS for option in about.options if option.format]
    assert {option.name for option in named} == {"adjudications", "facts", "tools"}
    assert all(callable(find_format(option.format).options[option.name]) for option in named)


def test_a_task_is_declared_under_its_own_name() -> None:
    assert [task(name).name for name in OURS] == sorted(OURS)


def test_every_entry_of_the_bibliography_is_cited_by_a_task() -> None:
    assert set(read_bibliography()) == {key for about in TASKS for keys in about.references.values() for key in keys}


def test_two_works_of_one_year_have_their_own_keys() -> None:
    assert "GRIT" in cite(task("roles").suite("grit"))
    assert "Template Filling with Generative Transformers" in cite(task("templates").suite("gtt"))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        (Option("top", help="", choices=("a", "bc")), "b", "top='b' is unknown; did you mean 'bc'?"),
        (Option("top", help="", choices=("a",)), 3, "top=3 is unknown; there are a"),
        (
            Option("m", help="", choices=("exact",), type="similarity", takes="a similarity of spans"),
            "x",
            "m='x' is unknown; there are exact, or a similarity of spans",
        ),
        (Option("m", help="", type="similarity", example="iou()"), "iou", "m='iou' is not a similarity; write m=iou()"),
        (Option("b", help="", type="boolean"), 1, "b=1 is unknown; write True or False"),
        (Option("n", help="", type="count", takes="a number of words"), 0, "n=0 is unknown; write a number of words"),
        (Option("n", help="", type="count", takes="a number of words"), True, "n=True is unknown; write a number"),
        (Option("p", help="", type="number", between=(1, 9), takes="1 to 9"), 9.5, "p=9.5 is unknown; write 1 to 9"),
        (Option("w", help="", type="words"), [1], 'w=[1] is not a list of words; write w="one,two"'),
        (Option("h", help="", type="mapping", example="{1: 2}"), "x", "h='x' is not a dictionary; write h={1: 2}"),
    ],
)
def test_an_option_refuses_what_it_cannot_be(option: Option, value: object, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        option.check(value)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (Option("top", help="", choices=("a", "b")), "b"),
        (Option("m", help="", choices=("exact",), type="similarity"), eq()),
        (Option("b", help="", type="boolean"), False),
        (Option("n", help="", type="count"), 1),
        (Option("p", help="", type="number", between=(1, 9)), 9),
        (Option("w", help="", type="words"), ("one", "two")),
        (Option("h", help="", type="mapping"), {}),
        (Option("x", help="", takes="anything that the suite reads"), object()),
    ],
)
def test_an_option_takes_what_it_may_be(option: Option, value: object) -> None:
    option.check(value)


def test_an_option_is_read_off_the_signature_of_the_suite() -> None:
    def suite(
        preset: str = "plain", *, order: Literal["a", "b"] = "b", deep: bool | None = None, **more: Any
    ) -> mw.Suite:
        return mw.Suite(f1=f1("steps"))

    options = (Option("order", "which order"), Option("deep", "how deep"), Option("other", "anything"))
    order, deep, other = mw.Task(name="x", title="", presets={"plain": ""}, suite=suite, options=options).options
    assert (order.choices, order.default) == (("a", "b"), "b")
    assert (deep.type, deep.default, deep.choices) == ("boolean", None, ())
    assert other == options[2]


@pytest.mark.parametrize("preset", [None, ["strict"], "z"])
def test_a_preset_that_the_task_does_not_have_is_refused(preset: object) -> None:
    with pytest.raises(ExpressionError) as found:
        task("sets").check(preset)
    assert str(found.value) == f"sets has no preset {preset!r}; there are {', '.join(sorted(task('sets').presets))}"


def test_a_default_counts_as_left_out_under_a_preset_without_the_option() -> None:
    task("ner").check("optimal", percent=1.0, by_type=False, only=None)
    with pytest.raises(ExpressionError, match="percent= belongs to nervaluate, not to optimal; leave it out"):
        task("ner").check("optimal", percent=2)


def test_zero_is_not_false() -> None:
    with pytest.raises(ExpressionError, match=r"^suffix=0 is unknown; write True or False$"):
        ner.suite(suffix=0)  # type: ignore[arg-type]
