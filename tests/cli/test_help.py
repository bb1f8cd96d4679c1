"""What `--help` says and costs, and how mistakes are met before anything runs."""

import subprocess
import sys
from pathlib import Path

import pytest

import matchwise
from matchwise.cli.parser import COMMANDS, GROUPS, command_parser

HEAVY = ("msgspec", "numpy", "pydantic", "rapidfuzz", "rich", "scipy")
PAGES = Path(__file__).parents[2] / "docs" / "commands"


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize("argv", [[], ["--help"], ["--version"], ["scor"]])
def test_help_imports_nothing_heavy(argv) -> None:
    code = f"import sys; from matchwise.cli import main; main({argv}); print(sorted(set(sys.modules) & set({HEAVY})))"
    assert python(code) == "[]"


def test_help_imports_no_command() -> None:
    code = "import sys; from matchwise.cli import main; main(['--help']); "
    code += "print(sorted(name for name in sys.modules if name.startswith('matchwise')))"
    assert python(code) == str(["matchwise", "matchwise._version", "matchwise.cli", "matchwise.cli.parser"])


def test_a_command_imports_no_other_command() -> None:
    code = "import sys; from matchwise.cli import main; main(['tasks', '--help']); "
    code += "print(sorted(name for name in sys.modules if name.startswith('matchwise.cli.commands.')))"
    assert python(code) == str(["matchwise.cli.commands.tasks"])


def test_the_main_help_lists_the_commands_in_groups(run) -> None:
    blocks = run("--help").out.split("\n\n")
    assert [block.split(":")[0] for block in blocks if block.split(":")[0] in GROUPS] == list(GROUPS)
    assert "\n  compare      compare systems: is one of them really better?\n" in run("--help").out


def test_each_command_is_a_module_and_each_module_a_command() -> None:
    folder = Path(matchwise.__file__).parent / "cli" / "commands"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_in_its_help(name, run) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert f"examples:\n  matchwise {name}" in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page_and_a_line_in_the_list(name) -> None:
    assert f"# matchwise {name}" in (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert f"\n| [{name}](commands/{name}.md) | " in (PAGES.parent / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_on_its_page(name) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    shared = (PAGES.parent / "cli.md").read_text(encoding="utf-8")
    known = command_parser(name)._option_string_actions
    options = [word for word in known if word.startswith("--") and word != "--help"]
    assert [word for word in options if f"`{word}" not in page + shared] == []


def test_the_version_is_printed(run) -> None:
    assert run("--version").out == f"matchwise {matchwise.__version__}\n"


def test_a_mistyped_command_gets_a_suggestion(run) -> None:
    ran = run("scor")
    assert ran == (2, "", "matchwise: error: no command 'scor'; did you mean 'score'?\nsee matchwise --help\n")


def test_a_mistyped_option_gets_a_suggestion_even_if_others_are_missing(run) -> None:
    ran = run("score", "coref", "--presset", "x")
    assert ran.code == 2
    assert ran.err.startswith("matchwise score: error: unknown option '--presset'; did you mean '--preset'?")


def test_options_are_not_abbreviated(run) -> None:
    assert run("score", "coref", "a", "--re", "b").code == 2


def test_no_command_prints_the_help(run) -> None:
    ran = run()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("usage: matchwise [-h] [--version] COMMAND ...")
    assert all(command in ran.out.split() for command in COMMANDS)


def test_an_option_without_a_command_is_a_usage_error_that_names_the_commands(run) -> None:
    ran = run("-q")
    assert ran.code == 2
    assert f"expected a command: {', '.join(COMMANDS)}" in ran.err


def test_a_mistyped_task_gets_a_suggestion(run) -> None:
    ran = run("score", "corf", "a.conll", "-r", "b.conll")
    assert ran.code == 2
    assert "no task 'corf'; did you mean 'coref'?" in ran.err


def test_a_mistyped_preset_gets_a_suggestion(run, system, gold) -> None:
    ran = run("score", "coref", system, "-r", gold, "--preset", "conll2012")
    assert ran.code == 2
    assert "coref has no preset 'conll2012'; did you mean 'conll12'?" in ran.err


def test_a_mistyped_task_option_gets_a_suggestion(run, system, gold) -> None:
    ran = run("score", "coref", system, "-r", gold, "--option", "singleton=keep")
    assert ran.code == 2
    assert "coref has no option 'singleton'; did you mean 'singletons'?" in ran.err


def test_jobs_must_be_a_positive_number(run, system, gold) -> None:
    ran = run("score", "--metric", "eq()", system, "-r", gold, "--jobs", "0")
    assert ran.code == 2
    assert "'0' is not a whole number from 1" in ran.err


def test_python_dash_m_runs_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "matchwise", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"matchwise {matchwise.__version__}\n", "")


def test_a_reader_that_goes_away_is_no_traceback(system, gold) -> None:
    command = f'"{sys.executable}" -m matchwise plan --metric \'f1("xs")\' | true'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("word", "command"), [("presets", "tasks"), ("diff", "compare"), ("eval", "score")])
def test_a_word_for_a_command_of_another_name_is_understood(run, word, command) -> None:
    ran = run(word, "x")
    assert (ran.code, ran.err) == (
        2,
        f"matchwise: error: no command {word!r}; did you mean {command!r}?\nsee matchwise --help\n",
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_described_in_one_sentence(name) -> None:
    description = command_parser(name).description
    assert description.endswith((".", "?"))
    assert not description.endswith("?.")


CHOICES = [
    (name, action.option_strings[-1])
    for name in COMMANDS
    for action in command_parser(name)._actions
    if action.option_strings and action.choices
]


@pytest.mark.parametrize(("name", "option"), CHOICES)
def test_a_word_that_is_no_choice_is_refused_with_the_choices(name, option, run) -> None:
    ran = run(name, "x", option, "nothing")
    assert ran.code == 2
    assert f"{option}: invalid choice: 'nothing' (choose from " in ran.err


NUMBERS = [
    (name, option)
    for name in COMMANDS
    for option in command_parser(name)._option_string_actions
    if option in ("--digits", "--level", "--resamples", "--seed", "--jobs", "--timeout", "--max-errors", "--worst",
                  "--alpha", "--bins", "--points", "--beta", "--at", "--similarities", "--threshold", "-k", "--pairs",
                  "--view", "--time-limit", "--gap", "--fail-missing", "--fail-unreadable")
    and (name, option) != ("compare", "--pairs")
]  # fmt: skip


@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_what_is_no_number_is_refused_by_name(name, option, run) -> None:
    ran = run(name, "x", option, "many")
    assert ran.code == 2
    assert f"argument {option}: " in ran.err
    assert "'many'" in ran.err
