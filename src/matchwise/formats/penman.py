"""PENMAN notation, as AMR is written: comments, then a graph; graphs are kept apart by empty lines.

    # ::id lpp.1 ::snt The boy wants to go.
    (w / want-01
       :ARG0 (b / boy)
       :ARG1 (g / go-02 :ARG0 b))

What is unquoted and names a node is a variable, all else a constant. Alignments (`~e.1`) are read over. Roles stay as
they are written; a preset turns them round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from matchwise.algebra.names import Var
from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.documents import Entry, take_documents
from matchwise.formats.io.records import read_one
from matchwise.formats.io.source import Text, name_of, open_text
from matchwise.tasks.amr import AMR, Prop
from matchwise.tasks.amr.graphs import INSTANCE

_CHARACTER = r'[^ \t\r\n\v\f"()/:~]'

_TOKEN = re.compile(
    r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'  # a string
    rf"|:{_CHARACTER}*"  # a role
    rf"|{_CHARACTER}+"  # a variable, a concept or a constant
    r"|~(?:[a-z]\.?)?[0-9]+(?:,[0-9]+)*"  # an alignment
    r"|[^ \t\r\n\v\f]"  # a bracket, a slash, or what should not be there
)

_MARKS = frozenset('()/"~')
"""Tokens that are neither a name nor a string."""

_ID = re.compile(r"::id[ \t]+(\S+)")


def read(source: Text) -> Iterator[AMR]:
    """The graphs of a file, one at a time.

    >>> from io import StringIO
    >>> [graph] = read(StringIO("# ::id 7\\n(w / want-01 :ARG0 (b / boy) :polarity -)"))
    >>> graph.id, [tuple(prop) for prop in graph.props]
    ('7', [('instance', 'w', 'want-01'), ('ARG0', 'w', 'b'), ('instance', 'b', 'boy'), ('polarity', 'w', '-')])
    """
    return take_documents(entries(source))


def parse(text: str) -> AMR:
    """One graph from text.

    >>> parse("(b / boy)").props
    (Prop(rel='instance', subj='b', obj='boy'),)
    """
    return read_one(read, text, "graphs")


def entries(source: Text) -> Iterator[Entry]:
    """The graphs with their ids; one that is broken is a fault, and the next empty line ends it."""
    name = name_of(source)
    comments: list[str] = []
    lines: list[str] = []
    start = 0
    with open_text(source) as file:
        for number, line in enumerate(chain(file, "\n"), start=1):
            first = line.lstrip(" \t\r\n\v\f")[:1]
            if not first:
                if lines:
                    yield from _graphs(comments, lines, start, name)
                    comments, lines = [], []
            elif first != "#":
                if not lines:
                    start = number
                lines.append(line)
            elif not lines:
                comments.append(line)
            elif _is_closed(lines):
                yield from _graphs(comments, lines, start, name)
                comments, lines = [line], []
            else:
                lines.append("\n")  # a comment within a graph


def _is_closed(lines: list[str]) -> bool:
    tokens = _TOKEN.findall("".join(lines))
    return tokens.count("(") <= tokens.count(")")


def _graphs(comments: list[str], lines: list[str], start: int, name: str) -> Iterator[Entry]:
    """The graphs of a block of lines: one, or several that no empty line keeps apart."""
    said = tuple([line.strip() for line in comments])
    found = next(filter(None, map(_ID.search, said)), None)
    id = None if found is None else found[1]
    text = "".join(lines)
    tokens: list[str] = _TOKEN.findall(text)
    if "~" in text:
        tokens = [token for token in tokens if not _is_alignment(token)]
    place = 0
    made: list[Entry] = []
    try:
        while place < len(tokens):
            graph, after = _graph(tokens, place, id, said)
            made.append(Entry(id, graph))
            id, said, place = None, (), after
    except _Broken as error:
        if made and tokens[place] != "(":  # what follows a graph belongs to it: it was closed too early
            id = made.pop().id
        problem = f"{error.problem} (graph {id})" if id else error.problem
        made.append(Entry(id, FormatError(problem, name, start + _line(text, error.place))))
    yield from made


def _is_alignment(token: str) -> bool:
    return token[0] == "~" and len(token) > 1


def _line(text: str, place: int) -> int:
    """The line of a token, counted from 0."""
    tokens = (token.start() for token in _TOKEN.finditer(text) if not _is_alignment(token[0]))
    return text.count("\n", 0, next(islice(tokens, place, None), len(text.rstrip())))


class _Broken(Exception):
    """What is wrong with a graph, and at which token."""

    def __init__(self, problem: str, place: int) -> None:
        self.problem, self.place = problem, place


def _graph(tokens: list[str], start: int, id: str | None, comments: tuple[str, ...]) -> tuple[AMR, int]:
    """The graph that begins at a token, and the token after it."""
    nodes: dict[str, Var] = {}
    props: list[Prop] = []
    named: set[str] = set()
    later: list[int] = []
    path: list[Var] = []
    role, place = "", start
    try:
        while True:
            token = tokens[place]
            if token[0] == ":" and path and not role:
                role = token
                place += 1
            elif token == "(" and bool(role) is bool(path):
                name = tokens[place + 1]
                if name == ")" and not path:
                    return AMR((), None, id, comments), place + 2
                if name[0] in '":' or name in _MARKS:
                    raise _Broken(f"found {name!r} after (, expected a variable as in (b / boy)", place + 1)
                node = nodes.get(name)
                if node is None:
                    node = nodes[name] = Var(name)
                if role:
                    props.append(Prop(role[1:], path[-1], node))
                    role = ""
                path.append(node)
                place += 2
                if tokens[place] == "/":
                    concept = tokens[place + 1]
                    if concept[0] == ":" or concept in _MARKS:
                        raise _Broken(f"found {concept!r} after /, expected a concept as in (b / boy)", place + 1)
                    if name in named:
                        raise _Broken(f"found a second concept for {name!r}; give one node another variable", place)
                    named.add(name)
                    props.append(Prop(INSTANCE, node, concept))
                    place += 2
            elif token == ")" and path and not role:
                path.pop()
                place += 1
                if not path:
                    break
            elif role and token[0] != ":" and token not in _MARKS:
                node = nodes.get(token)
                if node is None and token[0] != '"':
                    later.append(len(props))
                props.append(Prop(role[1:], path[-1], token if node is None else node))
                role = ""
                place += 1
            else:
                raise _Broken(_problem(token, role, path), place)
    except IndexError:
        raise _Broken("found a graph that begins here and is never closed, expected a ) for each (", start) from None
    for index in later:  # the node of such a name was written after it
        rel, subj, obj = props[index]
        props[index] = Prop(rel, subj, nodes.get(obj, obj))
    return AMR(tuple(props), next(iter(nodes.values())), id, comments), place


def _problem(token: str, role: str, path: list[Var]) -> str:
    """Describe what is wrong with a token at its place."""
    if token == '"':
        return "found a quote that is not closed on its line"
    if role:
        return f"found {token!r} after the role {role}, expected a node, a variable or a constant"
    if token == ")":
        return "found ) where no bracket is open"
    if not path:
        return f"found {token!r} outside of a graph, expected (; is a bracket closed too early?"
    if token == "(":
        return "found a node without a role before it, expected one as in :ARG0 (b / boy)"
    return f"found {token!r}, expected a role such as :ARG0 or ); a name with blanks is written in quotes"


def _is_penman(head: str, name: str) -> bool:
    lines = (line.strip() for line in head.splitlines())
    first = next((line for line in lines if line and line[0] != "#"), "# ::" if "# ::" in head else "")
    return first.startswith(("(", "# ::")) and not first.startswith("((")


PENMAN = Format(
    name="penman",
    title="PENMAN",
    looks="graphs such as (w / want-01 :ARG0 (b / boy))",
    read=read,
    entries=entries,
    sniff=_is_penman,
    remedy="write # ::id NAME above each graph, or one graph for each of the reference, in order",
)
