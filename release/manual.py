"""Puts the man page into every wheel: hatchling runs this hook while it builds one."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualHook(BuildHookInterface):  # type: ignore[type-arg]  # its configuration is not ours
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(Path(self.root, "src")))
        from matchwise.cli.commands.completions import man_page

        page = Path(self.root, "build", "matchwise.1")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(man_page(self.metadata.version), encoding="utf-8")
        build_data["shared_data"][str(page)] = "share/man/man1/matchwise.1"
