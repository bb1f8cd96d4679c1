"""Files that are written whole or not at all, and damage of compressed ones."""

import gzip
import os
import stat
import zlib
from pathlib import Path

import pytest

from matchwise.errors import FormatError
from matchwise.files import name_damage, whole


def test_a_new_file_has_the_permissions_of_any_new_file_and_a_replaced_one_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    before = os.umask(0o026)
    try:
        for mode in (0o640, 0o604):
            with whole(path) as temporary:
                assert Path(temporary).parent == tmp_path  # so that it can take the place of the other at once
                Path(temporary).write_text("new")
                if path.exists():
                    path.chmod(mode)
            assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)
        assert os.umask(0o026) == 0o026
    finally:
        os.umask(before)
    assert list(tmp_path.iterdir()) == [path]


def write_and_fail(path: Path, error: type[BaseException]) -> None:
    with whole(path) as temporary:
        Path(temporary).write_text("new")
        raise error


def test_a_file_that_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("old")
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            write_and_fail(path, error)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("old.txt", "old")]


def test_a_link_stays_one_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, file = tmp_path / "link", tmp_path / "far" / "file"
    link.symlink_to(file)
    with whole(link) as temporary:
        assert Path(temporary).parent == file.parent
        Path(temporary).write_text("new")
    assert (link.is_symlink(), file.read_text(), file.is_symlink()) == (True, "new", False)


def test_what_is_no_plain_file_is_written_to_and_a_folder_is_refused(tmp_path: Path) -> None:
    with whole("/dev/null") as path:
        assert path == "/dev/null"
    with pytest.raises(FormatError) as found, whole(tmp_path):
        pass
    assert str(found.value) == f"{tmp_path}: found a directory, expected a file to write"
    with pytest.raises(FormatError) as found, whole(tmp_path / "no" / "file"):
        pass
    assert str(found.value) == f"{tmp_path / 'no' / 'file'}: cannot be written: No such file or directory"


@pytest.mark.parametrize("error", [EOFError("ends"), gzip.BadGzipFile("bad"), zlib.error("wrong")], ids=repr)
def test_whatever_gzip_raises_names_the_file(error: Exception) -> None:
    with pytest.raises(FormatError) as found, name_damage("a.gz"):
        raise error
    assert str(found.value) == f"a.gz: the compressed file is cut off or damaged ({error}); compress or copy it again"
    with pytest.raises(KeyError), name_damage("a.gz"):
        raise KeyError
