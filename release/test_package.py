"""What a user installs: wheel and source archive, built here and tried out in fresh environments (`make package`)."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
VERSION = (ROOT / "src/matchwise/_version.py").read_text(encoding="utf-8").split('"')[-2]

TRIAL = """
import json, sys
import matchwise as mw
from importlib.metadata import entry_points, version
from importlib.resources import files

[script] = entry_points(group="console_scripts", name="matchwise")
[plugin] = entry_points(group="pytest11", name="matchwise")
print(json.dumps({
    "score": mw.score(mw.f1("xs", mw.edit()), {"xs": ["abcd"]}, {"xs": ["abcx"]}),
    "typed": files("matchwise").joinpath("py.typed").is_file(),
    "version": [version("matchwise"), mw.__version__],
    "script": script.value,
    "plugin": plugin.value,
    "home": mw.__file__.startswith(sys.prefix),
}))
"""


def run(*words: object, folder: Path) -> str:
    """What a command prints; in a folder of its own, so that it finds nothing of this one."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    ran = subprocess.run(list(map(str, words)), cwd=folder, env=clean, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{words}: {ran.stdout}{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The two archives, by how they end."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "--directory", folder, folder=ROOT)
    return {"whl": folder / f"matchwise-{VERSION}-py3-none-any.whl", "tar.gz": folder / f"matchwise-{VERSION}.tar.gz"}


def files(*parts: str) -> set[str]:
    """The files of some parts of the repository that git does not ignore."""
    words = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
    return set(run(*words, *parts, folder=ROOT).splitlines())


def test_the_wheel_has_the_files_of_the_package_and_no_others(built: dict[str, Path]) -> None:
    names = set(zipfile.ZipFile(built["whl"]).namelist())
    metadata = {name for name in names if name.startswith(f"matchwise-{VERSION}.dist-info/")}
    assert names - metadata == {MANUAL, *(name.removeprefix("src/") for name in files("src"))}
    assert b"matchwise score coref" in zipfile.ZipFile(built["whl"]).read(MANUAL)
    assert f"matchwise-{VERSION}.dist-info/licenses/LICENSE" in metadata
    assert "matchwise/py.typed" in names


def test_the_source_archive_has_the_package_and_what_describes_it(built: dict[str, Path]) -> None:
    with tarfile.open(built["tar.gz"]) as archive:
        names = {name.removeprefix(f"matchwise-{VERSION}/") for name in archive.getnames()}
    assert names - {"PKG-INFO"} == files(*SOURCES)


MANUAL = f"matchwise-{VERSION}.data/data/share/man/man1/matchwise.1"
PAGES = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md")
SOURCES = (".gitignore", *PAGES, "pyproject.toml", "release/manual.py", "release/metadata.py", "src")


def test_the_archives_describe_themselves_as_the_registry_wants_it(built: dict[str, Path]) -> None:
    said = run(sys.executable, "-m", "twine", "check", "--strict", *built.values(), folder=ROOT)
    assert said.count("PASSED") == 2
    with zipfile.ZipFile(built["whl"]) as wheel:
        metadata = Parser().parsestr(wheel.read(f"matchwise-{VERSION}.dist-info/METADATA").decode())
    assert (metadata["Name"], metadata["Version"], metadata["License-Expression"]) == (
        "matchwise",
        VERSION,
        "Apache-2.0",
    )
    assert "Typing :: Typed" in (metadata.get_all("Classifier") or [])
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL") or [])
    assert set(urls) == {"Homepage", "Documentation", "Changelog", "Issues", "Source"}
    assert {url[: len(urls["Source"])] for url in urls.values()} == {urls["Source"]}
    page = str(metadata.get_payload())
    assert f"]({urls['Source']}/blob/v{VERSION}/docs/index.md)" in page
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", page) == []  # links that only work in the repository


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing in it."""
    folder = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", folder, folder=folder)
    return folder


@pytest.mark.parametrize("ending", ["whl", "tar.gz"])
def test_an_installed_archive_works(built: dict[str, Path], fresh: Path, tmp_path: Path, ending: str) -> None:
    install(fresh, "--force-reinstall", "--no-deps", built[ending])
    install(fresh, built[ending])
    assert json.loads(run(fresh / "bin/python", "-c", TRIAL, folder=tmp_path)) == {
        "score": 0.75,
        "typed": True,
        "version": [VERSION, VERSION],
        "script": "matchwise.cli:main",
        "plugin": "matchwise_pytest",
        "home": True,
    }
    for name, words in (("pred", ["a", "b"]), ("gold", ["a", "c"])):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": 1, "xs": words}) + "\n", encoding="utf-8")
    words = ("score", "--metric", 'f1("xs")', "pred.jsonl", "-r", "gold.jsonl", "--format", "json")
    [system] = json.loads(run(fresh / "bin/matchwise", *words, folder=tmp_path))["systems"]
    assert [metric["f1"] for metric in system["metrics"].values()] == [0.5]


def install(environment: Path, *words: object) -> None:
    pip: Sequence[object] = (
        environment / "bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    )
    run(*pip, *words, folder=environment)
