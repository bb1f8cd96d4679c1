"""Addresses of the package: hatchling runs this hook, which makes them all from `tool.matchwise.repository`."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?!https?:|#)(?P<path>[^)\s]+)\)")


class AddressHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        repository = self.config["repository"]
        metadata["urls"] = {
            "Homepage": repository,
            "Documentation": f"{repository}/tree/main/docs",
            "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            "Issues": f"{repository}/issues",
            "Source": repository,
        }
        page = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = absolute_links(page, f"{repository}/{{}}/v{metadata['version']}/")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute_links(page: str, prefix: str) -> str:
    """A page whose links also work on the page of a registry, which has none of our files."""

    def replace(link: re.Match[str]) -> str:
        folder = prefix.format("raw" if link["picture"] else "blob")
        return f"{link['picture']}[{link['words']}]({folder}{link['path']})"

    return LINK.sub(replace, page)
