"""Other packages add tasks, formats and leaves; a broken one is named and hides nothing else."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import matchwise as mw
from matchwise import PluginError, plugins
from matchwise.algebra.build import vocabulary
from matchwise.cli import main
from matchwise.errors import ExpressionError
from matchwise.formats import find_format, formats_of
from matchwise.tasks import is_task, list_tasks, task

EXAMPLE = Path(__file__).parents[1] / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, installed without the network."""
    target = tmp_path_factory.mktemp("installed")
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "matchwise_keyphrases.py"):
        (source / name).write_bytes((EXAMPLE / name).read_bytes())
    options = ["-q", "--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", target, source], check=True)
    return target


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Puts a folder of packages on the path of this process, for one test."""

    def put(folder: Path) -> None:
        monkeypatch.syspath_prepend(str(folder))
        _forget()

    yield put
    monkeypatch.undo()
    added = ("matchwise_keyphrases", "broken_")
    for name in [name for name, builder in vocabulary.items() if builder.__module__.startswith(added)]:
        del vocabulary[name]  # and none of ours, which a test may have been the first to load
    for name in [name for name in sys.modules if name.startswith(added)]:
        del sys.modules[name]
    _forget()


def _forget() -> None:
    for found in (plugins.find_plugins, plugins.load_plugin, plugins._has_plugins):
        found.cache_clear()


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    pred, ref = tmp_path / "system.kp", tmp_path / "gold.kp"
    pred.write_text("doc1: structured prediction; Bayes model\ndoc2: core\n", encoding="utf-8")
    ref.write_text("doc1: structured prediction; bipartite matching\ndoc2: coreference\n", encoding="utf-8")
    return str(pred), str(ref)


def package(folder: Path, name: str, group: str, line: str, code: str = "") -> Path:
    """A package with one entry point, as pip would leave it."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\n{line}\n", encoding="utf-8")
    if code:
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return folder


def test_nothing_is_added_where_no_package_adds_anything() -> None:
    assert plugins.find_plugins("matchwise.tasks") == {}
    assert not is_task("keyphrases")


def test_an_installed_package_adds_a_task_that_is_listed_and_scored(installed, use, files, capsys) -> None:
    use(installed)
    assert "keyphrases" in list_tasks()
    assert task("keyphrases").default == "exact"
    assert formats_of("keyphrases") == ("kp",)
    assert main(["tasks"]) == 0
    assert "keyphrases     keyphrases of documents: F1 by equality or by initials" in capsys.readouterr().out
    assert main(["score", "keyphrases", files[0], "-r", files[1], "--format", "json"]) == 0
    [system] = json.loads(capsys.readouterr().out)["systems"]
    assert system["metrics"]["f1"]["counts"] == {"matched": 1, "predicted": 3, "reference": 3}


def test_an_added_option_checks_itself(installed, use, files, capsys) -> None:
    use(installed)
    assert main(["score", "keyphrases", files[0], "-r", files[1], "--option", "phrases=7"]) == 2
    assert "phrases=7 is not a similarity; write phrases=edit()" in capsys.readouterr().err


def test_an_added_leaf_is_a_word_of_the_vocabulary(installed, use) -> None:
    use(installed)
    phi = mw.parse('f1("phrases", initials())')
    assert mw.score(phi, {"phrases": ["Bayes model", "core"]}, {"phrases": ["bipartite matching", "tree"]}) == 0.5


def test_an_error_of_an_added_format_names_its_line(installed, use, files, capsys) -> None:
    use(installed)
    Path(files[0]).write_text("doc1: a\nno colon\n", encoding="utf-8")
    assert main(["score", "keyphrases", files[0], "-r", files[1]]) == 3
    assert "system.kp:2: found 'no colon', expected ID: PHRASE; PHRASE" in capsys.readouterr().err


def test_a_format_can_be_added_to_one_of_our_tasks(use, tmp_path) -> None:
    code = """
from pathlib import Path
from matchwise.formats import Format
def read(source):
    for line in Path(source).read_text().splitlines():
        yield line.split()
def sniff(head, name):
    return name.endswith(".words")
FORMAT = Format(name="words", title="words", read=read, sniff=sniff, tasks=("sets",))
"""
    use(package(tmp_path, "broken_words", "matchwise.formats", "words = broken_words:FORMAT", code))
    assert formats_of("sets") == ("words",)
    assert formats_of("sequences") == ()
    (tmp_path / "a.words").write_text("x y\n", encoding="utf-8")
    assert list(find_format("words").read(tmp_path / "a.words")) == [["x", "y"]]
    assert main(["score", "sets", str(tmp_path / "a.words"), "-r", str(tmp_path / "a.words"), "--id", "none"]) == 0


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("odd = broken_one:TASK", "import no_such_module", "which cannot be imported: ModuleNotFoundError: No module"),
        ("odd = broken_one:TASK", "x = 1", "which cannot be imported: AttributeError"),
        ("odd = broken_one:TASK", "TASK = {}", "which is dict, expected a matchwise.tasks.Task"),
        (
            "odd = broken_one:TASK",
            "from matchwise.tasks import Task\nTASK = Task(name='even', title='', presets={'a': ''}, suite=dict)",
            "which calls itself 'even'; give both the same name",
        ),
    ],
)
def test_a_broken_package_is_named_and_hides_no_other_task(use, tmp_path, capsys, line, code, message) -> None:
    use(package(tmp_path, "broken_one", "matchwise.tasks", line, code))
    start = f"the package broken_one adds 'odd' to matchwise.tasks as broken_one:TASK, {message}"
    with pytest.raises(PluginError) as caught:
        task("odd")
    assert str(caught.value).startswith(start)
    assert main(["tasks", "odd"]) == 2
    assert start in capsys.readouterr().err
    assert main(["tasks"]) == 0
    ran = capsys.readouterr()
    assert "\nner " in ran.out
    assert f"warning: {start}" in ran.err


@pytest.mark.parametrize("error", ["ValueError", "TypeError"])
def test_what_a_suite_of_a_package_raises_is_an_error_of_usage(use, tmp_path, capsys, error) -> None:
    code = f"""
from matchwise.tasks import Task
def suite(preset):
    raise {error}("no such preset")
TASK = Task(name="odd", title="", presets={{"a": ""}}, suite=suite)
"""
    use(package(tmp_path, "broken_one", "matchwise.tasks", "odd = broken_one:TASK", code))
    assert main(["plan", "odd"]) == 2
    assert capsys.readouterr().err == "matchwise: error: odd: no such preset\n"


def test_two_packages_with_one_name_are_both_named(use, tmp_path) -> None:
    package(tmp_path, "broken_one", "matchwise.tasks", "odd = broken_one:TASK")
    use(package(tmp_path, "broken_two", "matchwise.tasks", "odd = broken_two:TASK"))
    with pytest.raises(PluginError, match=r"the package broken_\w+ and the package broken_\w+ both add 'odd'"):
        list_tasks()


def test_an_unknown_word_is_suggested_from_added_ones(installed, use) -> None:
    use(installed)
    with pytest.raises(ExpressionError, match="unknown word 'initial'; did you mean 'initials'"):
        mw.parse('initial("name")')


def test_packages_in_a_zip_file_are_found(use, tmp_path) -> None:
    from zipfile import ZipFile

    package(tmp_path / "there", "broken_zip", "matchwise.tasks", "odd = broken_zip:TASK", "TASK = 1")
    with ZipFile(tmp_path / "all.zip", "w") as file:
        for path in (tmp_path / "there").rglob("*"):
            file.write(path, path.relative_to(tmp_path / "there"))
    use(tmp_path / "all.zip")
    assert "odd" in list_tasks()
