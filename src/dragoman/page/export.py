"""The page as one file: the modules, styles and answers of the live page, without a server.

All modules become one script whose hash the security policy names; the answers are in a block of
JSON that no browser runs.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

from ..errors import DragomanError
from ..vendors import PROTOCOLS
from .exchange import PageExchange
from .queries import Page, readable
from .wire_view import SPEAKERS

MOST = 24 * 1024 * 1024  # characters of answers, beyond which the rarer ones are left out
_LONG = 400  # messages; a longer history is cut for one wire only, as each takes seconds
_STATIC = resources.files(__package__) / "static"
_IMPORT = re.compile(r'import \{([^}]*)\} from "\./([\w-]+)\.js";\n')
_EXPORT = re.compile(r"(?m)^export (?=(?:async )?function|const|class)")
_NAME = re.compile(r"(?m)^export (?:async )?(?:function|const|class) (\w+)")
_STYLES = re.compile(r'<link rel="stylesheet" href="static/([\w-]+\.css)">')
_SCRIPT = '<script type="module" src="static/app.js"></script>'


def export_page(page: Page) -> str:
    """The HTML of a page with everything that is open, and all answers about it.

    Args:
        page: The exchanges that are open.
    """
    answers = _answers(page)
    styles = "\n".join(_file(name) for name in _STYLES.findall(_file("page.html")))
    script = bundle("app")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(styles)}';"
        " img-src data:; base-uri 'none'; form-action 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
    data = json.dumps(answers).replace("<", "\\u003c")  # so that no text ends the block
    html = _STYLES.sub("", _file("page.html"))
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{styles}</style>\n'
    )
    blocks = (
        f'<script type="application/json" id="answers">{data}</script>\n'
        f'<script type="module">{script}</script>'
    )
    return html.replace("</head>", f"{head}</head>").replace(_SCRIPT, blocks)


def _file(name: str) -> str:
    return (_STATIC / name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


# -- the scripts as one ---------------------------------------------------------------------------


def bundle(name: str) -> str:
    """A module and all that it imports as one script: each is a function that returns its exports.

    The page's modules import by name from files in their folder, and export declarations.
    """
    order: list[str] = []
    _collect(name, order)
    return "\n".join(map(_module, order))


def _collect(name: str, order: list[str]) -> None:
    """Collect the modules in the order in which they can run; their imports have no circle."""
    for _, imported in _IMPORT.findall(_file(f"{name}.js")):
        if imported not in order:
            _collect(imported, order)
    if name not in order:
        order.append(name)


def _module(name: str) -> str:
    source = _file(f"{name}.js")
    names = ", ".join(_NAME.findall(source))
    source = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = {_variable(found[2])};\n", source)
    source = _EXPORT.sub("", source)
    return f"const {_variable(name)} = (() => {{\n{source}\nreturn {{ {names} }};\n}})();"


def _variable(name: str) -> str:
    return f"module_{name.replace('-', '_')}"


# -- the answers ----------------------------------------------------------------------------------


def _answers(page: Page) -> dict[str, Any]:
    """Every answer by its key, as the live page would get it; errors are answers too."""
    answers: dict[str, Any] = {}
    size = 0
    for key in list_keys(page):
        answers[key] = _answer(page, key)
        size += len(json.dumps(answers[key]))
    left_out = 0
    for key in (*_speaker_keys(page), *_cut_keys(answers)):
        if size > MOST:
            left_out += 1
            continue
        answers[key] = _answer(page, key)
        size += len(json.dumps(answers[key]))
    answers.update({f"text/{key}": page.texts[key] for key in page.texts})
    answers["contents"]["left_out"] = left_out
    return answers


def _answer(page: Page, key: str) -> Any:
    try:
        return page.answer(key)
    except DragomanError as error:
        return {"error": error.message, "hint": error.hint, "code": error.code}


def list_keys(page: Page) -> Iterator[str]:
    """The keys of the answers that every page needs."""
    yield "contents"
    for exchange in page.exchanges:
        id = exchange.id
        yield f"conversation/{id}"
        yield f"tokens/{id}"
        targets = _targets(exchange)
        if exchange.body is not None or exchange.own is not None:
            yield f"losses/{id}/role"
            yield from (f"wire/{id}/{target}/role/0" for target in targets)
            long = readable(exchange) and len(exchange.messages) > _LONG
            yield from (f"cuts/{id}/{target}" for target in targets[: 1 if long else None])
        if exchange.body is not None:
            yield f"recorded/{id}/client"
        if exchange.upstream is not None:
            yield f"recorded/{id}/upstream"
        if exchange.answer is not None:
            yield from (f"answer/{id}/{target}" for target in targets)
        if exchange.shape == "stream":
            yield f"stream/{id}"
        if exchange.previous is not None:
            yield f"changes/{id}"


def _targets(exchange: PageExchange) -> list[str]:
    """The protocols, after the wire of the recording."""
    return list(dict.fromkeys((exchange.wire, *PROTOCOLS) if exchange.wire else PROTOCOLS))


def _speaker_keys(page: Page) -> Iterator[str]:
    """The keys for the other ways to show who speaks."""
    for exchange in page.exchanges:
        if exchange.body is not None or exchange.own is not None:
            for how in [how for how in SPEAKERS if how != "role"]:
                yield f"losses/{exchange.id}/{how}"
                yield from (f"wire/{exchange.id}/{one}/{how}/0" for one in _targets(exchange))


def _cut_keys(answers: dict[str, Any]) -> Iterator[str]:
    for key, answer in list(answers.items()):
        if key.startswith("cuts/"):
            _, id, target = key.split("/", 2)
            for position in range(1, len(answer.get("positions", ()))):
                yield f"wire/{id}/{target}/role/{position}"
