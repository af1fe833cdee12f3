"""What the site needs and a page on a code host does not: called by MkDocs for each page."""

from __future__ import annotations

import re
from typing import Any

# what stands behind the language of a block: `python no-run`, `python src/dragoman/x.py`
_INFO = re.compile(r"(?m)^```(\w+) ([^\n`]+)$")
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+(?!zh/)[^)]+)\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page with blocks that MkDocs knows, and without links to files that the site has not."""
    depth = page.file.src_uri.count("/")
    markdown = _INFO.sub(_fence, markdown).replace("```output\n", '```text title="prints"\n')
    return _OUTSIDE.sub(lambda link: _inside(link, depth), markdown)


def _fence(found: re.Match[str]) -> str:
    language, info = found.groups()
    return f'```{language} title="{info}"' if "/" in info else f"```{language}"


def _inside(link: re.Match[str], depth: int) -> str:
    """The link, or the words alone of one that leads out of the folder of pages."""
    words, target = link.groups()
    return words if target.count("../") > depth else link[0]
