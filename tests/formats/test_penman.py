"""PENMAN notation to graphs: what is read, and what is refused where."""

from io import StringIO

import pytest

from matchwise.deriving import Var
from matchwise.errors import FormatError
from matchwise.formats import recognize
from matchwise.formats.penman import entries, parse, read

ROLE = "expected a role such as :ARG0 or ); a name with blanks is written in quotes"


def triples(text: str) -> list[tuple[str, ...]]:
    return [tuple(prop) for prop in parse(text).props]


def test_propositions_come_in_the_order_in_which_they_are_written() -> None:
    found = triples("(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))")
    assert found == [
        ("instance", "w", "want-01"),
        ("ARG0", "w", "b"),
        ("instance", "b", "boy"),
        ("ARG1", "w", "g"),
        ("instance", "g", "go-02"),
        ("ARG0", "g", "b"),
    ]


def test_the_first_variable_is_the_top() -> None:
    assert parse("(w / want-01 :ARG0 (b / boy))").top == "w"


def test_a_variable_may_be_mentioned_before_its_node_is_written() -> None:
    prop = parse("(w / want-01 :ARG0 b :ARG1 (b / boy))").props[1]
    assert type(prop.obj) is Var


def test_a_quoted_name_is_a_constant_even_if_a_variable_is_called_so() -> None:
    prop = parse('(b / boy :name "b")').props[1]
    assert (prop.obj, type(prop.obj)) == ('"b"', str)


def test_a_concept_is_a_constant_even_if_a_variable_is_called_so() -> None:
    [prop] = parse("(i / i)").props
    assert type(prop.obj) is str


def test_strings_keep_their_blanks_brackets_and_escaped_quotes() -> None:
    assert triples(r'(n / name :op1 "Lady (T.) / :x \"Tol\" ~e.1")')[1][2] == r'"Lady (T.) / :x \"Tol\" ~e.1"'


def test_a_concept_may_be_quoted() -> None:
    assert triples('(n / "New York")') == [("instance", "n", '"New York"')]


def test_alignments_are_read_over() -> None:
    assert triples("(w / want-01~e.3 :ARG0~e.1,2 (b / boy~4) :ARG1~5 b~e.6)") == triples(
        "(w / want-01 :ARG0 (b / boy) :ARG1 b)"
    )


def test_blanks_may_be_left_out() -> None:
    assert triples("(w/want-01:ARG0(b/boy):polarity -)") == triples("(w / want-01 :ARG0 (b / boy) :polarity -)")


def test_roles_stay_as_they_are_written() -> None:
    assert [rel for rel, _, _ in triples("(b / boy :ARG0-of (w / want-01) :mod 1)")] == [
        "instance",
        "ARG0-of",
        "instance",
        "mod",
    ]


def test_a_triple_that_is_written_twice_is_there_twice() -> None:
    assert len(triples("(w / want-01 :polarity - :polarity -)")) == 3


def test_a_node_without_concept_is_a_variable() -> None:
    assert triples("(w / want-01 :ARG0 (b) :ARG1 b)")[1:] == [("ARG0", "w", "b"), ("ARG1", "w", "b")]


def test_the_empty_graph_has_no_propositions() -> None:
    assert (parse("()").props, parse("()").top) == ((), None)


def test_unicode_and_other_blanks_are_part_of_a_name() -> None:
    assert triples("(š / größe :op1 a\u00a0b)") == [("instance", "š", "größe"), ("op1", "š", "a\u00a0b")]


def test_comments_give_the_id_and_the_metadata() -> None:
    [graph] = read(StringIO("# a file\n\n# ::id x.1 ::date 2026\n# ::snt A  boy: here\n(b / boy)\n"))
    assert (graph.id, graph.metadata) == ("x.1", {"id": "x.1", "date": "2026", "snt": "A  boy: here"})


def test_graphs_are_kept_apart_by_empty_lines() -> None:
    found = list(read(StringIO("\n\n# ::id 1\n(a / b\n  :c d)\n \t\n# ::id 2\n(e / f)\n\n\n")))
    assert [(graph.id, len(graph.props)) for graph in found] == [("1", 2), ("2", 1)]


def test_graphs_need_no_empty_line_between_them() -> None:
    found = list(read(StringIO("# ::id 1\n(a / b)\n# ::id 2\n(e / f) (g / h)\n")))
    assert [(graph.id, graph.top) for graph in found] == [("1", "a"), ("2", "e"), (None, "g")]


def test_a_comment_within_a_graph_is_read_over() -> None:
    assert len(parse("(a / b\n# ::note here\n  :c (d / e))").props) == 3


def test_windows_line_ends_change_nothing() -> None:
    [graph] = read(StringIO("# ::id 7\r\n(a / b\r\n  :c d)\r\n\r\n", newline=""))
    assert (graph.id, [tuple(prop) for prop in graph.props]) == ("7", [("instance", "a", "b"), ("c", "a", "d")])


def test_a_file_without_graphs_has_none() -> None:
    assert list(read(StringIO("# nothing\n\n"))) == []


def test_deep_graphs_are_read() -> None:
    depth = 50_000
    text = "".join(f"(v{number} / c :ARG0 " for number in range(depth)) + "v0" + ")" * depth
    assert len(parse(text).props) == 2 * depth


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("(a / b\n  :c (d / e)", 1, "found a graph that begins here and is never closed, expected a ) for each ("),
        ("(a / b)\n)", 2, "found ) where no bracket is open"),
        ("(a / b)\n:c d", 2, "found ':c' outside of a graph, expected (; is a bracket closed too early?"),
        ("a / b", 1, "found 'a' outside of a graph, expected (; is a bracket closed too early?"),
        ("(a / b\n :c )", 2, "found ')' after the role :c, expected a node, a variable or a constant"),
        ("(a / b\n :c :d e)", 2, "found ':d' after the role :c, expected a node, a variable or a constant"),
        ("(a / b :c 10:30)", 1, "found ')' after the role :30, expected a node, a variable or a constant"),
        ('(a / b\n :c "d)', 2, "found a quote that is not closed on its line"),
        ("(a / )", 1, "found ')' after /, expected a concept as in (b / boy)"),
        ("(/ b)", 1, "found '/' after (, expected a variable as in (b / boy)"),
        ('("a" / b)', 1, "found '\"a\"' after (, expected a variable as in (b / boy)"),
        ("(a / b\n\t(c / d))", 2, "found a node without a role before it, expected one as in :ARG0 (b / boy)"),
        ("(a / b c)", 1, f"found 'c', {ROLE}"),
        ("(a / b\n :c (a / d))", 2, "found a second concept for 'a'; give one node another variable"),
        ("(a / b\n# note\n  / c)", 3, f"found '/', {ROLE}"),
        ("(a / b~e.1\n :c~e.2 d~x)", 2, f"found '~', {ROLE}"),
        ("(", 1, "found a graph that begins here and is never closed, expected a ) for each ("),
    ],
)  # fmt: skip
def test_a_broken_graph_is_refused_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(FormatError) as error:
        list(read(StringIO(f"# ::id 0\n\n\n{text}")))
    assert (error.value.line, error.value.problem) == (line + 3, f"{problem} (graph 0)")


def test_reading_goes_on_after_a_broken_graph() -> None:
    found = list(entries(StringIO("# ::id 1\n(a / b\n\n# ::id 2\n(c / d)\n")))
    assert [(entry.id, isinstance(entry.document, FormatError)) for entry in found] == [("1", True), ("2", False)]


def test_what_follows_a_graph_makes_it_a_broken_one() -> None:
    [entry] = entries(StringIO("# ::id 1\n(a / b) :c d)\n"))
    assert (entry.id, isinstance(entry.document, FormatError)) == ("1", True)


def test_of_two_graphs_the_broken_one_is_refused_alone() -> None:
    first, second = entries(StringIO("# ::id 1\n(a / b)\n# ::id 2\n(c / d\n"))
    broken = [isinstance(entry.document, FormatError) for entry in (first, second)]
    assert (broken, second.id) == ([False, True], "2")


def test_one_graph_is_not_several() -> None:
    with pytest.raises(FormatError, match="found 2 graphs, expected one"):
        parse("(a / b) (c / d)")


def test_the_format_is_recognised() -> None:
    assert recognize("amr", "# ::id 1\n\n(w / want-01", "x.amr") == "penman"


def test_a_tree_is_not_a_graph() -> None:
    with pytest.raises(FormatError, match="looks like none of the formats of amr"):
        recognize("amr", "((S (NP x)))\n", "a.txt")
