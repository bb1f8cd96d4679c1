"""The files beside the package that registries, editors and GitHub read: valid, and of one version and one address."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
VERSION = (ROOT / "src/matchwise/_version.py").read_text(encoding="utf-8").split('"')[-2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ADDRESS = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
DEPENDENCIES = [requirement.replace(">=", " >=") for requirement in PROJECT["project"]["dependencies"]]
TEMPLATES = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def load(path: str) -> Any:
    return yaml.safe_load(read(path))


CITATION = load("CITATION.cff")
RECIPE = load("release/conda/recipe.yaml")


@pytest.mark.parametrize(
    ("path", "before"),
    [
        ("CHANGELOG.md", "## "),
        ("CITATION.cff", "\nversion: "),
        ("release/conda/recipe.yaml", "\n  version: "),
        ("examples/github/evaluate.yml", "matchwise@v"),
        ("docs/frameworks.md", "matchwise@v"),
        ("docs/frameworks.md", "\n  rev: v"),
        (".github/workflows/publish.yml", "(tag v"),
    ],
)
def test_a_file_has_the_version_of_the_package(path: str, before: str) -> None:
    assert re.split(r"[\s)]", read(path).partition(before)[2])[0] == VERSION


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=str)
def test_the_signatures_of_a_page_have_the_version_of_the_package(path: Path) -> None:
    found = set(re.findall(r"\|matchwise:([^|\\\s]+)", path.read_text(encoding="utf-8")))
    assert found <= {VERSION}, f"write: python docs/run.py {path.relative_to(ROOT)}"


def test_there_is_one_address_a_placeholder_until_the_repository_has_a_home() -> None:
    words = ("git", "grep", "-hoIE", "--untracked", r"https?://[^ )\"']*/matchwise\b", "--", ".", ":!src", ":!tests")
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert set(found) == {ADDRESS}
    assert (CITATION["repository-code"], RECIPE["context"]["repository"]) == (ADDRESS, ADDRESS)


def test_the_citation_has_what_the_format_asks_for() -> None:
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    assert (CITATION["cff-version"], CITATION["type"], CITATION["license"]) == ("1.2.0", "software", "Apache-2.0")
    [paper] = CITATION["references"]
    bib = read("src/matchwise/tasks/references.bib")
    assert f"title = {{{paper['title']}}}" in bib
    assert f"url = {{{paper['url']}}}" in bib
    assert " and ".join(f"{who['family-names']}, {who['given-names']}" for who in paper["authors"]) in bib


def test_the_recipe_needs_what_the_package_needs() -> None:
    low = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert RECIPE["context"]["python_min"] == low
    assert RECIPE["requirements"]["run"] == ["python >=${{ python_min }}", *DEPENDENCIES]
    built = [requirement.replace(">=", " >=") for requirement in PROJECT["build-system"]["requires"]]
    assert RECIPE["requirements"]["host"] == ["python ${{ python_min }}.*", "pip", *built, *DEPENDENCIES]
    [script] = RECIPE["build"]["python"]["entry_points"]
    assert script == "matchwise = {matchwise}".format(**PROJECT["project"]["scripts"])
    assert (ROOT / "release/conda" / RECIPE["source"]["path"]).resolve() == ROOT.resolve()


def test_the_image_is_made_of_files_that_exist_and_a_python_that_is_tested() -> None:
    steps = [line.split(maxsplit=1) for line in read("Dockerfile").splitlines() if line and line[0] not in "#"]
    for word, rest in steps:
        if word == "COPY" and not rest.startswith("--from"):
            assert [source for source in rest.split()[:-1] if not (ROOT / source).exists()] == []
    copied = {source.split("/")[0] for word, rest in steps if word == "COPY" for source in rest.split()[:-1]}
    needed = {"pyproject.toml", "README.md", *PROJECT["project"]["license-files"], "release", "src"}
    assert needed <= copied
    for python in [rest.split()[0] for word, rest in steps if word == "FROM"]:
        version = re.fullmatch(r"python:(3\.\d+)-slim", python)
        assert version
        assert f"Programming Language :: Python :: {version[1]}" in PROJECT["project"]["classifiers"]
    [[_, entry]] = [step for step in steps if step[0] == "ENTRYPOINT"]
    assert json.loads(entry) == list(PROJECT["project"]["scripts"])


def test_publishing_builds_without_rights_and_publishes_without_a_password() -> None:
    workflow = load(".github/workflows/publish.yml")
    jobs = workflow["jobs"]
    assert workflow["permissions"] == {}
    assert workflow[True] == {"release": {"types": ["published"]}}  # YAML 1.1 reads `on` as true, as GitHub knows
    assert (jobs["build"]["permissions"], jobs["publish"]["permissions"]) == (
        {"contents": "read"},
        {"id-token": "write"},
    )
    assert jobs["publish"]["needs"] == "build"
    assert not re.search(
        r"password|secrets\.|token:(?! write)", read(".github/workflows/publish.yml").partition("jobs:")[2]
    )
    targets = re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE)
    called = re.findall(r"make (\w+)", " ".join(step.get("run", "") for step in jobs["build"]["steps"]))
    assert called
    assert set(called) <= set(targets)


def test_publishing_stops_at_another_version_or_address(tmp_path: Path) -> None:
    steps = load(".github/workflows/publish.yml")["jobs"]["build"]["steps"]
    [script] = [step["run"] for step in steps if step.get("name", "").startswith("The tag is the version")]
    server, _, name = ADDRESS.rpartition("/OWNER/")
    right = {"GITHUB_REF_NAME": f"v{VERSION}", "GITHUB_SERVER_URL": server, "GITHUB_REPOSITORY": f"OWNER/{name}"}
    for wrong, code in (({}, 0), ({"GITHUB_REF_NAME": "v9.9.9"}, 1), ({"GITHUB_REPOSITORY": "else/matchwise"}, 1)):
        words = ["bash", "-e", "-c", script]
        assert subprocess.run(words, cwd=ROOT, env=right | wrong, capture_output=True, check=False).returncode == code


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_of_an_issue_asks_questions_that_github_can_show(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(form) == {"name", "description", "labels", "body"}
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in asked} <= {"input", "textarea", "dropdown", "checkboxes"}
    assert all(part["attributes"]["label"] for part in asked)
    assert len({part["id"] for part in asked}) == len(asked) > 0


def test_the_hook_of_pre_commit_stops_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    [hook] = load(".pre-commit-hooks.yaml")
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert hook["language"] == "python"
    (tmp_path / "bad.conll").write_text("Marie Q-PER\n", encoding="utf-8")
    words = shlex.split(hook["entry"])
    assert words[0] in PROJECT["project"]["scripts"]
    for file, code in ((ROOT / "examples/data/ner_gold.conll", 0), (tmp_path / "bad.conll", 3)):
        command = [sys.executable, "-m", *words, "ner", str(file)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == code


def test_the_skill_begins_as_agents_expect_it() -> None:
    _, front, body = read("docs/SKILL.md").split("---\n", 2)
    said = yaml.safe_load(front)
    assert said["name"] == "matchwise"
    assert 40 < len(said["description"]) <= 1024
    assert len(body.splitlines()) < 500


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_a_newcomer_installs_and_climbs_four_steps_on_the_first_screen(page: str) -> None:
    text = read(page)
    assert re.match(r"# matchwise\n\n```sh\npip install '?matchwise", text)
    [first, *_] = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    commands = [line.split()[2] for line in first.splitlines() if line.startswith("$ matchwise ")]
    assert commands == ["score", "align", "compare", "score"]
    assert "--fail-under" in first
    assert len([line for line in first.splitlines() if not line.startswith("$ ")]) <= 25
    assert "**score → see → compare → gate**" in text[: text.index(first)]
