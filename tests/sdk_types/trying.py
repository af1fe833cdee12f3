"""What becomes of one body: over its own wire, and on others.

Requests are converted, answers are written for the clients of other wires. A planted value has to
stand in what was made, or a loss has to name it or what holds it.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dragoman
from dragoman.errors import DragomanError

from .bodies import Body, Edge, Maker, Types
from .surfaces import Surface

TARGETS = ("openai-chat", "openai-responses", "anthropic", "gemini")


@dataclass(slots=True)
class Row:
    """What became of one type at one place. `same`: "=", or what differs over its own wire.

    `silent` maps targets to the planted paths that are nowhere, and `codes` to the losses.
    """

    edge: Edge
    same: str = "="
    silent: dict[str, list[str]] = field(default_factory=dict)
    codes: dict[str, set[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def fine(self) -> bool:
        """Whether nothing is lost in silence, and its own wire gives it back."""
        return self.same == "=" and not any(self.silent.values())


def bodies(surface: Surface, every: int = 1) -> Iterator[Body]:
    """A body for every place of every type of a surface."""
    types = Types(_without(surface.load(), surface.headers, surface.respelled))
    maker = Maker(types, surface.fixed)
    for nth, edge in enumerate(types.edges()):
        if nth % every == 0:
            body = maker.body(edge)
            base = {key: value for key, value in surface.base.items() if key != edge.steps[0][0]}
            body.value |= base
            yield body


def _without(schema: Any, headers: Iterable[str], respelled: Mapping[str, str]) -> Any:
    """The schema less the fields that are not on the wire, as the wire spells them."""
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for key in ("$defs", "properties"):
        if key in made:
            made[key] = {
                respelled.get(name, name): _without(inner, headers, respelled)
                for name, inner in made[key].items()
                if key == "$defs" or name not in headers
            }
    for key in ("anyOf", "oneOf", "allOf"):
        if key in made:
            made[key] = [_without(arm, headers, respelled) for arm in made[key]]
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = _without(made[key], headers, respelled)
    if "required" in made:
        made["required"] = [respelled.get(name, name) for name in made["required"]]
    return made


def rows(surface: Surface, every: int = 1) -> Iterator[Row]:
    """What becomes of each body of a surface."""
    run = _request if surface.kind == "request" else _answer
    for body in bodies(surface, every):
        yield run(surface, body)


def _request(surface: Surface, body: Body) -> Row:
    row, name = Row(body.edge), surface.wire
    wire = dragoman.wire(name, policy="ignore")
    try:
        out = dragoman.convert(_copy(body.value), name, name, policy="ignore")
        row.same = _difference(body.value, out.body)
    except DragomanError as error:
        row.same = f"{type(error).__name__} {error.code}"
    for target in TARGETS:
        if dragoman.wire(target).room.issuer == wire.room.issuer:
            continue
        try:
            made = dragoman.convert(_copy(body.value), name, target, policy="ignore")
        except DragomanError as error:
            row.refused[target] = error.code
            continue
        places = [loss.where for loss in made.losses]
        row.codes[target] = {loss.code for loss in made.losses}
        texts = json.dumps([made.body, made.path, dict(made.headers)], ensure_ascii=False)
        row.silent[target] = [
            path for path, value in body.planted.items()
            if not is_said(value, texts) and not any(_covers(place, path) for place in places)
        ]  # fmt: skip
    return row


def _answer(surface: Surface, body: Body) -> Row:
    row, name = Row(body.edge), surface.wire
    wire = dragoman.wire(name, policy="ignore")
    try:
        resp = wire.read_response(_copy(body.value))
    except DragomanError as error:
        row.same = f"{type(error).__name__} {error.code}"
        return row
    try:
        row.same = _difference(body.value, wire.write_response(resp).body)
    except DragomanError as error:
        row.same = f"{type(error).__name__} {error.code} {error.__cause__!r}"
        return row
    for target in TARGETS:
        if target == name:
            continue
        try:
            made = dragoman.wire(target, policy="ignore").write_response(resp)
        except DragomanError as error:
            row.refused[target] = f"{type(error).__name__} {error.code} {error.__cause__!r}"
            continue
        row.codes[target] = {loss.code for loss in made.losses}
        texts = json.dumps(made.body, ensure_ascii=False)
        # the paths of an answer's losses are those of the message that was read, which has few
        # blocks here: a loss of a block names what the block held
        named = "\n".join(f"{loss.where} {loss.what}" for loss in made.losses)
        # a block that is lost, or all that it holds; of an answer that goes out as an error, the
        # whole candidate. A loss at a field of a block says nothing of its other fields.
        whole = any(
            _BLOCK.search(loss.where)
            or (loss.code == "answer.unsupported" and loss.where == "$.candidates[0]")
            for loss in made.losses
        )
        row.silent[target] = [
            path for path, value in body.planted.items()
            if path.split(".")[1].partition("[")[0] in surface.said
            and ".usage" not in path  # figures are sums elsewhere; tests of usage judge them
            and not (whole or is_said(value, texts) or is_named(path, named))
        ]  # fmt: skip
    return row


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


_BLOCK = re.compile(r"\.content\[\d+\](\.redacted)?$")


def is_said(value: object, texts: str) -> bool:
    """Whether a planted value stands in what was made, inside of another text or in base64.

    A number has to stand by itself: 40001 is not in 140001.
    """
    if isinstance(value, int | float):
        return re.search(rf"(?<![\d.]){re.escape(str(value))}(?!\d)", texts) is not None
    coded = b64encode(str(value).encode()).decode().rstrip("=")
    return str(value) in texts or coded in texts


def _covers(place: str, path: str) -> bool:
    return place != "$" and path.startswith(place) and path[len(place) :][:1] in ("", ".", "[")


def is_named(path: str, named: str) -> bool:
    """Whether a loss names the field, or one that holds it, as a word of its own.

    What every message has names nothing: a loss that speaks of "text" is not about each text.
    """
    keys = [key.partition("[")[0] for key in path.split(".")[2:]]
    if _CITED.search(path) and _CITATION.search(named):
        return True
    names = [*(key for key in keys[:-1] if key not in _EVERYWHERE), *keys[-1:]]
    words = [_ALSO.get(key, key) for key in names] + names
    return any(re.search(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", named) for word in words)


_EVERYWHERE = frozenset(
    ("content", "delta", "id", "message", "name", "output", "parts", "text", "type")
)
_CITED = re.compile(r"\.(annotations|citations)\[")
_CITATION = re.compile(r"\.citations\[\d+\] ")  # the whole citation
_ALSO = {  # as losses name them
    "token_id": "the id of tokens", "tokenId": "the id of tokens", "document_name": "title",
    "start_index": "start", "end_index": "start",
}  # fmt: skip


def _difference(given: Any, made: Any, path: str = "$") -> str:
    """Where two bodies differ first; "=" if they do not."""
    if isinstance(given, dict) and isinstance(made, dict):
        for key in [*given, *(key for key in made if key not in given)]:
            if key not in made:
                return f"lost {path}.{key}"
            if key not in given:
                return f"gained {path}.{key}"
            if (found := _difference(given[key], made[key], f"{path}.{key}")) != "=":
                return found
        return "="
    if isinstance(given, list) and isinstance(made, list):
        if len(given) != len(made):
            return f"{len(given)} became {len(made)} at {path}"
        for nth, pair in enumerate(zip(given, made, strict=True)):
            if (found := _difference(*pair, f"{path}[{nth}]")) != "=":
                return found
        return "="
    return "=" if type(given) is type(made) and given == made else f"changed {path}"


def judge(surface: Surface, every: int = 1) -> tuple[int, dict[str, list[str]]]:
    """(the number of bodies, the places of types by what is wrong with them, without indexes)."""
    count, found = 0, defaultdict[str, list[str]](list)
    for row in rows(surface, every):
        count += 1
        place = f"{row.edge.parent}.{row.edge.key}: {row.edge.kind}"
        if row.same != "=":
            found[_without_indexes(row.same)].append(place)
        for target, paths in row.silent.items():
            for path in paths:
                found[f"silent {_without_indexes(path)} -> {target}"].append(place)
        if surface.kind == "answer":  # of requests some are refused by right
            for target, code in row.refused.items():
                found[f"{target}: {code}"].append(place)
    return count, found


def _without_indexes(path: str) -> str:
    return "".join(letter for letter in path if not letter.isdigit())
