"""The suites of event extraction: the paper's definition, five ways in which the field counts arguments, nuggets."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from matchwise.algebra.build import eq, f1, overlap
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset, suggestion
from matchwise.similarities.spans import touch
from matchwise.tasks.events import nuggets
from matchwise.tasks.events.nuggets import Mapping
from matchwise.tasks.events.structures import (
    MODES,
    Mode,
    Triggers,
    argument_set,
    arguments,
    event_argument_set,
    events,
    last_arguments,
    last_triggers,
    triggers,
)

DESCRIPTION = "event extraction: triggers and arguments, identified and classified, by the paper's or the field's rules"

PRESETS: dict[str, str] = {
    "paper": "the paper's definition: an argument counts only if the trigger of its event is right; 0/0 is 1.",
    "oneie": (
        "OneIE's scorer: arguments are sets of (span, event type, role), wherever the trigger is; identification may "
        "match one reference several times, and only the first reference trigger of a span is classified against."
    ),
    "dygie": (
        "DyGIE++'s EventMetrics: one type for a trigger and one role for its words, the last; several predicted "
        "arguments may match one reference, wherever the trigger is, so that recall can exceed 1; 0/0 is 0."
    ),
    "text2event": "Text2Event: bags of (event type, role, span) and of (event type, trigger span); 0/0 is 0.",
    "rams": (
        "the scorer of RAMS: bags of (trigger, role, span), event types are given; without its type-constrained "
        "decoding. by=distance is its table by distance."
    ),
    "wikievents": (
        "gen-arg's scorer of WikiEvents, given spans: sets of arguments of each event, by span and by entity; several "
        "coreferent predictions may match one reference, so that recall can exceed 1."
    ),
    "evmeval": (
        "EvmEval 1.8, event nuggets of TAC KBP: triggers by the Dice of their characters, plain and with type, realis "
        "or both; the pair with the highest Dice is made first; documents without reference nuggets are left out; "
        "0/0 is 0, where the script has nan."
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "triggers": {
        "values": tuple(MODES),
        "default": "strict",
        "help": "which events count: gold, default, loose or strict, as OmniEvent names them",
    },
    "mentions": {
        "values": ("exact", "head", "entity", "a similarity of spans"),
        "default": "exact",
        "help": "when two arguments are the same: by span, by head word, or by the entity they belong to",
    },
    "types": {
        "values": ("a similarity of triggers",),
        "default": 'eq("type")',
        "help": 'when two event types agree (paper), as in types=levels("type")',
    },
    "mapping": {
        "values": get_args(Mapping),
        "default": "greedy",
        "help": "how nuggets are paired (evmeval): as EvmEval does, or so that the sum of their Dice is highest",
    },
}

EXAMPLE = "matchwise score events system.jsonl -r gold.jsonl --preset oneie --by type"

REFERENCES: dict[str, str] = {
    "trig_c": """@inproceedings{li-2013,
  title = {Joint Event Extraction via Structured Prediction with Global Features},
  author = {Li, Qi and Ji, Heng and Huang, Liang},
  booktitle = {Proceedings of the 51st Annual Meeting of the Association for Computational Linguistics},
  pages = {73--82},
  year = {2013}
}""",
    "arg_c": """@inproceedings{lin-2020,
  title = {A Joint Neural Model for Information Extraction with Global Features},
  author = {Lin, Ying and Ji, Heng and Huang, Fei and Wu, Lingfei},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},
  pages = {7999--8009},
  year = {2020}
}""",
    "dygie": """@inproceedings{wadden-2019,
  title = {Entity, Relation, and Event Extraction with Contextualized Span Representations},
  author = {Wadden, David and Wennberg, Ulme and Luan, Yi and Hajishirzi, Hannaneh},
  booktitle = {Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing},
  pages = {5784--5789},
  year = {2019}
}""",
    "modes": """@inproceedings{peng-2023,
  title = {The Devil is in the Details: On the Pitfalls of Event Extraction Evaluation},
  author = {Peng, Hao and Wang, Xiaozhi and Yao, Feng and Zeng, Kaisheng and Hou, Lei and Li, Juanzi and Liu, Zhiyuan
            and Shen, Weixing},
  booktitle = {Findings of the Association for Computational Linguistics: {ACL} 2023},
  pages = {9206--9227},
  year = {2023}
}""",
    "rams": """@inproceedings{ebner-2020,
  title = {Multi-Sentence Argument Linking},
  author = {Ebner, Seth and Xia, Patrick and Culkin, Ryan and Rawlins, Kyle and Van Durme, Benjamin},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},
  pages = {8057--8077},
  year = {2020}
}""",
    "evmeval": """@inproceedings{liu-2015,
  title = {Evaluation Algorithms for Event Nugget Detection: A Pilot Study},
  author = {Liu, Zhengzhong and Mitamura, Teruko and Hovy, Eduard},
  booktitle = {Proceedings of the 3rd Workshop on {EVENTS}: Definition, Detection, Coreference, and Representation},
  pages = {53--57},
  year = {2015}
}""",
    "wikievents": """@inproceedings{li-2021,
  title = {Document-Level Event Argument Extraction by Conditional Generation},
  author = {Li, Sha and Ji, Heng and Han, Jiawei},
  booktitle = {Proceedings of the 2021 Conference of the North American Chapter of the ACL},
  pages = {894--908},
  year = {2021}
}""",
}

Mentions: TypeAlias = Literal["exact", "head", "entity"]

TRIGGER = eq("trig.mention.span")


def suite(
    preset: Literal["paper", "oneie", "dygie", "text2event", "rams", "wikievents", "evmeval"] = "paper",
    *,
    triggers: Mode = "strict",
    mentions: Mentions | Similarity = "exact",
    types: Similarity | None = None,
    mapping: Mapping | None = None,
) -> Suite:
    """The metrics of a preset, for event sets and for lists or dictionaries of events.

    >>> suite()["arg_c"]
    f1(events, eq("trig.mention.span") * eq("trig.type") * overlap("args", eq("mention.span") * eq("role")))
    """
    check_preset(preset, PRESETS, "events")
    if preset == "evmeval":
        if (triggers, mentions, types) != ("strict", "exact", None):
            raise ExpressionError("evmeval scores nuggets without arguments; leave triggers, mentions and types out")
        return _evmeval("greedy" if mapping is None else mapping)
    if mapping is not None:
        raise ExpressionError(f"mapping= belongs to evmeval, not to {preset}; leave it out")
    if triggers not in MODES:
        raise ExpressionError(f"triggers={triggers!r} is unknown{suggestion(str(triggers), MODES)}")
    if types is not None and preset != "paper":
        raise ExpressionError(f'types= belongs to the preset "paper"; for {preset} write replace(suite, {{...}})')
    step: Triggers | None = Triggers(
        triggers, mentions == "entity" or preset == "wikievents", first=preset == "oneie", distances=preset == "rams"
    )
    if step == Triggers():
        step = None
    metrics = _paper(_argument(mentions, "mention.span"), types) if preset == "paper" else _FLAT[preset](
        _argument(mentions, "span")
    )  # fmt: skip
    title = f"events:{preset}|triggers:{triggers}|mentions:{mentions}|types:{'equal' if types is None else types}"
    references = {name: ("li-2013" if name.startswith("trig") else "lin-2020",) for name in metrics}
    by = {"role": "args[].role"} if preset == "paper" else {}
    return Suite(metrics, references=references, prepare=step, title=title, by=by)


def _evmeval(mapping: Mapping) -> Suite:
    if mapping not in get_args(Mapping):
        raise ExpressionError(f'mapping={mapping!r} is unknown; write "greedy" or "optimal"')
    made = nuggets.metrics(mapping)
    cited = dict.fromkeys(made, ("liu-2015",))
    return Suite(made, references=cited, prepare=nuggets.Nuggets(mapping), title=f"events:evmeval|mapping:{mapping}")


def _argument(mentions: Mentions | Similarity, span: str) -> Similarity:
    match mentions:
        case Similarity():
            return mentions
        case "exact":
            return eq(span)
        case "head" | "entity":
            return eq(mentions)
    raise ExpressionError(f'mentions={mentions!r} is unknown; write "exact", "head", "entity" or a similarity')


def _paper(same: Similarity, types: Similarity | None) -> dict[str, Similarity]:
    from matchwise.algebra.walk import shift

    kind = eq("trig.type") if types is None else shift(types, ("trig",))
    return {
        "trig_i": f1(events, TRIGGER),
        "trig_c": f1(events, TRIGGER * kind),
        "arg_i": f1(events, TRIGGER * kind * overlap("args", same)),
        "arg_c": f1(events, TRIGGER * kind * overlap("args", same * eq("role"))),
    }


def _oneie(same: Similarity) -> dict[str, Similarity]:
    return {
        "trig_i": f1(triggers, eq("span"), match="N:1", empty=0),
        "trig_c": f1(triggers, eq("span") * eq("first"), match="N:1", empty=0),
        "arg_i": f1(argument_set, same * eq("event"), match="N:1", empty=0),
        "arg_c": f1(argument_set, same * eq("event") * eq("role"), match="N:1", empty=0),
    }


def _dygie(same: Similarity) -> dict[str, Similarity]:
    return {
        "trig_i": f1(last_triggers, eq("span"), empty=0),
        "trig_c": f1(last_triggers, eq("span") * eq("type"), empty=0),
        "arg_i": f1(last_arguments, same * eq("event"), match="N:1", empty=0),
        "arg_c": f1(last_arguments, same * eq("event") * eq("role"), match="N:1", empty=0),
    }


def _text2event(same: Similarity) -> dict[str, Similarity]:
    return {
        "trig_i": f1(triggers, eq("span"), empty=0),
        "trig_c": f1(triggers, eq("span") * eq("type"), empty=0),
        "arg_i": f1(arguments, same * eq("event"), empty=0),
        "arg_c": f1(arguments, same * eq("event") * eq("role"), empty=0),
    }


def _rams(same: Similarity) -> dict[str, Similarity]:
    return {"arg_c": f1(arguments, eq("trigger") * same * eq("role"), empty=0)}


def _wikievents(same: Similarity) -> dict[str, Similarity]:
    def pair(of: Similarity, suffix: str) -> dict[str, Similarity]:
        known = eq("trigger") * of * eq("event")
        return {
            f"arg_i{suffix}": f1(event_argument_set, known, match="N:1", empty=0),
            f"arg_c{suffix}": f1(event_argument_set, known * eq("role"), match="N:1", empty=0),
        }

    return {**pair(same, ""), **pair(eq("entity"), "_coref")}


_FLAT = {"oneie": _oneie, "dygie": _dygie, "text2event": _text2event, "rams": _rams, "wikievents": _wikievents}


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
    found = {"arg_c": Grading(sel, credit=place * same * eq("role"), meets=touch("span"), label="role")}
    if "trig_c" in made:
        named = last_triggers if preset == "dygie" else triggers
        found["trig_c"] = Grading(named, credit=eq("span") * kind, meets=touch("span"))
    return {
        name: Grading(g.sel, credit=g.credit, meets=g.meets, label=g.label, prepare=made.prepare)
        for name, g in found.items()
    }
