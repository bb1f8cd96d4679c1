"""Analyses of sentences: semantic roles and dependencies, AMR, discourse structures, constituents, dependencies."""

from __future__ import annotations

from matchwise.tasks.catalogue import label_option, similarity_option
from matchwise.tasks.declaration import Late, Option, Task

SRL = Task(
    name="srl",
    title="semantic role labelling: arguments per role, propositions that are all right, semantic dependencies",
    presets={
        "conll05": (
            "srl-eval.pl of CoNLL-2005: C-X continues X, V does not count, predicates are given (propositions of "
            "others are left out, missing ones have no arguments); 0/0 is 0. Arguments inside arguments, which "
            "its data does not have, are compared by themselves."
        ),
        "conll09": (
            "eval09.pl of CoNLL-2009: senses as edges from a virtual root and arguments as edges from their "
            "predicates, labelled and not, propositions that are all right, the attachment scores of the parse, "
            "both together (micro), and sentences that are all right; 0/0 is 0. Its macro scores are means of "
            "these; punctuation is scored."
        ),
    },
    suite=Late("matchwise.tasks.srl:suite"),
    options=(
        Option(
            "predicates",
            help="whether predicted propositions of other predicates are left out, or count as excess",
            choices=("given", "predicted"),
            default="given",
            presets=("conll05",),
        ),
        Option(
            "continuations",
            help="whether C-X is a piece of X, or an argument of its own",
            choices=("join", "separate"),
            default="join",
            presets=("conll05",),
        ),
        Option(
            "without",
            help="roles that do not count",
            type="words",
            takes="roles",
            default='("V",)',
            presets=("conll05",),
        ),
        label_option("roles", "arguments", "role", "roles", separator="-", presets=("conll05",)),
    ),
    formats=("conll09", "conll05", "propositions"),
    references={"arguments": ("carreras-marquez-2005",), "labeled": ("hajic-2009",)},
    example="matchwise score srl system.props -r gold.props --by role --confusion",
    gradings=Late("matchwise.tasks.srl:gradings"),
    errors=Late("matchwise.tasks.srl:errors"),
)

SDP = Task(
    name="sdp",
    title="semantic dependency graphs: labelled and unlabelled edges with tops, and graphs that are all right",
    presets={
        "mtool": (
            "mtool --score sdp: sets of edges and one virtual edge to each top, summed over graphs; nodes are the "
            "same if their anchors are; labels, inverse edges and anchors are normalised as mtool does by default; "
            "0/0 is 0. Nodes without anchors, which are all one in mtool, are the same "
            "by their ids."
        ),
        "semeval15": (
            "the scorer of SemEval-2015 Task 18: as mtool, but nodes are the same by their ids, and with the "
            "complete predications, frames and senses of verbs; 0/0 is 0, not NaN."
        ),
    },
    suite=Late("matchwise.tasks.sdp:suite"),
    options=(
        Option("tops", help="whether each top counts as a virtual edge", type="boolean", default=True),
        label_option("labels", "dependencies", "label", "labels", separator="-"),
        Option(
            "arguments",
            help="which edges are arguments of a predication: all (dm), or as in PAS or PSD",
            choices=("dm", "pas", "psd"),
            default="dm",
            presets=("semeval15",),
        ),
    ),
    formats=("sdp", "mrp"),
    references={"labeled": ("oepen-2015",), "mtool": ("oepen-2019",)},
    example="matchwise score sdp system.sdp -r gold.sdp --by label",
    gradings=Late("matchwise.tasks.sdp:gradings"),
    errors=Late("matchwise.tasks.sdp:errors"),
)

AMR = Task(
    name="amr",
    title="graphs of propositions with variables (AMR): Smatch as its proved optimum, and scores of its aspects",
    presets={
        "smatch": (
            "smatch's triples and rules for roles and TOP; the optimum where smatch climbs hills, each triple "
            "once, strings with blanks whole, :mod of a constant kept, and mod-of the same as domain."
        ),
        "smatchpp": (
            "smatchpp's standardisation of AMR (lower case, no quotes, every -of turned round, root concept, "
            "dereified, each triple once) with its ILP optimum; variables that differ in case stay two."
        ),
        "no_top": "as smatch, without the TOP triple.",
        "paper": "the equation of the paper on the triples as they are written, -of turned round; no TOP; 0/0 is 1.",
    },
    suite=Late("matchwise.tasks.amr:suite"),
    options=(
        Option(
            "aspects",
            help="also unlabelled, no_senses, concepts, named_entities, negation, wikification, reentrancies and srl",
            type="boolean",
            default=False,
        ),
        similarity_option(
            "concepts",
            "concepts",
            "partial credit for concepts, inside of the optimum",
            default="eq()",
            example="edit()",
        ),
        Option(
            "document",
            help="match variables only between aligned sentences (:snt1, :snt2, …); also the score of coreference",
            type="boolean",
            default=False,
        ),
        Option("duplicates", help="whether a triple said twice counts once", choices=("set", "bag"), default="set"),
        Option(
            "reification",
            help="roles as nodes, nodes as roles, or as they are written",
            choices=("keep", "reify", "dereify"),
            default="keep (smatchpp: dereify)",
        ),
        Option(
            "top",
            help="what the top variable is said to be",
            choices=("constant", "concept", "none"),
            default="constant (smatchpp: concept; no_top, paper: none)",
        ),
    ),
    formats=("penman", "mrp"),
    references={
        "smatch": ("cai-knight-2013",),
        "smatchpp": ("opitz-2023",),
        "aspects": ("damonte-2017",),
        "coreference": ("naseem-2022",),
    },
    example="matchwise score amr system.amr -r gold.amr --preset smatch --option aspects=true",
    empty=Late("matchwise.tasks.amr.graphs:empty"),
    view=Late("matchwise.tasks.amr.errors:view"),
    errors=Late("matchwise.tasks.amr.errors:analyse"),
)

DRS = Task(
    name="drs",
    title="discourse representation structures (DRS) as clauses: the proved best match of boxes and referents",
    presets={
        "counter": (
            "Counter of the Parallel Meaning Bank: REF only where it says something, PartOf as the inverse of "
            "Part, EQU, NEQ, APX and TAB in either direction, each clause once; 0/0 is 0. The optimum where "
            "Counter climbs hills; concepts are mapped to synsets only by synsets=."
        ),
        "paper": "the equation of the paper on the clauses as they are written, each once, REF among them; 0/0 is 1.",
    },
    suite=Late("matchwise.tasks.drs:suite"),
    options=(
        Option(
            "ignore",
            help="take all senses, all roles or all concepts for the same (Counter's -dse, -dr, -dc)",
            choices=("nothing", "senses", "roles", "concepts"),
            default="nothing",
        ),
        Option(
            "refs",
            help="which REF clauses count: where the box says nothing else of the referent, or all (Counter's -ic)",
            choices=("needed", "all"),
            default="needed (paper: all)",
        ),
        Option(
            "synsets",
            help="which concepts are the same, as in synsets={'auto.n.01': 'car.n.01'}",
            type="mapping",
            takes="concept: concept",
            default="none",
            example="{'auto.n.01': 'car.n.01'}",
        ),
    ),
    formats=("clauses",),
    references={"clauses": ("vannoord-2018",)},
    example="matchwise score drs system.clf -r gold.clf --by kind",
    empty=Late("matchwise.tasks.drs.structures:empty"),
    view=Late("matchwise.tasks.drs.errors:view"),
    errors=Late("matchwise.tasks.drs.errors:analyse"),
)


CONSTITUENCY = Task(
    name="constituency",
    title="constituency parsing: labelled and unlabelled bracket F1, complete match, crossing brackets, tags",
    presets={
        "evalb": (
            "EVALB of 2006 with COLLINS.prm (or new.prm, or a file), unrounded: bags of brackets without "
            "punctuation, sentences whose words differ are left out and counted, and with cutoff=40 all again for "
            "the short ones; 0/0 is 0."
        ),
        "paper": "F1 over bags of labelled spans, with every label and every word as it is; 0/0 is 1.",
    },
    suite=Late("matchwise.tasks.constituency:suite"),
    options=(
        Option(
            "parameters",
            help="what is left out, which labels are the same, and what else a file sets: LABELED, CUTOFF_LEN",
            choices=("COLLINS", "new"),
            takes="a file that ends in .prm",
            default="COLLINS",
            presets=("evalb",),
        ),
        Option(
            "mismatch",
            help="what becomes of a sentence whose words differ; `valid`, `errors` and `skipped` count them",
            choices=("skip", "error"),
            default="skip",
            presets=("evalb",),
        ),
        Option(
            "cutoff",
            help="every score is also given for the sentences of at most this many words; EVALB's is 40",
            type="count",
            takes="a number of words",
            default="none, or CUTOFF_LEN of the file",
            presets=("evalb",),
        ),
        similarity_option(
            "labels", "brackets", "when two labels agree", default='eq("label")', example='ontology({...}, "label")'
        ),
    ),
    formats=("ptb",),
    references={"labelled": ("black-1991",), "complete": ("evalb",)},
    example="matchwise score constituency system.mrg -r gold.mrg --option parameters=new",
    gradings=Late("matchwise.tasks.constituency:gradings"),
    view=Late("matchwise.tasks.constituency.errors:view"),
    errors=Late("matchwise.tasks.constituency.errors:analyse"),
)

DEPENDENCIES = Task(
    name="dependencies",
    title="dependency parsing: UAS, LAS, CLAS, MLAS, BLEX, ELAS, EULAS, and tokens, sentences, words, tags, lemmas",
    presets={
        "ud": (
            "udeval (udtools 0.2.9; CoNLL 2018 and IWPT 2020): words aligned by characters, relations without "
            "subtypes, 0/0 is 0; ELAS and EULAS count every pair of equal edges, so that EULAS can exceed 1."
        ),
        "paper": (
            "the equations of the paper: F1 over edges with the full relation, and the same over the edges of the "
            "enhanced graph, each counted once; any graph is scored, and 0/0 is 1."
        ),
    },
    suite=Late("matchwise.tasks.dependencies:suite"),
    options=(
        Option(
            "aligned",
            help="also the accuracy over aligned words, as udeval's AligndAcc: las_aligned, clas_aligned, …",
            type="boolean",
            default=False,
            presets=("ud",),
        ),
        Option(
            "trees",
            help="whether a sentence with a cycle, without a root or with two is an error, as in udeval",
            choices=("strict", "any"),
            default="strict (paper: any)",
        ),
        similarity_option(
            "relations",
            "arcs",
            "when two relations agree",
            default='eq("rel") (paper: eq("deprel"))',
            example='levels("deprel", separator=":")',
        ),
        Option(
            "enhancements",
            help="kinds of enhancements that are left out of both graphs, as in udeval --enhancements 12",
            takes="digits from 1 to 6, or 0",
            default="0",
        ),
    ),
    formats=("conllu",),
    references={
        **dict.fromkeys(("tokens", "sentences", "words"), ("zeman-2018",)),
        **dict.fromkeys(("upos", "xpos", "ufeats", "all_tags", "lemmas"), ("zeman-2018",)),
        **dict.fromkeys(("uas", "las"), ("buchholz-marsi-2006",)),
        "clas": ("nivre-fang-2017",),
        **dict.fromkeys(("mlas", "blex"), ("zeman-2018",)),
        **dict.fromkeys(("elas", "eulas"), ("bouma-2020",)),
    },
    example="matchwise score dependencies system.conllu -r gold.conllu",
    gradings=Late("matchwise.tasks.dependencies:gradings"),
    view=Late("matchwise.tasks.dependencies.errors:view"),
    errors=Late("matchwise.tasks.dependencies.errors:analyse"),
    shown=("las",),
)
