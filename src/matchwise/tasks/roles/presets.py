"""The suites of role-filler entity extraction: CEAF-REE, and the φ3 and φ4 that the paper recommends in its place."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from matchwise.algebra.build import eq, f1, overlap, precision, subset
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset
from matchwise.tasks.roles.documents import distinct, fillers
from matchwise.tasks.roles.grit import Grit
from matchwise.tasks.roles.preparation import Strings, prepared

DESCRIPTION = "role-filler entity extraction: CEAF-REE (φ⊆), and CEAF of role fillers by φ3 and φ4"

PRESETS: dict[str, str] = {
    "paper": "the paper's equations over bags of fillers: an entity that is predicted twice counts twice; 0/0 is 1.",
    "grit": (
        "GRIT's eval.py: strings normalised; only roles that the reference lists; an entity without mentions is right "
        "wherever there is one; 0/0 is 0. Proportional: no error for such an entity, and a mention that a reference "
        "entity has twice counts once."
    ),
}

Duplicates: TypeAlias = Literal["count", "drop"]

OPTIONS: dict[str, dict[str, Any]] = {
    "types": {
        "values": ("a similarity of fillers",),
        "default": 'eq("role")',
        "help": 'when two roles agree, as in types=levels("role") or types=supertypes({...}, "role")',
    },
    "mentions": {
        "values": ("a similarity of mentions",),
        "default": "eq()",
        "help": "when two mentions agree in phi3 and phi4 (paper), as in mentions=iou() for spans",
    },
    "strings": {
        "values": ("exact", "squad"),
        "default": "exact",
        "help": "squad: lower case, without punctuation and articles (grit always does)",
    },
    "duplicates": {
        "values": ("count", "drop"),
        "default": "count",
        "help": "whether an entity that fills a role twice counts twice (paper)",
    },
}

EXAMPLE = "matchwise score roles system.json -r gold.jsonl --preset grit --by role"

REFERENCES: dict[str, str] = {
    "ceaf_ree": """@inproceedings{du-2021,
  title = {{GRIT}: Generative Role-filler Transformers for Document-level Event Entity Extraction},
  author = {Du, Xinya and Rush, Alexander and Cardie, Claire},
  booktitle = {Proceedings of the 16th Conference of the European Chapter of the ACL},
  pages = {634--644},
  year = {2021}
}""",
    "phi4": """@inproceedings{luo-2005,
  title = {On Coreference Resolution Performance Metrics},
  author = {Luo, Xiaoqiang},
  booktitle = {Proceedings of Human Language Technology Conference and EMNLP},
  pages = {25--32},
  year = {2005}
}""",
    "roles": """@inproceedings{chen-2023,
  title = {A Unified View of Evaluation Metrics for Structured Prediction},
  author = {Chen, Yunmo and Gantt, William and Chen, Tongfei and White, Aaron Steven and Van Durme, Benjamin},
  booktitle = {Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing},
  pages = {12868--12882},
  year = {2023}
}""",
}

_CITED = {
    "ceaf_ree": ("du-2021",),
    "proportional": ("du-2021",),
    "phi3": ("luo-2005", "chen-2023"),
    "phi4": ("luo-2005", "chen-2023"),
}

ROLE = eq("role")


def suite(
    preset: Literal["paper", "grit"] = "paper",
    *,
    types: Similarity | None = None,
    mentions: Similarity | None = None,
    strings: Strings = "exact",
    duplicates: Duplicates = "count",
) -> Suite:
    """The metrics of a preset, for relations, templates, and lists or dictionaries of role fillers.

    >>> suite()["ceaf_ree"]
    f1(fillers, eq("role") * subset("entity.mentions"))
    """
    check_preset(preset, PRESETS, "roles")
    role = ROLE if types is None else types
    title = f"roles:{preset}|types:{'equal' if types is None else types}"
    if preset == "grit":
        if (mentions, strings, duplicates) != (None, "exact", "count"):
            raise ExpressionError('mentions=, strings= and duplicates= belong to the preset "paper"')
        made = {
            "ceaf_ree": f1("args", role * subset("entity.mentions"), empty=0),
            "proportional": f1("args", role * precision("entity.mentions", empty=0), empty=0),
        }
        return Suite(made, references=_cited(made), prepare=Grit(), title=title)
    sel = selected(duplicates)
    made = {
        "ceaf_ree": f1(sel, role * subset("entity.mentions")),
        "phi3": f1(sel, role * overlap("entity.mentions", mentions)),
        "phi4": f1(sel, role * f1("entity.mentions", mentions)),
    }
    title += f"|mentions:{'equal' if mentions is None else mentions}|strings:{strings}|duplicates:{duplicates}"
    return Suite(made, references=_cited(made), prepare=prepared(strings), title=title)


def selected(duplicates: Duplicates) -> Any:
    """The fillers as a bag or as a set."""
    if duplicates not in ("count", "drop"):
        raise ExpressionError(f'duplicates={duplicates!r} is unknown; write "count" or "drop"')
    return fillers if duplicates == "count" else distinct


def _cited(made: dict[str, Similarity]) -> dict[str, tuple[str, ...]]:
    return {name: _CITED[name] for name in made}


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, and when it is at least about the same entity, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    types, meets = options.get("types"), overlap("entity.mentions") >= 1
    role = ROLE if types is None else types
    sel = "args" if preset == "grit" else selected(options.get("duplicates", "count"))
    found = {"ceaf_ree": role * subset("entity.mentions")}
    if preset == "paper":
        found["phi4"] = role * f1("entity.mentions", options.get("mentions"))
    return {
        name: Grading(sel, credit=credit, meets=meets, label="role", prepare=made.prepare)
        for name, credit in found.items()
    }
