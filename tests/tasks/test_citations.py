"""What to cite for a suite."""

import pytest

from matchwise import Suite, cite, f1
from matchwise.errors import ExpressionError, MatchwiseError
from matchwise.tasks import amr, coref, list_references, list_tasks, read_bibliography, task

PRESETS = [(name, preset) for name in list_tasks() for preset in task(name).presets]


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_every_reference_of_every_preset_has_an_entry(name: str, preset: str) -> None:
    try:
        suite = task(name).suite(preset=preset)
    except MatchwiseError:
        return  # needs options of its own
    assert all(
        entry.startswith("@") and entry.endswith("}") for some in list_references(suite).values() for entry in some
    )


def test_coreference_of_documents_in_amr_cites_its_own_paper() -> None:
    assert "naseem" in "".join(list_references(amr.suite(document=True))["coreference"])
    assert "naseem" not in cite(amr.suite())


def test_an_entry_is_cited_once() -> None:
    assert cite(coref.suite()).count("vilain-etal-1995") == 1


def test_a_metric_of_ones_own_cites_the_paper_of_the_equations() -> None:
    assert cite(f1("xs")).startswith("@inproceedings{chen-etal-2023-unified,")


def test_bibtex_can_be_given_with_a_suite() -> None:
    entry = "@misc{me, title = {Mine}}"
    assert cite(Suite({"score": f1("xs")}, references={"score": (entry,)})) == entry


def test_an_unknown_key_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(ExpressionError, match="no task has a reference 'vilain-etal-1995-modle'; did you mean"):
        cite(Suite({"score": f1("xs")}, references={"score": ("vilain-etal-1995-modle",)}))


def test_the_key_of_an_entry_is_that_of_the_bibliography() -> None:
    assert all(f"{{{key}," in entry.splitlines()[0].replace(" ", "") for key, entry in read_bibliography().items())
