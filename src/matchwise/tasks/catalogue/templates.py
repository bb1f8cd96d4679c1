"""Roles and slots that entities fill: role fillers, N-ary relations, templates."""

from __future__ import annotations

from matchwise.tasks.catalogue import label_option, similarity_option
from matchwise.tasks.declaration import Late, Option, Task

ROLES = Task(
    name="roles",
    title="role-filler entity extraction: CEAF-REE (φ⊆), and CEAF of role fillers by φ3 and φ4",
    presets={
        "paper": (
            "the paper's equations over bags of fillers: an entity that is predicted twice counts twice; 0/0 is 1."
        ),
        "grit": (
            "GRIT's eval.py: strings normalised; only roles that the reference lists; an entity without mentions "
            "is right wherever there is one; 0/0 is 0. Proportional: no error for such an entity, and a mention "
            "that a reference entity has twice counts once."
        ),
    },
    suite=Late("matchwise.tasks.roles:suite"),
    options=(
        label_option("types", "fillers", "role", "roles"),
        similarity_option(
            "mentions",
            "mentions",
            "when two mentions agree in phi3 and phi4",
            default="eq()",
            example="iou()",
            presets=("paper",),
        ),
        Option(
            "strings",
            help="squad: lower case, without punctuation and articles (grit always does)",
            choices=("exact", "squad"),
            default="exact",
            presets=("paper",),
        ),
        Option(
            "duplicates",
            help="whether an entity that fills a role twice counts twice",
            choices=("count", "drop"),
            default="count",
            presets=("paper",),
        ),
    ),
    formats=("grit", "iterx", "gtt", "wikievents", "jsonl"),
    references={
        "ceaf_ree": ("du-2021-grit",),
        "proportional": ("du-2021-grit",),
        "phi3": ("luo-2005-coreference", "chen-etal-2023-unified"),
        "phi4": ("luo-2005-coreference", "chen-etal-2023-unified"),
        "roles": ("chen-etal-2023-unified",),
    },
    example="matchwise score roles system.json -r gold.jsonl --preset grit --by role",
    gradings=Late("matchwise.tasks.roles:gradings"),
    errors=Late("matchwise.tasks.roles:errors"),
)

ROLE_MENTIONS = Task(
    name="role_mentions",
    title="role-filler mentions against entities: CEAF-RME by φ⊆ and φ3, with one-sided matching",
    presets={
        "paper": (
            "the paper's equations, one-sided: several predictions may match one reference, so that recall and F1 "
            "of φ⊆ can exceed 1; 0/0 is 1."
        ),
        "coverage": (
            "the same with bounded sides: precision from N:1 (how many predictions are right), recall from 1:N "
            "(how many references are found); 0/0 is 1."
        ),
        "iterx": (
            "IterX's ceaf_rme.py: templates matched 1:1; under φ⊆ one mention in common is enough and recall "
            "counts the first reference with it, under φ3 entities are matched 1:1; strings normalised; 0/0 is 0. "
            "Of alignments that are equally good by φ⊆ the one with the best recall is taken, where SciPy's is "
            "any."
        ),
    },
    suite=Late("matchwise.tasks.role_mentions:suite"),
    options=(
        label_option("types", "fillers", "role", "roles", presets=("paper", "coverage")),
        similarity_option(
            "mentions",
            "mentions",
            "when two mentions agree in phi3",
            default="eq()",
            example="iou()",
            presets=("paper", "coverage"),
        ),
        Option(
            "strings",
            help="squad: lower case, without punctuation and articles (iterx always does)",
            choices=("exact", "squad"),
            default="exact",
            presets=("paper", "coverage"),
        ),
        Option(
            "predicted",
            help="mentions: each mention of a predicted entity is a prediction of its own",
            choices=("entities", "mentions"),
            default="entities",
            presets=("paper", "coverage"),
        ),
    ),
    formats=("grit", "iterx", "gtt", "wikievents", "jsonl"),
    references={"subset": ("chen-2023-iterative",)},
    example="matchwise score role_mentions system.jsonl -r gold.jsonl --preset coverage",
    gradings=Late("matchwise.tasks.role_mentions:gradings"),
    errors=Late("matchwise.tasks.roles:errors"),
)

NARY = Task(
    name="nary",
    title="N-ary relations between entities: whole (SciREX: n = 4), binary projections, salient entities",
    presets={
        "paper": (
            "the paper's equations: mentions by ⟦J > ½⟧, entities by ⟦P > ½⟧, relations by ⟦F = 1⟧, "
            "micro-averaged; 0/0 is 1."
        ),
        "scirex": (
            "SciREX's scirex_relation_evaluate.py: each predicted mention is the first reference mention with IoU "
            "> ½, each entity the best reference entity with more than ½ of its mentions, relations are sets of "
            "names; means over documents and combinations of roles that the reference has; 0/0 is 0. Without its "
            "1e-7 in the denominators."
        ),
    },
    suite=Late("matchwise.tasks.nary:suite"),
    options=(
        Option(
            "entities",
            help="given: entities are part of the input, and the same if they have one name",
            choices=("predicted", "given"),
            default="predicted",
            presets=("paper",),
        ),
        similarity_option(
            "mentions",
            "mentions",
            "when two mentions are the same",
            default="iou() > 0.5",
            example="eq()",
            presets=("paper",),
        ),
        label_option("types", "relations", "type", "relation types", presets=("paper",)),
    ),
    formats=("scirex", "jsonl"),
    references={"relations": ("jain-2020",)},
    example="matchwise score nary predictions -r test.jsonl --preset scirex",
    gradings=Late("matchwise.tasks.nary:gradings"),
    errors=Late("matchwise.tasks.nary.errors:analyse"),
    view=Late("matchwise.tasks.nary.errors:view"),
)

TEMPLATES = Task(
    name="templates",
    title="template extraction: MUC-4's score report, BETTER Granular, GTT, IterX, with fillers of any type",
    presets={
        "paper": (
            "the paper's equations: MUC-4's overall score (eq. 32) with φ_set and φ_str, CEAF-REE and CEAF-RME of "
            "templates, F1 of template types; one-sided recall may exceed 1; 0/0 is 1."
        ),
        "muc4": (
            "MUC-4's scoring program of 1992: strings are right if they are equal without premodifiers, or if a "
            "person says so; places of one country and more general values are half right; templates are paired by "
            "recall, if their type and one of seven slots agree in part."
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
    suite=Late("matchwise.tasks.templates:suite"),
    options=(
        label_option("types", "templates", "type", "types", presets=("paper", "better")),
        Option(
            "entities",
            help="when two entities are the same: a word, all or any mentions in common",
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
            default="none (muc4: also its own)",
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
            default="descendant, as in the paper",
            presets=("paper", "better"),
        ),
        Option(
            "premodifiers",
            help="words that two strings may share without being the same",
            type="words",
            takes="words",
            default="MUC-4's",
            presets=("paper", "muc4"),
        ),
        Option(
            "slots",
            help="score these slots only, under the alignment of all",
            type="words",
            takes="slots",
            default="all",
            presets=("muc4", "gtt"),
        ),
        Option(
            "values",
            help="similarities for values of your own classes",
            type="mapping",
            takes="class: similarity",
            default="none",
            example='{Money: eq("amount")}',
            presets=("paper", "better"),
        ),
        Option(
            "adjudications",
            help="what a person said of mismatches; from the command line --adjudications FILE",
            takes="judgements",
            default="none",
            read=Late("matchwise.formats.muc4:read_judgements"),
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
    example="matchwise score templates system.muc -r key.muc --preset muc4 --layout official",
    gradings=Late("matchwise.tasks.templates:gradings"),
    errors=Late("matchwise.tasks.templates.errors:analyse"),
    view=Late("matchwise.tasks.templates.errors:view"),
    shown=("fillers", "muc4", "all", "overall"),
    questions=Late("matchwise.tasks.templates.adjudication:questions"),
    report=Late("matchwise.tasks.templates.report:report"),
)
