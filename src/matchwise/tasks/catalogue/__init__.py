"""What each task offers, in a few light modules. Importing them imports none of the tasks' code."""

from __future__ import annotations

from matchwise.tasks.declaration import Option

HOMES = {
    "mentions": ("ner", "relations", "events", "coref"),
    "templates": ("roles", "role_mentions", "nary", "templates"),
    "sentences": ("srl", "sdp", "amr", "drs", "constituency", "dependencies"),
    "values": ("documents", "sequences", "sets"),
}
"""Module -> the tasks that it declares: `ner` is `mentions.NER`."""


def similarity_option(
    name: str, of: str, when: str, *, default: str, example: str, presets: tuple[str, ...] = ()
) -> Option:
    """An option that takes a similarity of some elements, which says when they agree.

    >>> similarity_option("types", "mentions", "when two types agree", default='eq("type")', example="edit()").help
    'when two types agree, as in types=edit()'
    """
    return Option(
        name,
        help=f"{when}, as in {name}={example}",
        type="similarity",
        takes=f"a similarity of {of}",
        default=default,
        example=example,
        presets=presets,
    )


def label_option(
    name: str, of: str, field: str, labels: str, *, separator: str = "", presets: tuple[str, ...] = ()
) -> Option:
    """An option that says when the labels of two elements agree; the labels are in one of their fields.

    >>> label_option("roles", "arguments", "role", "roles", separator="-").help
    'when two roles agree, as in roles=levels("role", separator="-")'
    """
    example = f'levels("{field}", separator="{separator}")' if separator else f'levels("{field}")'
    default = f'eq("{field}")'
    return similarity_option(name, of, f"when two {labels} agree", default=default, example=example, presets=presets)
