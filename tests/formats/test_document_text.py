"""The text of a long document: it stays in its file, and is compared and shown as that of a short one is."""

import gzip
import os
import pickle
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise import DataError, FormatError
from matchwise.corpus.tally import Tally
from matchwise.formats import conll2012, semeval2010
from matchwise.formats.document_text import LONG, PIECE, File, TextHashes, TextOnDisk, words_on
from matchwise.runners.runner import run
from matchwise.tasks.coref import EntitySet, suite
from matchwise.tasks.coref.entities import words_of

WORDS = LONG // 16
ALL = [f"w{at}" for at in range(WORDS)]


def book(first: str = "(0)", *, separator: str = " ", tag: str = "NN", id: str = "a") -> str:
    """A long document with one mention at most."""
    rest = [separator.join((id, "0", str(at), f"w{at}", tag, "-")) for at in range(1, WORDS)]
    lines = [separator.join((id, "0", "0", "w0", tag, first)), *rest]
    return "\n".join([f"#begin document ({id}); part 000", *lines, "", "#end document", ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("books")
    (made / "a.conll").write_text(book())
    (made / "none.conll").write_text(book("-"))
    (made / "tabs.conll").write_text(book(separator="\t", tag="VB"))
    (made / "other.conll").write_text(book().replace(" w7 ", " v7 "))
    (made / "packed.conll.gz").write_bytes(gzip.compress(book().encode(), 1))
    return made


def read(path: Path) -> EntitySet:
    [document] = conll2012.read(path)
    return document


def test_a_long_document_stays_in_its_file(folder: Path) -> None:
    document = read(folder / "a.conll")
    assert isinstance(document.text, TextOnDisk)
    assert document.words == ALL


@pytest.mark.parametrize("name", ["a.conll", "none.conll", "packed.conll.gz"])
def test_texts_of_the_same_lines_are_equal_whatever_the_mentions_are(folder: Path, name: str) -> None:
    assert read(folder / name).text == read(folder / "a.conll").text


@pytest.mark.parametrize("name", ["tabs.conll", "other.conll"])
def test_texts_of_other_lines_differ(folder: Path, name: str) -> None:
    assert read(folder / name).text != read(folder / "a.conll").text


def test_equal_texts_are_compared_without_their_files(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "gone.conll"
    path.write_text(book())
    pred, ref = read(path), read(folder / "a.conll")
    path.unlink()
    assert Tally(suite()).add(pred, ref).report()["ceaf_m"].f1 == 1


@pytest.mark.parametrize("name", ["tabs.conll", "packed.conll.gz"])
def test_words_are_the_same_whatever_else_a_line_of_a_long_document_has(folder: Path, name: str) -> None:
    assert read(folder / name).words == ALL
    assert Tally(suite()).add(read(folder / name), read(folder / "a.conll")).report()["ceaf_m"].f1 == 1


def test_long_documents_of_different_words_are_refused(folder: Path) -> None:
    with pytest.raises(DataError, match="word 8 is 'v7' in the prediction and 'w7' in the reference"):
        Tally(suite()).add(read(folder / "other.conll"), read(folder / "a.conll"))


def test_a_file_is_compared_with_an_open_one(folder: Path) -> None:
    [open] = conll2012.read(StringIO(book()))
    assert open.text == "\n".join(ALL)
    assert Tally(suite()).add(read(folder / "a.conll"), open).report()["ceaf_m"].f1 == 1


def test_of_several_documents_of_a_file_each_has_its_own_words(tmp_path: Path) -> None:
    path = tmp_path / "two.conll"
    path.write_text(book() + book(id="b").replace(" w3 ", " v3 "))
    documents = list(conll2012.read(path))
    assert [document.words[3] for document in documents] == ["w3", "v3"]
    assert [len(document.words) for document in documents] == [WORDS, WORDS]


def test_lines_that_are_not_in_plain_columns_have_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "untidy.conll"
    path.write_text(book().replace("\na 0 9 ", "\n\n# so\n  a 0\u30009 "))
    document = read(path)
    assert isinstance(document.text, TextOnDisk)
    assert document.words == ALL


def test_a_line_of_a_long_document_without_its_word_has_a_dash(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.conll"
    path.write_text(book().replace(" w1 NN -", " (1)"))
    with pytest.raises(DataError, match="word 2 is '-' in the prediction and 'w1' in the reference"):
        Tally(suite()).add(read(path), read(folder / "a.conll"))


def test_placeholders_of_a_long_document_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "placeholders.conll"
    path.write_text("#begin document (a); part 0\n" + "a 0 0 - - (0)\n" * (LONG // 8) + "#end document\n")
    assert read(path).text == ""


def test_semeval_has_long_documents_too(tmp_path: Path) -> None:
    path = tmp_path / "a.semeval"
    lines = "".join(f"{at}\tw{at}\t{'lemma' * 3}\t_\n" for at in range(WORDS))
    path.write_text(f"#begin document a\n{lines}#end document a\n")
    [document] = semeval2010.read(path)
    assert pickle.loads(pickle.dumps(document)).words == ALL


def test_several_processes_compare_words_as_one_does(folder: Path) -> None:
    pairs = [(read(folder / "tabs.conll"), read(folder / "a.conll"), name) for name in "xy"]
    assert run(Tally(suite()), pairs, jobs=2).report()["ceaf_m"].f1 == 1


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gone.conll"
    path.write_text(book())
    document = read(path)
    path.unlink()
    with pytest.raises(FormatError, match=r"gone.conll: no such file"):
        _ = document.words


def test_a_file_that_has_changed_is_named(tmp_path: Path) -> None:
    path = tmp_path / "changed.conll"
    path.write_text(book())
    document = read(path)
    path.write_text(book() + "\n")
    with pytest.raises(FormatError, match=r"changed.conll: has changed since it was read"):
        _ = document.words


@pytest.mark.parametrize("end", [".conll", ".conll.gz"])
def test_a_file_that_is_replaced_while_it_is_read_has_changed(tmp_path: Path, end: str) -> None:
    path, other = tmp_path / f"a{end}", tmp_path / f"b{end}"
    pack = gzip.compress if end.endswith(".gz") else bytes
    short = "#begin document (b); part 000\nb 0 0 w NN -\n#end document\n"
    path.write_bytes(pack((short + book()).encode()))
    other.write_bytes(pack((short + book().replace(" w7 ", " v77 ")).encode()))
    documents = conll2012.read(path)
    next(documents)
    os.replace(other, path)
    document = next(documents)
    with pytest.raises(FormatError, match="has changed since it was read"):
        _ = document.words


def test_a_file_is_found_again_from_another_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    document = read(Path("a.conll"))
    monkeypatch.chdir(tmp_path)
    assert document.words == ALL


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with os.fdopen(os.open(tmp_path / "pipe", os.O_RDWR)) as file:  # to open it for reading alone would wait
        assert File.of(tmp_path / "pipe", file) is None


@pytest.mark.parametrize("source", ["-", "/dev/stdin", StringIO("")])
def test_standard_input_and_open_files_are_read_once(source: str | StringIO, folder: Path) -> None:
    with open(folder / "a.conll") as file:
        assert File.of(source, file) is None


@given(st.text("ab\n"), st.lists(st.integers(0, 3 * PIECE), max_size=4))
def test_hashes_do_not_depend_on_where_a_text_is_cut(end: str, cuts: list[int]) -> None:
    text = "so it goes\n" * (2 * PIECE // 10) + end
    whole, parts = (TextHashes(0, File("", 0, 0), "", str.strip) for _ in range(2))
    whole.add(text, 0)
    for start, stop in pairwise([0, *sorted(cuts), len(text)]):
        parts.add(text[start:stop], 0)
    assert parts.text() == whole.text()


@given(st.lists(st.lists(st.text("a(\u3000\xa0", max_size=2), max_size=5).map(" ".join)))
def test_words_are_found_on_plain_lines_as_on_others(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    found, expected = words_on(text, 2), words_of(text, 2)
    assert found == expected or len(found) < len(expected)
