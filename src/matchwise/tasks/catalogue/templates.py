"""What the task templates is: its presets, options, formats and references."""

from __future__ import annotations

from matchwise.tasks.declaration import Late, Option, Task

TASK = Task(
    name="templates",
    title="template extraction: MUC-4's score report, BETTER Granular, GTT, IterX, with fillers of any type",
    presets={
        "paper": (
            "the paper's equations: MUC-4's overall score (eq. 32) with φ_set and φ_str, CEAF-REE and CEAF-RME of "
            "templates, F1 of template types; one-sided recall may exceed 1; 0/0 is 1."
        ),
        "muc4": (
            "MUC-4's score report (Chinchor 1992): templates paired if their type and one of seven slots agree in "
            "part, generic values half right, tags, optional fillers; the pairing is optimal and is never changed "
            "by hand, and the lists of values and premodifiers are ours."
        ),
        "gtt": (
            "GTT's eval.py: the type is a slot; two templates are paired only if the reference's type contains "
            "the predicted one as text. Several predictions may be one reference entity and the other way round; "
            "a predicted entity without mentions is right wherever there is one; repeated reference templates "
            "count once. Of all matchings of a document the one with the best F1 counts, and of equal ones the "
            "first that GTT tries."
        ),
        "iterx": (
            "IterX's ceaf_rme.py, as in role_mentions: φ_⊆ takes any mention in common, and the first reference "
            "entity that has one; φ_3 matches entities 1:1 and counts a reference of two types twice; strings "
            "normalised; slots that hold no entities are left out; 0/0 is 0."
        ),
        "better": (
            "BETTER Granular: F1 of types times F1 of fillers, templates paired by fillers; the program's own "
            "scorer is not public: entities share a mention, events type and anchor, irrealis and times are not "
            "scored."
        ),
    },
    suite=Late("matchwise.tasks.templates.presets:suite"),
    options=(
        Option(
            "types",
            help='when two types agree (paper, better), as in types=levels("type")',
            type="similarity",
            takes="a similarity of templates",
            default='eq("type")',
            example='levels("type")',
            presets=("paper", "better"),
        ),
        Option(
            "entities",
            help="when two entities are the same: a word, all or any mentions in common (paper, better)",
            choices=("words", "subset", "any", "phi3", "phi4"),
            type="similarity",
            takes="a similarity of entities",
            default="any (better), words (paper: of muc4)",
            example='f1("mentions")',
            presets=("paper", "better"),
        ),
        Option(
            "categories",
            help="slots whose text is a category, compared by the hierarchy",
            type="words",
            takes="slots",
            default="none (muc4: its set fills and numbers)",
            presets=("paper", "muc4", "better"),
        ),
        Option(
            "hierarchy",
            help="which categories are more general, as in hierarchy={'BOMBING': 'ATTACK'}; a relative is half right",
            type="mapping",
            takes="child: parent",
            default="none (muc4: its own)",
            example="{'BOMBING': 'ATTACK'}",
            presets=("paper", "muc4", "better"),
        ),
        Option(
            "credited",
            help="which relative of the reference's category is half right",
            choices=("descendant", "ancestor", "either"),
            default="descendant, as in the paper (muc4: ancestor)",
            presets=("paper", "muc4", "better"),
        ),
        Option(
            "premodifiers",
            help="words that two strings may share without being the same (paper, muc4)",
            type="words",
            takes="words",
            default="ours",
            presets=("paper", "muc4"),
        ),
        Option(
            "tags",
            help="whether a right value with a wrong cross-reference is half right (muc4)",
            choices=("partial", "ignored"),
            default="partial",
            presets=("muc4",),
        ),
        Option(
            "slots",
            help="score these slots only, under the alignment of all (muc4, gtt)",
            type="words",
            takes="slots",
            default="all",
            presets=("muc4", "gtt"),
        ),
        Option(
            "values",
            help="similarities for values of your own classes (paper, better)",
            type="mapping",
            takes="class: similarity",
            default="none",
            example='{Money: eq("amount")}',
            presets=("paper", "better"),
        ),
        Option(
            "adjudications",
            help="what a person said of mismatches (muc4); from the command line --adjudications FILE",
            takes="judgements",
            default="none",
            read=Late("matchwise.formats.adjudications:read"),
            presets=("muc4",),
        ),
    ),
    formats=("muc4", "better", "iterx", "gtt", "wikievents", "templates"),
    references={
        "all": ("chinchor-1992",),
        "overall": ("du-2021-gtt",),
        "rme_subset": ("chen-2023-iterative",),
        "muc4": ("chen-etal-2023-unified",),
        "granular": ("mckinnon-2022",),
        "errors": ("das-2022",),
    },
    example="matchwise score templates system.muc -r key.muc --preset muc4 --by slot",
    gradings=Late("matchwise.tasks.templates.presets:gradings"),
    errors=Late("matchwise.tasks.templates.errors:analyse"),
    view=Late("matchwise.tasks.templates.view:view"),
    shown=("fillers", "muc4", "all", "overall"),
    questions=Late("matchwise.tasks.templates.adjudication:questions"),
)
