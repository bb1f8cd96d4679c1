"""What the GitHub Action does (`action.yml`): tables on the page of the job, and annotations on fields that fail."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

MOST = 9
"""GitHub shows ten errors of a step; the first one says which gate failed."""


def main() -> int:
    """The exit code of the first command that fails."""
    inputs: dict[str, str] = json.loads(os.environ["INPUTS"])
    task, pred, type = inputs["task"], inputs["predictions"], inputs["type"]
    shared = ["-r", inputs["reference"], *shlex.split(inputs["options"])]
    for name in ("type", "preset"):
        shared += [f"--{name}", inputs[name]] if inputs[name] else []
    if task == "documents":
        shared.append("--fields")
    limits = inputs["fail-under"].split()
    gates = [word for limit in limits for word in ("--fail-under", limit)]
    for name in ("fail-unreadable", "fail-missing"):
        gates += [f"--{name}", inputs[name]] if inputs[name] else []
    scoring = ["score", task, pred, *shared, *gates]
    code = write_page("Scores", scoring, type)
    if code == 1:
        for path, message in find_low_rows(scoring, limits)[:MOST]:
            annotate(message, type, path)
    if inputs["baseline"] and code < 2:
        comparing = ["compare", task, inputs["baseline"], pred, *shared, "--fail-on-regression"]
        compared = write_page("Against the baseline", comparing, type)
        return code or compared
    return code


def write_page(title: str, words: list[str], type: str) -> int:
    """Write the tables of a command to the page of the job and annotate why it fails; its exit code."""
    done = call(words, "markdown")
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as page:
        page.write(f"## {title}\n\n{done.stdout}\n")
        for line in done.stderr.splitlines():
            if not line.startswith(("matchwise: failed: ", "matchwise: error: ")):
                print(line)
                continue
            message = line.removeprefix("matchwise: ")
            page.write(f"**{message}**\n\n")
            field = re.search(r" of (\S+) [+-]\d\.\d+ \(p_holm", message)  # compare names the field that became worse
            annotate(message, type, field[1] if field else "")
    return done.returncode


def call(words: list[str], format: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "matchwise", *words, "--format", format]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def find_low_rows(words: list[str], limits: list[str]) -> list[tuple[str, str]]:
    """The fields and labels below a limit such as `f1=0.9` or `strict:f1=0.9`, worst first, and what is wrong."""
    [system] = json.loads(call(words, "json").stdout)["systems"]
    rows = [(row["path"], row["metric"], row) for row in system.get("fields", [])]
    rows += [(row["label"], *scores) for row in system.get("by", []) for scores in row["metrics"].items()]
    low = []
    for limit in limits:
        where, _, bound = limit.partition("=")
        metric, _, score = where.rpartition(":")
        for name, of, values in rows:
            if metric in ("", of) and values.get(score, 1.0) < float(bound):
                kinds = [f"{values[kind]:g} {kind}" for kind in ("wrong", "missed", "spurious") if values.get(kind)]
                said = f"{name}: {score} {values[score]:.4f} is below {bound}{': ' if kinds else ''}{', '.join(kinds)}"
                low.append((values[score], name, said))
    return [(name, said) for _, name, said in sorted(low)]


def annotate(message: str, type: str, path: str) -> None:
    """Print an error where the type defines the field of a path, or beside no file if it is not found."""
    file, _, name = type.rpartition(":")
    line = find_line(Path(file), name, path) if file and path else None
    place = f" file={escape(file, ':,')},line={line}" if line else ""
    print(f"::error{place}::{escape(message)}")


def find_line(file: Path, name: str, path: str) -> int | None:
    """The line of a Python file where a class, or a class that its annotations name, defines the field of a path."""
    classes = {node.name: node for node in ast.parse(file.read_bytes()).body if isinstance(node, ast.ClassDef)}
    names, line = {name}, None
    for part in path.replace("[]", "").split("."):
        fields = [node for known in sorted(names & classes.keys()) for node in classes[known].body]
        field = next(
            (node for node in fields if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == part), None
        )
        if field is None:
            return None
        line = field.lineno
        names = {node.id for node in ast.walk(field.annotation) if isinstance(node, ast.Name)}
    return line


def escape(text: str, also: str = "") -> str:
    """Text in a workflow command, where percent signs, line ends and what ends a property are written as codes."""
    return re.sub(f"[%\r\n{also}]", lambda sign: f"%{ord(sign[0]):02X}", text)


if __name__ == "__main__":
    sys.exit(main())
