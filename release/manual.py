"""Puts the man page into every wheel: hatchling runs this hook while it builds one."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualHook(BuildHookInterface):  # type: ignore[type-arg]  # its configuration is not ours
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(Path(self.root, "src")))
        page = Path(self.root, "build", "matchwise.1")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(man_page(self.metadata.version), encoding="utf-8")
        build_data["shared_data"][str(page)] = "share/man/man1/matchwise.1"


def man_page(version: str) -> str:
    """The man page, in roff."""
    from matchwise.cli.parser import COMMANDS, DESCRIPTION, EXITS, command_parser

    description, _, first = DESCRIPTION.partition("\n")
    lines = [f'.TH MATCHWISE 1 "" "matchwise {version}" "User Commands"']
    lines += [".SH NAME", f"matchwise \\- {_roff(description)}"]
    lines += [".SH SYNOPSIS", ".B matchwise", "\\fICOMMAND\\fR [\\fIoptions\\fR]"]
    lines += [".SH DESCRIPTION", ".nf", *(_roff(line) for line in first.strip("\n").splitlines()), ".fi"]
    for name in COMMANDS:
        command = command_parser(name)
        lines += [f".SH {name.upper()}", _roff(command.description or "")]
        for title, shown in command.entries():
            lines += [f".SS {_roff(title)}"]
            for entry in shown:
                lines += [".TP", f"\\fB{_roff(entry.words)}\\fR", _roff(entry.sentence)]
        lines += [".SS examples", ".nf", *(_roff(line) for line in command.examples()), ".fi"]
    lines += [".SH EXIT STATUS", _roff(EXITS.removeprefix("exit codes: "))]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """Text that roff prints as it is: no escapes, no minus that becomes a hyphen, no line that is a request."""
    written = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{written}" if written.startswith((".", "'")) else written
