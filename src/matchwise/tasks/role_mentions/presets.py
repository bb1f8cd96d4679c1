"""The suites of role-filler mention extraction: CEAF-RME by φ⊆ and φ3, as published, bounded, and as IterX counts."""

from __future__ import annotations

from typing import Any, Literal

from matchwise.algebra.build import eq, f1, harmonic, overlap, precision, recall, subset
from matchwise.algebra.nodes import Similarity
from matchwise.corpus.categories import Grading
from matchwise.corpus.suite import Suite
from matchwise.errors import ExpressionError, check_preset
from matchwise.tasks.role_mentions.iterx import METRICS, as_iterx
from matchwise.tasks.roles.documents import fillers
from matchwise.tasks.roles.preparation import Predicted, Strings, prepared

DESCRIPTION = "role-filler mentions against entities: CEAF-RME by φ⊆ and φ3, with one-sided matching"

PRESETS: dict[str, str] = {
    "paper": (
        "the paper's equations, one-sided: several predictions may match one reference, so that recall and F1 of φ⊆ "
        "can exceed 1; 0/0 is 1."
    ),
    "coverage": (
        "the same with bounded sides: precision from N:1 (how many predictions are right), recall from 1:N (how many "
        "references are found); 0/0 is 1."
    ),
    "iterx": (
        "IterX's ceaf_rme.py: templates matched 1:1; under φ⊆ one mention in common is enough and recall counts the "
        "first reference with it, under φ3 entities are matched 1:1; strings normalised; 0/0 is 0. Of "
        "alignments that are equally good by φ⊆ the one with the best recall is taken, where SciPy's is any."
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "types": {
        "values": ("a similarity of fillers",),
        "default": 'eq("role")',
        "help": 'when two roles agree (paper, coverage), as in types=levels("role") or types=supertypes({...}, "role")',
    },
    "mentions": {
        "values": ("a similarity of mentions",),
        "default": "eq()",
        "help": "when two mentions agree in phi3 (paper, coverage), as in mentions=iou() for spans",
    },
    "strings": {
        "values": ("exact", "squad"),
        "default": "exact",
        "help": "squad: lower case, without punctuation and articles (iterx always does)",
    },
    "predicted": {
        "values": ("entities", "mentions"),
        "default": "entities",
        "help": "mentions: each mention of a predicted entity is a prediction of its own (paper, coverage)",
    },
}

EXAMPLE = "matchwise score role_mentions system.jsonl -r gold.jsonl --preset coverage"

REFERENCES: dict[str, str] = {
    "subset": """@inproceedings{chen-2023-iterative,
  title = {Iterative Document-level Information Extraction via Imitation Learning},
  author = {Chen, Yunmo and Gantt, William and Gu, Weiwei and Chen, Tongfei and White, Aaron Steven
            and Van Durme, Benjamin},
  booktitle = {Proceedings of the 17th Conference of the European Chapter of the ACL},
  pages = {1858--1874},
  year = {2023}
}""",
}

ROLE = eq("role")


def suite(
    preset: Literal["paper", "coverage", "iterx"] = "paper",
    *,
    types: Similarity | None = None,
    mentions: Similarity | None = None,
    strings: Strings = "exact",
    predicted: Predicted = "entities",
) -> Suite:
    """The metrics of a preset, for relations, templates, and lists or dictionaries of role fillers.

    >>> suite("coverage")["subset"].precision
    precision(fillers, eq("role") * subset("entity.mentions"), match="N:1")
    """
    check_preset(preset, PRESETS, "role_mentions")
    cited = dict.fromkeys(("subset", "phi3"), ("chen-2023-iterative",))
    if preset == "iterx":
        if (types, mentions, strings, predicted) != (None, None, "exact", "entities"):
            raise ExpressionError("iterx has no options; for others take the preset paper or coverage")
        by = {"role": "args[].role"}
        return Suite(METRICS, references=cited, prepare=as_iterx, title="role_mentions:iterx", by=by)
    role = ROLE if types is None else types
    inner = {"subset": role * subset("entity.mentions"), "phi3": role * overlap("entity.mentions", mentions)}
    made = {name: _one_sided(phi) if preset == "paper" else _coverage(phi) for name, phi in inner.items()}
    title = f"role_mentions:{preset}|types:{'equal' if types is None else types}"
    title += f"|mentions:{'equal' if mentions is None else mentions}|strings:{strings}|predicted:{predicted}"
    return Suite(made, references=cited, prepare=prepared(strings, predicted), title=title)


def _one_sided(phi: Similarity) -> Similarity:
    return f1(fillers, phi, match="N:1")


def _coverage(phi: Similarity) -> Similarity:
    return harmonic(precision(fillers, phi, match="N:1"), recall(fillers, phi, match="1:N"))


def gradings(preset: str = "paper", **options: Any) -> dict[str, Grading]:
    """Metric -> when a filler is correct, and when it is at least about the same entity, for `Categories`."""
    made = suite(preset, **options)  # type: ignore[arg-type]  # says what is wrong with them
    if preset == "iterx":
        return {}
    types = options.get("types")
    role = ROLE if types is None else types
    return {
        "subset": Grading(
            fillers,
            credit=role * subset("entity.mentions"),
            meets=overlap("entity.mentions") >= 1,
            label="role",
            prepare=made.prepare,
        )
    }
