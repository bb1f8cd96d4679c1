"""Event extraction (paper §3.1): triggers with types, arguments with roles, by the paper's or the field's definitions.

>>> from matchwise.corpus.tally import Tally
>>> ref = [{"type": "Attack", "trigger": [3, 4], "args": [(0, 1, "Agent"), (5, 6, "Target")]}]
>>> pred = [{"type": "Attack", "trigger": [3, 4], "args": [(0, 1, "Agent"), (5, 7, "Target")]}]
>>> Tally(suite()).add(pred, ref).report()["arg_c"].f1
0.5
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import Selectable, eq, f1, overlap
from matchwise.algebra.nodes import Match, Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite, after
from matchwise.similarities.spans import touch
from matchwise.tasks import Analyse, Option, Task, label_option
from matchwise.tasks.events.nuggets import ATTRIBUTES, Pairing, chain_metrics
from matchwise.tasks.events.nuggets import chains as chains
from matchwise.tasks.events.nuggets import evmeval as evmeval
from matchwise.tasks.events.nuggets import metrics as nugget_metrics
from matchwise.tasks.events.structures import Argument as Argument
from matchwise.tasks.events.structures import Event as Event
from matchwise.tasks.events.structures import EventSet as EventSet
from matchwise.tasks.events.structures import Mode as Mode
from matchwise.tasks.events.structures import Trigger as Trigger
from matchwise.tasks.events.structures import Triggers as Triggers
from matchwise.tasks.events.structures import argument as argument
from matchwise.tasks.events.structures import argument_set as argument_set
from matchwise.tasks.events.structures import arguments as arguments
from matchwise.tasks.events.structures import chosen_events as chosen_events
from matchwise.tasks.events.structures import event as event
from matchwise.tasks.events.structures import event_argument_set as event_argument_set
from matchwise.tasks.events.structures import events as events
from matchwise.tasks.events.structures import last_arguments as last_arguments
from matchwise.tasks.events.structures import last_triggers as last_triggers
from matchwise.tasks.events.structures import triggers as triggers

Mentions: TypeAlias = Literal["exact", "head", "entity"]

TRIGGER = eq("trig.mention.span")


def suite(
    preset: Literal["paper", "oneie", "dygie", "text2event", "rams", "wikievents", "evmeval"] = "paper",
    *,
    triggers: Mode = "strict",
    mentions: Mentions | Similarity = "exact",
    types: Similarity | None = None,
    mapping: Pairing | None = None,
    coreference: bool = False,
) -> Suite:
    """The metrics of a preset, for event sets and for lists or dictionaries of events.

    >>> suite()["arg_c"]
    f1(events.events, eq("trig.mention.span") * eq("trig.type") * overlap("args", eq("mention.span") * eq("role")))
    """
    TASK.check(preset, triggers=triggers, mentions=mentions, types=types, mapping=mapping, coreference=coreference)
    if preset == "evmeval":
        how = mapping or "greedy"
        nuggets = after(evmeval(mapping=how), nugget_metrics(how))
        linked = after(chains(), chain_metrics()) if coreference else {}
        typed = {"type": tuple(nuggets)} if coreference else None
        return TASK.make_suite(preset, nuggets | linked, cited=("liu-2015",), by=typed, title={"mapping": how})
    chosen = Triggers(
        triggers, mentions == "entity" or preset == "wikievents", first=preset == "oneie", distances=preset == "rams"
    )
    step = None if chosen == Triggers() else chosen_events.of(chosen)
    metrics = _paper(_argument(mentions, "mention.span"), types) if preset == "paper" else _FLAT[preset](
        _argument(mentions, "span")
    )  # fmt: skip
    said = {"triggers": triggers, "mentions": mentions, "types": types}
    own = TASK.references.get(preset)
    cited = {name: own or ("li-2013" if name.startswith("trig") else "lin-2020",) for name in metrics}
    by = {"role": "args[].role"} if preset == "paper" else {}
    return TASK.make_suite(preset, metrics, step, cited=cited, by=by, title=said)


def _argument(mentions: Mentions | Similarity, span: str) -> Similarity:
    if isinstance(mentions, Similarity):
        return mentions
    return eq(span if mentions == "exact" else mentions)


def _paper(same: Similarity, types: Similarity | None) -> dict[str, Similarity]:
    from matchwise.algebra.walk import shift

    kind = eq("trig.type") if types is None else shift(types, ("trig",))
    return {
        "trig_i": f1(events, TRIGGER),
        "trig_c": f1(events, TRIGGER * kind),
        "arg_i": f1(events, TRIGGER * kind * overlap("args", same)),
        "arg_c": f1(events, TRIGGER * kind * overlap("args", same * eq("role"))),
    }


def _flat(
    same: Similarity, named: Selectable, filled: Selectable, kind: str = "type", *, matches: tuple[Match, Match]
) -> dict[str, Similarity]:
    """Triggers by themselves and arguments by themselves, each matched in its own way."""
    of_triggers, of_arguments = matches
    return {
        "trig_i": f1(named, eq("span"), match=of_triggers, empty=0),
        "trig_c": f1(named, eq("span") * eq(kind), match=of_triggers, empty=0),
        "arg_i": f1(filled, same * eq("event"), match=of_arguments, empty=0),
        "arg_c": f1(filled, same * eq("event") * eq("role"), match=of_arguments, empty=0),
    }


def _wikievents(same: Similarity) -> dict[str, Similarity]:
    def pair(of: Similarity, suffix: str) -> dict[str, Similarity]:
        known = eq("trigger") * of * eq("event")
        return {
            f"arg_i{suffix}": f1(event_argument_set, known, match="N:1", empty=0),
            f"arg_c{suffix}": f1(event_argument_set, known * eq("role"), match="N:1", empty=0),
        }

    return {**pair(same, ""), **pair(eq("entity"), "_coref")}


_FLAT: dict[str, Callable[[Similarity], dict[str, Similarity]]] = {
    "oneie": partial(_flat, named=triggers, filled=argument_set, kind="first", matches=("N:1", "N:1")),
    "dygie": partial(_flat, named=last_triggers, filled=last_arguments, matches=("1:1", "N:1")),
    "text2event": partial(_flat, named=triggers, filled=arguments, matches=("1:1", "1:1")),
    "rams": lambda same: {"arg_c": f1(arguments, eq("trigger") * same * eq("role"), empty=0)},
    "wikievents": _wikievents,
}
"""Preset -> its metrics, given when two arguments are the same."""


_ARGUMENTS = {"oneie": argument_set, "dygie": last_arguments, "wikievents": event_argument_set}
_EVENTS = {name: eq("event") for name in ("oneie", "dygie", "text2event")} | {"rams": eq("trigger")}
"""Preset -> when two arguments are of the same event, if not by its trigger and type."""


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a trigger or an argument is correct, and when it is about the same words, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    if preset == "evmeval":
        return {}
    same, types = _argument(options.get("mentions", "exact"), "span"), options.get("types")
    kind = eq("type") if types is None else types
    place, sel = _EVENTS.get(preset, eq("trigger") * kind), _ARGUMENTS.get(preset, arguments)
    step, near = next(iter(made.steps), None), touch("span")
    found = {"arg_c": Grading(sel, credit=place * same * eq("role"), meets=near, label="role", step=step)}
    if "trig_c" in made:
        named = last_triggers if preset == "dygie" else triggers
        found["trig_c"] = Grading(named, credit=eq("span") * kind, meets=near, step=step)
    return found


def errors(suite: Suite, metric: str) -> Analyse:
    """The errors of triggers and of arguments, by their spans; every preset prepares the documents in its own way."""
    from matchwise.tasks.errors import Graded, analyse_graded, name_kind

    spans = touch("span")
    step = next((one for one in suite.steps if one.gives is EventSet), None)  # EvmEval's give other things than events
    place = eq("trigger") * eq("event")
    named = Grading(triggers, credit=eq("span") * eq("type"), meets=spans, step=step)
    filled = Grading(arguments, credit=place * eq("span") * eq("role"), meets=spans, label="role", step=step)
    kind = name_kind("span", "type", ("wrong event type", "trigger boundary", "trigger boundary and type"))
    of_triggers = Graded("triggers", named, kind, "missed trigger", "spurious trigger")
    if set(ATTRIBUTES) & set(suite):  # nuggets have no arguments
        return analyse_graded(of_triggers)
    of_arguments = Graded("arguments", filled, _argument_kind, "missed argument", "spurious argument")
    return analyse_graded(of_triggers, of_arguments)


def _argument_kind(pred: Any, ref: Any) -> str:
    """What is wrong with a pair of arguments that overlap."""
    is_wrong = {
        "event": (pred.trigger, pred.event) != (ref.trigger, ref.event),
        "role": pred.role != ref.role,
        "boundary": pred.span != ref.span,
    }
    wrong = [name for name, found in is_wrong.items() if found]
    return f"wrong {' and '.join(wrong)}" if wrong != ["boundary"] else "argument boundary"


TASK = Task(
    name="events",
    title="event extraction: triggers and arguments, identified and classified, by the paper's or the field's rules",
    presets={
        "paper": "the paper's definition: an argument counts only if the trigger of its event is right; 0/0 is 1.",
        "oneie": (
            "OneIE's scorer: arguments are sets of (span, event type, role), wherever the trigger is; "
            "identification may match one reference several times, and only the first reference trigger of a span "
            "is classified against."
        ),
        "dygie": (
            "DyGIE++'s EventMetrics: one type for a trigger and one role for its words, the last; several "
            "predicted arguments may match one reference, wherever the trigger is, so that recall can exceed 1; "
            "0/0 is 0."
        ),
        "text2event": "Text2Event: bags of (event type, role, span) and of (event type, trigger span); 0/0 is 0.",
        "rams": (
            "the scorer of RAMS: bags of (trigger, role, span), event types are given; without its "
            "type-constrained decoding. by=distance is its table by distance."
        ),
        "wikievents": (
            "gen-arg's scorer of WikiEvents, given spans: sets of arguments of each event, by span and by entity; "
            "several coreferent predictions may match one reference, so that recall can exceed 1."
        ),
        "evmeval": (
            "EvmEval 1.8, event nuggets of TAC KBP: triggers by the Dice of their characters, plain and with "
            "type, realis or both; the pair with the highest Dice is made first; documents without reference "
            "nuggets are left out; 0/0 is 0, where the script has nan."
        ),
    },
    suite=suite,
    options=(
        Option(
            "triggers",
            "which events count: gold, default, loose or strict, as OmniEvent names them",
            presets=("paper", "oneie", "dygie", "text2event", "rams", "wikievents"),
        ),
        Option(
            "mentions",
            "when two arguments are the same: by span, by head word, or by the entity they belong to",
            choices=("exact", "head", "entity"),
            type="similarity",
            takes="a similarity of arguments",
            presets=("paper", "oneie", "dygie", "text2event", "rams", "wikievents"),
            example='iou("mention.span")',
        ),
        label_option("types", "triggers", "type", "event types", presets=("paper",)),
        Option(
            "mapping",
            "how nuggets are paired: as EvmEval does, or so that the sum of their Dice is highest",
            default="greedy, as EvmEval",
            presets=("evmeval",),
        ),
        Option(
            "coreference",
            "also score chains of coreferent nuggets, as EvmEval does by the scorer of CoNLL-2012",
            presets=("evmeval",),
        ),
    ),
    formats=("tbf", "brat", "wikievents", "oneie", "rams", "dygie", "extractions"),
    references={
        "trig_c": ("li-2013",),
        "arg_c": ("lin-2020",),
        "dygie": ("wadden-2019",),
        "modes": ("peng-2023",),
        "rams": ("ebner-2020",),
        "evmeval": ("liu-2015",),
        "wikievents": ("li-2021",),
    },
    example="matchwise score events system.jsonl -r gold.jsonl --preset oneie --by type",
    gradings=gradings,
    errors=errors,
    shown=("arg_c", "type"),
)
