"""Relation extraction: a metric in one line, the table of a corpus, and what went wrong in a document.

Run it with `python examples/01_relations.py`.
"""

from dataclasses import dataclass

import matchwise as mw


@dataclass(frozen=True)
class Relation:
    type: str
    subj: str
    obj: str


@dataclass(frozen=True)
class RelationSet:
    relations: tuple[Relation, ...]


REFERENCES = [
    RelationSet(
        (
            Relation("capital-of", "Paris", "France"),
            Relation("born-in", "Marie Curie", "Warsaw"),
            Relation("spouse-of", "Marie Curie", "Pierre Curie"),
        )
    ),
    RelationSet((Relation("works-for", "Ada Lovelace", "Charles Babbage"),)),
]
PREDICTIONS = [
    RelationSet(
        (
            Relation("born-in", "Marie Curie", "Warsaw"),
            Relation("spouse-of", "M. Curie", "Pierre Curie"),
            Relation("capital-of", "Lyon", "France"),
        )
    ),
    RelationSet(()),
]


def main() -> None:
    exact = mw.f1("relations", mw.eq("type") * mw.eq("subj") * mw.eq("obj"))
    lenient = mw.replace(exact, {mw.eq("subj"): mw.edit("subj")})
    mw.check(exact, RelationSet)

    print("The metric, as data and as the paper's equation:\n")
    print(f"  {exact}\n  {mw.unicode(exact)}\n")

    suite = mw.Suite(exact=exact, lenient=lenient)
    print(mw.evaluate(suite, PREDICTIONS, REFERENCES, ids=["curie", "lovelace"]))

    print("\nWhat was matched with what in document 'curie', with partial credit for the subject:\n")
    print(mw.align(lenient, PREDICTIONS[0], REFERENCES[0]))

    print("\nHow it is computed:\n")
    print(mw.plan(lenient))


if __name__ == "__main__":
    main()
