"""The parser of the command line, its commands and their help. Imports argparse and nothing else that takes time."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import NoReturn, Protocol

from matchwise.cli import analyses, options
from matchwise.cli.options import choice, count, flag, positive, several, value

DESCRIPTION = """\
Score structured predictions against a reference: entities, coreference, parses, graphs, and JSON of any kind.

  matchwise tasks                                  # what can be scored
  matchwise score ner run.conll -r gold.conll      # entities, as one of the tasks
  matchwise score --type models.py:Invoice run.jsonl -r gold.jsonl     # JSON, by its type
  matchwise score --metric 'f1("relations")' run.jsonl -r gold.jsonl   # a metric of your own
"""

EXITS = (
    "exit codes: 0 done, 1 a gate failed, 2 wrong usage, 3 bad data, 4 done, but documents were missing or had errors"
)


class Parser(argparse.ArgumentParser):
    """No abbreviations; a mistyped command or option gets a suggestion."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: error: {message}\nsee {self.prog} --help\n")
        raise SystemExit(2)

    def options(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]


class Command(Protocol):
    def __call__(self, name: str, sentence: str, examples: str) -> Parser: ...


def parse(argv: list[str]) -> argparse.Namespace:
    """The arguments of a command."""
    word = next((word for word in argv if not word.startswith("-")), None)
    top = parser(word if word in COMMANDS else None)
    commands = subparsers(top)
    if word is not None and word not in COMMANDS:
        from matchwise.errors import near_word

        near = f"; did you mean {SYNONYMS[word]!r}?" if word in SYNONYMS else near_word(word, COMMANDS)
        top.error(f"no command {word!r}{near}")
    if not argv:
        top.print_help()
        raise SystemExit(0)
    if word is None and not {"-h", "--help", "--version"} & set(argv):
        top.error(f"expected a command: {', '.join(COMMANDS)}")
    if word is not None:
        _check_options(argv[argv.index(word) + 1 :], commands[word])
    args, more = top.parse_known_args(argv)
    several = isinstance(getattr(args, "inputs", None), list)
    if wrong := [word for word in more if not several or (word.startswith("-") and word != "-")]:
        commands[args.command].error(f"unexpected {' '.join(wrong)}")
    _take_references(args, commands[args.command])
    if more:  # argparse takes only the first run of files: score ner --preset seqeval a.conll -r gold.conll
        args.inputs += more
    return args


def _take_references(args: argparse.Namespace, command: Parser) -> None:
    """`ref` is the first reference file, `refs` are all of them."""
    if not hasattr(args, "ref"):
        return
    args.refs = args.ref or []
    args.ref = args.refs[0] if args.refs else None
    several = getattr(args, "references", None)
    if several is None and getattr(args, "per", "document") != "document":
        command.error("--per element needs --references any or all")


def _check_options(words: list[str], command: Parser) -> None:
    """Check options before argparse complains about missing arguments."""
    known = command.options()
    for word in words:
        if word == "--":
            return
        name = word.split("=")[0]
        if word.startswith("--") and name not in known:
            from matchwise.errors import near_word

            command.error(f"unknown option {name!r}{near_word(name, known)}")


def subparsers(top: argparse.ArgumentParser) -> dict[str, Parser]:
    """Command -> its parser, in the order of the help."""
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def parser(only: str | None = None) -> Parser:
    """The whole tree, or the part of it that one command needs: all options of all commands take 7 ms to define."""
    from matchwise._version import __version__

    # Else argparse asks for the width of the terminal with each option, by `shutil`, which imports all compressions.
    formatter = partial(argparse.RawDescriptionHelpFormatter, width=_columns() - 2)
    top = Parser("matchwise", description=DESCRIPTION, epilog=EXITS, formatter_class=formatter, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"matchwise {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def command(name: str, sentence: str, examples: str) -> Parser:
        made: Parser = commands.add_parser(
            name, help=sentence, description=f"{sentence[0].upper()}{sentence[1:]}.".replace("?.", "?"),
            epilog=f"examples:\n{examples}", formatter_class=formatter, allow_abbrev=False,
        )  # fmt: skip
        return made

    for name, (_, define) in COMMANDS.items():
        if only in (None, name):
            define(command)
    return top


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size().columns or 80
    except (OSError, ValueError):  # no terminal; no number
        return 80


SHELLS = ("bash", "zsh", "fish")


def define_score(command: Command) -> None:
    made = command(
        "score",
        "score predictions against a reference",
        "  matchwise score coref run.conll -r gold.conll\n"
        "  matchwise score coref a.conll b.conll -r gold.conll --preset conll12 --format markdown\n"
        '  matchwise score --metric \'f1("relations", eq("type") * eq("subj") * eq("obj"))\' run.jsonl -r gold.jsonl\n'
        "  matchwise score --metric metrics.py:suite run.jsonl.gz -r gold.jsonl --by type --jobs 4\n"
        "  matchwise score --type models.py:Invoice run.jsonl -r gold.jsonl --fields --fail-under f1=0.85\n"
        "  producer | matchwise score ner - -r gold.conll --format json -o scores.json",
    )
    made.add_argument(
        "inputs", nargs="+", metavar="[TASK] PRED", help="A task and one or more files of predictions; - is stdin."
    )
    options.metric(made)
    options.files(made)
    options.references(made)
    group = made.add_argument_group("what is shown")
    options.breakdowns(group)
    flag(group, "--per-document", "Also print the scores of every document.")
    value(group, "--worst", "N", "Also name the N documents with the lowest score.", type=count, default=0)
    flag(group, "--score-only", "Print nothing but the main score of each system.")
    options.average(group)
    options.layout(group, "wide for several systems, but long in csv and jsonl", official=True)
    options.numbers(group)
    options.statistics(made.add_argument_group("statistics"), None)
    group = made.add_argument_group("running")
    options.add_running(group)
    value(group, "--save-table", "FILE", "Save the counts of every document (.jsonl, .jsonl.gz or .parquet).")
    value(group, "--save-tally", "FILE", "Save the sums of this shard for matchwise merge (a small .json file).")
    value(group, "--collect-adjudications", "FILE", "Add the mismatches that a person should judge to FILE.")
    several(
        group, "--fail-under", "[METRIC:]SCORE=X",
        help="Exit with code 1 if a score is lower, as in f1=0.85 or muc:recall=0.8; may be repeated.",
    )  # fmt: skip
    options.output(made)


def define_compare(command: Command) -> None:
    made = command(
        "compare",
        "compare systems: is one of them really better?",
        "  matchwise compare coref a.conll b.conll -r gold.conll\n"
        "  matchwise compare --metric 'f1(\"relations\")' base.jsonl new.jsonl -r gold.jsonl --fail-on-regression\n"
        "  matchwise compare base.table.jsonl new.table.jsonl        (tables of score --save-table)",
    )
    made.add_argument(
        "inputs", nargs="+", metavar="[TASK] PRED", help="A task and two or more files; the first is the baseline."
    )
    options.metric(made)
    options.files(made, ref_required=False)
    options.references(made)
    group = made.add_argument_group("statistics")
    value(group, "--baseline", "NAME", "Compare with this system instead of the first (a file, or NAME of NAME=FILE).")
    choice(
        group, "--pairs", ("baseline", "all"),
        "Compare each system with the baseline, or each with each other (default: %(default)s).", default="baseline",
    )  # fmt: skip
    options.statistics(group, "delta")
    value(group, "--by", "FIELD", "Also compare each label of this field, such as type.")
    flag(group, "--fields", "Also compare each field of a record.")
    options.elements(group)
    options.layout(group, "long")
    options.numbers(group)
    made.set_defaults(per_document=False, worst=0, average="micro")
    flag(group, "--fail-on-regression", "Exit with code 1 if a system is significantly worse than the baseline.")
    value(
        group, "--alpha", "A", type=float, default=0.05,
        help="Call a difference significant if p_holm is at most A (default: %(default)s).",
    )  # fmt: skip
    options.add_running(made.add_argument_group("running"))
    options.output(made, ("text", "json", "jsonl", "csv", "markdown", "latex"))


def define_align(command: Command) -> None:
    made = command(
        "align",
        "show documents with what is wrong in them",
        "  matchwise align ner run.conll -r gold.conll --worst 5\n"
        "  matchwise align coref run.conll -r gold.conll --document doc-7\n"
        "  matchwise align --metric 'f1(\"relations\")' run.jsonl -r gold.jsonl --format jsonl",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    options.document(made)
    value(made, "--worst", "N", "Show only the N worst documents, the worst first.", type=positive)
    flag(made, "--wrong", "Show only documents that are not all right.")
    flag(made, "--whole", "Show long values and texts whole.")
    options.limits(made)
    options.metric(made)
    options.files(made)
    options.output(made, ("text", "json", "jsonl"))


def define_report(command: Command) -> None:
    made = command(
        "report",
        "write a web page with the scores and with what is wrong in the worst documents",
        "  matchwise report coref run.conll -r gold.conll -o report.html\n"
        "  matchwise report --type models.py:Invoice run.jsonl -r gold.jsonl --fields --worst 50 -o report.html",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one or more files of predictions.")
    options.metric(made)
    options.files(made)
    group = made.add_argument_group("what is shown")
    value(group, "--worst", "N", "Show the N worst documents (default: %(default)s).", type=count, default=20)
    options.breakdowns(group)
    options.average(group)
    options.numbers(group)
    options.statistics(made.add_argument_group("statistics"), "delta")
    options.add_running(made.add_argument_group("running"))
    made.set_defaults(per_document=False, layout=None)
    options.output(made, ())


def define_errors(command: Command) -> None:
    made = command(
        "errors",
        "show what a system got wrong, by kind",
        "  matchwise errors coref run.conll -r gold.conll\n"
        "  matchwise errors templates run.json -r gold.json --preset gtt\n"
        "  matchwise errors templates run.muc -r key.muc --preset muc4 --kind role --format jsonl",
    )
    made.add_argument("inputs", nargs="+", metavar="[TASK] PRED", help="A task and one file of predictions.")
    options.document(made)
    several(made, "--kind", "KIND", "Show only this kind; may be repeated.")
    options.metric(made)
    options.files(made)
    options.output(made, ("text", "json", "jsonl", "markdown", "html"))


def define_adjudicate(command: Command) -> None:
    made = command(
        "adjudicate",
        "judge, one by one, the mismatches that score --collect-adjudications collected",
        "  matchwise adjudicate questions.jsonl\n"
        "  matchwise score templates run.muc -r key.muc --preset muc4 --adjudications questions.jsonl",
    )
    made.add_argument("inputs", metavar="FILE", help="The file of questions; your answers are kept in it.")
    flag(made, "--all", "Ask again what was answered before.")


def define_check(command: Command) -> None:
    made = command(
        "check",
        "find mistakes in files, types and expressions before you score",
        "  matchwise check coref run.conll -r gold.conll\n"
        "  matchwise check --type models.py:Invoice run.jsonl -r gold.jsonl\n"
        '  matchwise check --type models.py:Invoice --metric \'f1("lines", eq("sku"))\'',
    )
    made.add_argument("inputs", nargs="*", metavar="[TASK] FILE", help="A task and files.")
    options.metric(made)
    options.files(made, ref_required=False)
    made.set_defaults(max_errors=20)
    options.output(made, ("text", "json"))


def define_plan(command: Command) -> None:
    made = command(
        "plan",
        "show how a metric is computed, its equation and what is known about it",
        "  matchwise plan coref --preset conll12\n"
        '  matchwise plan --metric \'f1("relations", eq("type") * edit("subj"))\' --format latex',
    )
    made.add_argument("inputs", nargs="?", metavar="TASK", help="The name of a task.")
    made.set_defaults(id="id")  # a type that declares the key has the plan of matchwise score, which leaves it out
    options.metric(made)
    options.output(made, ("text", "json", "latex"))


def define_tasks(command: Command) -> None:
    made = command(
        "tasks",
        "list the tasks, or one task's metrics, presets, options and formats",
        "  matchwise tasks\n  matchwise tasks coref\n  matchwise tasks --format json",
    )
    made.add_argument("inputs", nargs="?", metavar="TASK", help="The name of a task.")
    options.output(made, ("text", "json"))


def define_cite(command: Command) -> None:
    made = command(
        "cite",
        "print the BibTeX of a task's metrics",
        "  matchwise cite coref >> paper.bib\n  matchwise cite coref muc b_cubed",
    )
    made.add_argument("inputs", nargs="+", metavar="TASK [METRIC]", help="A task, and some of its metrics if you like.")
    value(made, "--preset", "NAME", "Cite only the metrics of this preset.")
    options.output(made, ("text", "json"))


def define_merge(command: Command) -> None:
    made = command(
        "merge",
        "add up what several shards saved",
        "  matchwise merge shard-*.tally.json\n  matchwise merge a.parquet b.parquet --save-table all.parquet",
    )
    made.add_argument("inputs", nargs="+", metavar="TABLE", help="Files that score --save-table or --save-tally wrote.")
    value(made, "--save-tally", "FILE", "Save the sums of what was merged.")
    value(made, "--save-table", "FILE", "Save the merged table, if every shard has its documents.")
    group = made.add_argument_group("statistics")
    options.statistics(group, None)
    group = made.add_argument_group("what is shown")
    options.average(group)
    options.numbers(group)
    options.output(made)


def define_schema(command: Command) -> None:
    made = command(
        "schema",
        "infer a JSON Schema from documents, or show the metric of a type",
        "  matchwise schema gold.jsonl > invoice.json\n"
        "  matchwise schema --type models.py:Invoice\n"
        "  matchwise schema --schema invoice.json",
    )
    made.add_argument("inputs", nargs="*", metavar="FILE", help="JSON documents from which a schema is inferred.")
    value(made, "--type", "FILE.py:CLASS", "Show the metric of this class.")
    value(made, "--schema", "FILE.json", "Show the metric of this JSON Schema.")
    options.output(made, ("text", "json"))


def define_completions(command: Command) -> None:
    made = command(
        "completions",
        "print the completions for your shell",
        "  matchwise completions bash > ~/.local/share/bash-completion/completions/matchwise\n"
        "  matchwise completions zsh > ~/.zfunc/_matchwise\n"
        "  matchwise completions fish > ~/.config/fish/completions/matchwise.fish",
    )
    made.add_argument("inputs", choices=SHELLS, metavar="SHELL", help="One of bash, zsh and fish.")


COMMANDS: dict[str, tuple[str, Callable[[Command], None]]] = {
    "score": ("score", define_score),
    "compare": ("compare", define_compare),
    "curve": ("curves", analyses.define_curve),
    "calibrate": ("curves", analyses.define_calibrate),
    "agreement": ("relations", analyses.define_agreement),
    "align": ("align", define_align),
    "report": ("align", define_report),
    "errors": ("align", define_errors),
    "adjudicate": ("adjudicate", define_adjudicate),
    "matrix": ("relations", analyses.define_matrix),
    "nearest": ("relations", analyses.define_nearest),
    "duplicates": ("relations", analyses.define_duplicates),
    "consensus": ("relations", analyses.define_consensus),
    "check": ("check", define_check),
    "plan": ("catalogue", define_plan),
    "tasks": ("catalogue", define_tasks),
    "cite": ("catalogue", define_cite),
    "merge": ("score", define_merge),
    "schema": ("catalogue", define_schema),
    "completions": ("completions", define_completions),
}
"""Command -> its module in `cli/commands`, and what defines it, in the order of the help."""

SYNONYMS = {"diff": "compare", "eval": "score", "evaluate": "score", "presets": "tasks", "validate": "check"}
"""What people try first -> the command that they mean."""
