"""CoNLL-2012 and SemEval-2010: what is read, and what is refused with its line."""

import gzip
import re
import string
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise import DataError, FormatError
from matchwise.corpus.tally import Tally
from matchwise.formats import conll2012, find_format, semeval2010
from matchwise.tasks.coref import EntitySet, suite


def conll(*cells: str, name: str = "a", part: str = "000", separator: str = "  ") -> str:
    """A document with one word a cell; an empty cell ends a sentence."""
    lines = [f"#begin document ({name}); part {part}"]
    for at, cell in enumerate(cells):
        columns = (name, "0", str(at), f"w{at}", "NN", cell)
        lines.append(separator.join(columns) if cell else "")
    return "\n".join([*lines, "", "#end document", ""])


def read(text: str) -> list[EntitySet]:
    return list(conll2012.read(StringIO(text)))


def spans(document: EntitySet) -> dict[str, list[tuple[int, int]]]:
    return {entity.id: [mention[:2] for mention in entity.mentions] for entity in document.entities}


def test_brackets_open_and_close_mentions() -> None:
    [document] = read(conll("(0", "-", "0)|(1)", "(0)"))
    assert spans(document) == {"0": [(0, 3), (3, 4)], "1": [(2, 3)]}


def test_nested_mentions_of_one_entity_close_from_the_inside_out() -> None:
    [document] = read(conll("(0", "(0", "0)", "0)"))
    assert spans(document) == {"0": [(1, 3), (0, 4)]}


def test_crossing_mentions_of_two_entities_are_told_apart() -> None:
    [document] = read(conll("(0", "(1", "0)", "1)"))
    assert spans(document) == {"0": [(0, 3)], "1": [(1, 4)]}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("(0", "0)|(0", "0)"), [(1, 2), (0, 3)]),
        (("(0", "(0|0)", "0)"), [(1, 2), (0, 3)]),
        (("(0", "0)(0", "0)"), [(1, 2), (0, 3)]),
        (("(0", "0)|(0)"), [(1, 2), (0, 2)]),
        (("(0", "(0", "0)|0)|(0", "0)"), [(2, 3), (1, 3), (0, 4)]),
        (("-", "0)|(0", "-"), [(1, 2)]),
    ],
)
def test_brackets_of_one_word_are_read_in_the_order_of_the_official_scorer(
    cells: tuple[str, ...], expected: list[tuple[int, int]]
) -> None:
    """CorScorer.pm 8.01, GetCoreference: mentions of one word, then what begins, then what ends."""
    [document] = read(conll(*cells))
    assert spans(document) == {"0": expected}


def test_entities_are_in_the_order_of_the_official_scorer() -> None:
    [document] = read(conll("(1|(0)", "1)"))
    assert [entity.id for entity in document.entities] == ["0", "1"]


def test_a_mention_may_cross_the_end_of_a_sentence() -> None:
    [document] = read(conll("(0", "", "-", "0)"))
    assert spans(document) == {"0": [(0, 3)]}


def test_brackets_need_no_bars_between_them() -> None:
    [document] = read(conll("(0(1)(2)", "0)"))
    assert spans(document) == {"0": [(0, 2)], "1": [(0, 1)], "2": [(0, 1)]}


def test_ids_need_not_be_numbers() -> None:
    [document] = read(conll("(e-1)", "(Anna)"))
    assert list(spans(document)) == ["e-1", "Anna"]


@pytest.mark.parametrize("separator", ["\t", " ", "     "])
@pytest.mark.parametrize("nothing", ["-", "_"])
def test_columns_are_separated_by_tabs_or_blanks_and_nothing_is_a_dash_or_an_underscore(
    separator: str, nothing: str
) -> None:
    [document] = read(conll("(0)", nothing, separator=separator))
    assert (spans(document), document.words) == ({"0": [(0, 1)]}, ["w0", "w1"])


def test_a_word_that_looks_like_a_bracket_is_a_word() -> None:
    text = "#begin document (a); part 0\na 0 0 (7) -LRB- -\na 0 1 x7) NN (1)\n#end document\n"
    [document] = read(text)
    assert (spans(document), document.words) == ({"1": [(1, 2)]}, ["(7)", "x7)"])


def test_every_part_is_a_document_of_its_own() -> None:
    documents = read(conll("(0)", part="000") + conll("-", part="001") + conll("(0)", name="b"))
    assert [document.id for document in documents] == ["a; part 000", "a; part 001", "b; part 000"]


@pytest.mark.parametrize("part", ["0", "00", "000"])
def test_part_0_is_part_000(part: str) -> None:
    [document] = read(conll("-", part=part))
    assert document.id == "a; part 000"


def test_a_file_of_coreference_alone_has_no_words() -> None:
    [document] = read("#begin document (a); part 000\n0 (0)\n1 -\n#end document\n")
    assert (spans(document), document.words) == ({"0": [(0, 1)]}, [])


def test_placeholders_are_no_words() -> None:
    [document] = read("#begin document (a); part 000\na 0 0 - - (0)\na 0 1 - - -\n#end document\n")
    assert document.text == ""


def test_any_other_sign_is_a_word() -> None:
    signs = [sign for sign in string.punctuation if sign not in "-_#"]
    texts = [f"#begin document (a); part 000\na 0 0 {sign} - (0)\n#end document\n" for sign in signs]
    assert [document.text for text in texts for document in read(text)] == signs


def test_a_line_that_ends_before_its_word_has_none() -> None:
    [document] = read("#begin document (a); part 000\na 0 0 w0 (0)\na 0 1 (1)\n#end document\n")
    assert (document.words, list(spans(document))) == (["w0", "-"], ["0", "1"])


def test_windows_line_ends_a_bom_and_compression_change_nothing(tmp_path: Path) -> None:
    text = conll("(0", "0)", "(0)")
    plain, windows, packed = tmp_path / "a.conll", tmp_path / "b.conll", tmp_path / "c.conll.gz"
    plain.write_bytes(text.encode())
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    packed.write_bytes(gzip.compress(text.encode()))
    [expected] = conll2012.read(plain)
    assert list(conll2012.read(windows)) == list(conll2012.read(str(packed))) == [expected]
    assert expected.words == ["w0", "w1", "w2"]


def test_documents_are_read_one_at_a_time() -> None:
    documents = conll2012.read(StringIO(conll("(0)") + conll("0)", name="b")))
    assert next(documents).id == "a; part 000"
    with pytest.raises(FormatError):
        next(documents)


def test_an_empty_document_is_one() -> None:
    [document] = read("#begin document (a); part 000\n#end document\n")
    assert document.entities == ()


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (conll("-", "(0", "-", "(1", "1)"), 3, "a mention of entity 0 is opened here and never closed"),
        (conll("(0", "(0", "-", "0)"), 2, "a mention of entity 0 is opened here and never closed"),
        (conll("(0", "(0", "-"), 3, "a mention of entity 0 is opened here and never closed"),
        (conll("(1", "(0", "(1)|(0"), 2, "a mention of entity 1 is opened here and never closed"),
        (conll("-", "0)"), 3, "found '0)', but no mention of entity 0 is open"),
        (conll("(0)|0)"), 2, "found '0)', but no mention of entity 0 is open"),
        (conll("(3+4)"), 2, "found '(3+4)' in the last column, expected -, _ or brackets as in (3|(4)|5)"),
        (conll("-", "NN"), 3, "found 'NN' in the last column"),
        (conll("()"), 2, "found '()' in the last column"),
        (conll("(1)||(2)"), 2, "found '(1)||(2)' in the last column"),
        (conll("(1)|"), 2, "found '(1)|' in the last column"),
        (conll("(1)2"), 2, "found '(1)2' in the last column"),
        (conll("((1)"), 2, "found '((1)' in the last column"),
        (conll("-") + conll("-"), 5, "document 'a; part 000' begins again, first on line 1"),
        ("#begin document (a); part 0\na 0 0 w NN -\n", 2, "the file ends within document 'a; part 000'"),
        ("a 0 0 w NN -\n", 1, "found 'a 0 0 w NN -' outside of a document"),
        ("#begin document (a); part 0\n#begin document (b); part 0\n", 2, "before the end of 'a; part 000'"),
        ("#end document\n", 1, "found '#end document' where no document has begun"),
        ("#begin document (a); part x\n", 1, "expected '#begin document (name); part 000'"),
        (
            "#begin document (a); part 0\na 0 0 w NN -\na 0 1\n#end document\n",
            3,
            "found 3 columns, expected at least 5",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.line == line
    assert problem in caught.value.problem


@pytest.mark.parametrize("cells", [("(1", "-"), ("-", "1)"), ("-", "(1+2)", "(3")])
def test_a_broken_document_does_not_keep_the_others_from_being_read(cells: tuple[str, ...]) -> None:
    text = conll("(1)", name="x") + conll(*cells) + conll("-", "(2)", name="z")
    first, broken, last = conll2012.entries(StringIO(text))
    with pytest.raises(FormatError) as caught:
        list(conll2012.read(StringIO(text)))
    assert (broken.id, str(broken.document)) == ("a; part 000", str(caught.value))
    assert [entry.document for entry in (first, last)] == [
        *conll2012.read(StringIO(conll("(1)"))),
        *conll2012.read(StringIO(conll("-", "(2)"))),
    ]
    assert list(last.document.entities[0].lines) == [4 + (3 + len(cells)) + 3]


def test_a_broken_document_that_is_cut_off_is_broken_first() -> None:
    with pytest.raises(FormatError, match=r":2: found '1\)', but no mention of entity 1 is open"):
        list(conll2012.read(StringIO(conll("1)").removesuffix("#end document\n"))))


def test_a_repeated_span_is_reported_with_file_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "sys.conll"
    path.write_text(conll("-", "(0|(1", "0)|1)"))
    [document] = conll2012.read(path)
    with pytest.raises(DataError) as caught:
        Tally(suite()).add(document, document, document.id)
    expected = (
        f"document a; part 000 prediction: the span [1, 3) 'w1 w2' is in entity 0 ({path}:3) and again in entity 1 "
        f'({path}:3); take one out, or write repeated="first"'
    )
    assert str(caught.value) == expected


def test_files_of_different_words_are_refused() -> None:
    [pred], [ref] = read(conll("(0)", "-")), read(conll("(0)", "-").replace("w1", "v1"))
    with pytest.raises(DataError, match="word 2 is 'w1' in the prediction and 'v1' in the reference"):
        Tally(suite()).add(pred, ref)


def test_files_of_different_length_are_refused() -> None:
    [pred], [ref] = read(conll("(0)", "-")), read(conll("(0)", "-", "-"))
    with pytest.raises(DataError, match=r"\(2 and 3 words\)"):
        Tally(suite()).add(pred, ref)


def test_words_are_the_same_whatever_else_a_line_has() -> None:
    [pred], [ref] = read(conll("(0)", "-", "")), read(conll("(0)", "_", separator="\t").replace("NN", "VB"))
    assert Tally(suite()).add(pred, ref).report()["ceaf_m"].f1 == 1


def test_a_line_without_its_word_differs_from_one_that_has_it() -> None:
    [pred], [ref] = read(conll("(0)", "-").replace("w1  NN  ", "")), read(conll("(0)", "-"))
    with pytest.raises(DataError, match="word 2 is '-' in the prediction and 'w1' in the reference"):
        Tally(suite()).add(pred, ref)


def test_of_a_long_document_the_words_are_kept() -> None:
    cells = ["(0)", *["-"] * 65_536]
    [document], [other] = read(conll(*cells)), read(conll(*cells, separator=" "))
    assert document.words == [f"w{at}" for at in range(len(cells))]
    assert Tally(suite()).add(document, other).report()["ceaf_m"].f1 == 1


def test_empty_lines_of_a_long_document_are_no_words() -> None:
    cells = ["(0)", *["-"] * 65_536]
    [document] = read(conll(*cells).replace("\n#end", "\n" * 131_072 + "#end"))
    assert len(document.words) == len(cells)


@given(st.lists(st.sampled_from(["-", "(0)", "(0)|(1)", "(0)(1)", "(e-1)"]), min_size=6, max_size=6))
def test_what_is_kept_of_the_text_does_not_depend_on_the_mentions(cells: list[str]) -> None:
    [document], [without] = read(conll(*cells, "", "-")), read(conll(*["-"] * 6, "", "-"))
    assert document.text == without.text


def test_the_lines_of_an_entity_are_those_its_mentions_begin_on() -> None:
    [document] = read(conll("-", "(0", "", "0)", "(0)"))
    [entity] = document.entities
    assert (list(entity.lines), list(entity.lines[1:])) == ([3, 6], [6])


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(1, 4)), max_size=8),
    st.lists(st.sampled_from(["", " ", "\t"]), min_size=14, max_size=14),
    st.lists(st.sampled_from(["", " ", "\t ", "\r", "\n", "\n \n", "\n\u3000", "\n# x"]), min_size=14, max_size=14),
    st.sampled_from([" ", "\t", "  "]),
    st.sampled_from("-_"),
)
def test_many_lines_are_read_as_one_by_one(
    mentions: list[tuple[int, int, int]], before: list[str], after: list[str], separator: str, nothing: str
) -> None:
    brackets: list[list[str]] = [[] for _ in before]
    for entity, left, _ in mentions:
        brackets[left].append(f"({entity}")
    for entity, left, length in mentions:
        brackets[left + length - 1].append(f"{entity})")
    lines = ["#begin document (a); part 0"]
    for at, cell in enumerate(brackets):
        columns = ["a", "0", f"{at}", f"w{at}", "NN", "|".join(cell) or nothing]
        lines.append(before[at] + separator.join(columns) + after[at])
    text = "\n".join([*lines, "#end document", ""])
    [document] = read(text)
    assert document.words == [f"w{at}" for at in range(len(before))]
    assert {
        (entity.id, *mention[:2], line)
        for entity in document.entities
        for mention, line in zip(entity.mentions, entity.lines, strict=True)
    } == _one_by_one(text)


def _one_by_one(text: str) -> set[tuple[str, int, int, int]]:
    """Entity, span and first line of each mention."""
    found, word = set(), 0
    open: dict[str, list[tuple[int, int]]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        for bracket in re.findall(r"\(?\d+\)?", line.split()[-1]):
            id = bracket.strip("()")
            if bracket.startswith("("):
                open.setdefault(id, []).append((word, number))
            if bracket.endswith(")"):
                left, first = open[id].pop()
                found.add((id, left, word + 1, first))
        word += 1
    return found


def test_the_two_formats_are_told_apart_by_their_beginning() -> None:
    semeval = "#begin document 10_a\n1\tw\t_\n#end document 10_a\n"
    for text, name in ((conll("-"), "conll2012"), (semeval, "semeval2010")):
        known = [one for one in ("conll2012", "semeval2010") if find_format(one).sniff(text, "")]
        assert known == [name]


def test_semeval_has_its_words_in_the_second_column() -> None:
    text = "#begin document 10_a\n1\tIk\tik\t(1\n2\tzelf\tzelf\t1)\n\n1\tben\tzijn\t_\n#end document 10_a\n"
    [document] = semeval2010.read(StringIO(text))
    assert (document.id, document.words, spans(document)) == ("10_a", ["Ik", "zelf", "ben"], {"1": [(0, 2)]})


def test_semeval_refuses_a_document_without_a_name() -> None:
    with pytest.raises(FormatError, match="found '#begin document'"):
        list(semeval2010.read(StringIO("#begin document\n")))


@pytest.mark.parametrize("end", [".conll", ".conll.gz"])
def test_text_that_is_no_utf_8_is_refused_with_its_line(tmp_path: Path, end: str) -> None:
    path, data = tmp_path / f"latin1{end}", conll("-").encode() + "\né".encode("latin-1")
    path.write_bytes(gzip.compress(data) if end.endswith(".gz") else data)
    with pytest.raises(FormatError, match=r"latin1.conll(.gz)?:6: found the byte b'\\xe9', expected text in UTF-8"):
        list(conll2012.read(path))


def test_text_of_an_open_file_that_is_no_utf_8_is_refused() -> None:
    file = TextIOWrapper(BytesIO(conll("-").encode() + b"\xe9"), encoding="utf-8")
    with pytest.raises(FormatError, match=r"<text>: found the byte b'\\xe9', expected text in UTF-8"):
        list(conll2012.read(file))


def test_a_compressed_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.conll.gz"
    path.write_bytes(gzip.compress(conll(*["-"] * 500).encode())[:-20])
    with pytest.raises(FormatError, match="cut off or damaged"):
        list(conll2012.read(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nowhere.conll: no such file"):
        list(conll2012.read(tmp_path / "nowhere.conll"))
