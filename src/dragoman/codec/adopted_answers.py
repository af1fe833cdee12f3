"""Answers of one host, converted for clients and models of another host of the same maker.

Hosts of one protocol (`maker_protocols` in their rows) share the fields and items of their answers,
which are stored under the name of the host that was read. Two protocols for one maker's models
(`_FORMS`: Claude by Messages and by Converse) share seals and citations, each in its own form, in
answers, streams and histories. Sealed state is carried where the `signatures` of the target accept
it (a fact in `vendors/<target>.py`), and is a loss elsewhere; in the same way `reads_items_of` of
the target's dialect says whose items it takes in a history. An answer that a vendor gave over
another of its protocols is different: its fields and items are stored under the name of that
protocol, and only its seals are the vendor's.

Reference: Anthropic API, "Citations"; service model of bedrock-runtime (botocore 1.44.5),
`Citation`; recorded citations of both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypeVar
from urllib.parse import urlsplit

from .. import message as tree
from ..capabilities import Capabilities
from ..history.passes.survey import same_items, with_content, with_fields
from ..losses import Report
from ..message import ChatRequest, ChatResponse, Msg, Origin, RawBlock, TextBlock, ThinkingBlock
from ..message.blocks import ANSWER, MEDIA_KINDS, NOTES, ContentBlock, Extras
from ..message.check import clone
from ..protocols.base import Room
from ..protocols.chat_like.messages import are_objects
from ..stream.pieces import End, Meta, Part, Piece
from ..text.json_text import JsonObject

_Node = TypeVar("_Node")


class HostRow(Protocol):
    """The part of a vendor's row that is needed here; see `vendors.Vendor`."""

    @property
    def maker_protocols(self) -> Collection[str]:
        """The protocols by which it answers as the maker of its models does."""

    @property
    def same_media(self) -> Collection[str]:
        """Its protocols whose parts have the same fields beside the media."""


def _find_nothing(_: str) -> HostRow | None:
    """Find no row: `vendors`, which is a floor higher, was not imported."""
    return None


# finds the row of a vendor by the name in an origin; set by `vendors`
_HOOKS: dict[str, Callable[[str], HostRow | None]] = {"row": _find_nothing}


def find_rows_by(find: Callable[[str], HostRow | None]) -> None:
    """Set how the row of a vendor is found by its name; it gives None for other names."""
    _HOOKS["row"] = find


def _find_row(issuer: str) -> HostRow | None:
    return _HOOKS["row"](issuer)


def _answers_as_maker(issuer: str, protocol: str) -> bool:
    """Whether what an issuer answers over a protocol has the fields of the protocol's maker."""
    if issuer == protocol:
        return True
    row = _find_row(issuer)
    return row is not None and protocol in row.maker_protocols


# a citation in the other protocol's form, None if it has none; takes (data, whether of an answer)
_Form: TypeAlias = Callable[[JsonObject, bool], JsonObject | None]


class HostConverter:
    """Converts what hosts of `issuer` answered for clients, or for the model, of a room.

    `other` is the protocol of the answer, if the vendor gave it over another than the room's.
    """

    __slots__ = (
        "_form",
        "_holds",
        "_issuer",
        "_other",
        "_report",
        "_same_media",
        "_seals",
        "_target",
    )

    def __init__(
        self,
        issuer: str,
        room: Room,
        caps: Capabilities,
        report: Report,
        form: _Form | None,
        other: str = "",
    ) -> None:
        self._issuer = issuer
        self._target = f"{issuer}/{other}" if other else room.issuer
        self._other = bool(other)
        row = _find_row(issuer) if other else None
        self._same_media = row is not None and {other, room.protocol}.issubset(row.same_media)
        if other:
            ends = ("", ANSWER)
            report.called |= {f"{self._target}{end}": f"{issuer}{end}" for end in ends}
        self._report = report
        self._form = form
        self._holds = issuer in (caps.signatures or {room.issuer})
        # fields that hold a seal without being thinking
        self._seals = frozenset() if issuer in caps.claimed_by else caps.claims

    @classmethod
    def choose(
        cls, origin: Origin, room: Room, caps: Capabilities, report: Report
    ) -> HostConverter | None:
        """The conversion for an origin; None if the room needs none, or cannot have one."""
        issuer = origin.issuer
        if origin.protocol is not None and origin.protocol != room.protocol:
            is_own = issuer in room.dialect.reads_items_of
            return cls(issuer, room, caps, report, None, origin.protocol) if is_own else None
        if issuer == room.issuer:
            return None
        form = _FORMS.get((issuer, room.protocol))
        if form is not None:
            return cls(issuer, room, caps, report, form) if issuer in caps.signatures else None
        hosts = (room.issuer, issuer)
        is_related = all(_answers_as_maker(host, room.protocol) for host in hosts)
        return cls(issuer, room, caps, report, None) if is_related else None

    def response(self, resp: ChatResponse) -> ChatResponse:
        """Convert a whole answer."""
        candidates = []
        for candidate in resp.candidates:
            m = candidate.msg
            blocks = [self._block(block, answer=True) for block in m.blocks]
            whole = Msg.create_unchecked(m.name, blocks, m.role, m)
            whole.extras = self._extras(m.extras)
            if self._form is None and m.origin is not None:
                whole.origin = replace(m.origin, issuer=self._target)
            self._report.record_copy(whole, m)
            finish = self._node(candidate.finish)
            candidates.append(self._node(candidate, msg=whole, finish=finish))
        return self._node(resp, candidates=candidates, usage=self._node(resp.usage))

    def piece(self, piece: Piece) -> Piece:
        """Convert a piece of a streamed answer."""
        if type(piece) is Part:
            block = self._block(piece.block, answer=True)
            return (
                piece
                if block is piece.block
                else self._report.record_copy(replace(piece, block=block), piece)
            )
        if self._form is not None:
            return piece
        if type(piece) is Meta and piece.issuer == self._issuer:
            return self._report.record_copy(replace(piece, issuer=self._target), piece)
        if type(piece) is End:
            return self._report.record_copy(replace(piece, finish=self._node(piece.finish)), piece)
        return piece

    def message(self, m: Msg) -> Msg:
        """Convert a message of a history."""
        if self._other:
            return self._told_elsewhere(m)
        if isinstance(m.content, str):
            return m
        blocks = [self._block(block, answer=False) for block in m.content]
        if same_items(blocks, m.content):
            return m
        converted = with_content(m, blocks, self._report)
        converted.extras, converted.origin = m.extras, m.origin
        return converted

    def _told_elsewhere(self, m: Msg) -> Msg:
        """The message with the other protocol's fields under that protocol's name."""
        listed = m.content if isinstance(m.content, list) else []
        blocks, extras = (
            [self._block(block, answer=False) for block in listed],
            self._extras(m.extras),
        )
        if extras is m.extras and same_items(blocks, listed):
            return m
        converted = with_content(m, blocks if listed else m.content, self._report)
        converted.extras, converted.origin = extras, m.origin
        return converted

    def _node(self, node: _Node, **fields: Any) -> _Node:
        data: Any = node
        extras = self._extras(getattr(data, "extras", None))
        if extras is not getattr(data, "extras", None):
            fields["extras"] = extras
        return self._report.record_copy(replace(data, **fields), node) if fields else node

    def _extras(self, extras: Extras | None) -> Extras | None:
        """The fields under the name of the target, where both hosts have the same fields."""
        if self._form is not None or extras is None:
            return extras
        names = {f"{self._issuer}{end}": f"{self._target}{end}" for end in ("", ANSWER, NOTES)}
        if names.keys().isdisjoint(extras):
            return extras
        return {names.get(name, name): fields for name, fields in extras.items()}

    def _block(self, block: ContentBlock, answer: bool) -> ContentBlock:
        if type(block) is ThinkingBlock:
            if self._other:
                return self._node(block)
            return self._thinking(block) if answer else block
        if self._form is not None:
            return self._convert_block(block, self._form, answer)
        if type(block) is RawBlock:
            return self._node(block, issuer=self._target) if block.issuer == self._issuer else block
        if self._same_media and block.type in MEDIA_KINDS:
            return block
        own = (block.extras or {}).get(self._issuer, {})
        if sealed := self._seals & own.keys():
            self._report.add_extras_losses(
                block, self._issuer, {name: own[name] for name in sealed}
            )
            left = {name: value for name, value in own.items() if name not in sealed}
            extras = {**(block.extras or {}), self._issuer: left}
            block = with_fields(block, self._report, extras=extras)
        citations = getattr(block, "citations", None)
        if citations:
            return self._node(block, citations=[self._node(one) for one in citations])
        return self._node(block)

    def _thinking(self, block: ThinkingBlock) -> ThinkingBlock:
        """The thinking, with its sealed state if that holds at the target."""
        if self._holds:
            origin = Origin(self._target, None if block.origin is None else block.origin.model)
            if block.extras is None:  # nothing can be lost; common in streams
                return replace(block, origin=origin)
            return self._node(block, origin=origin)
        sealed = [name for name in ("signature", "redacted") if getattr(block, name) is not None]
        for name in sealed:
            self._report.add_loss("answer.unsupported", block, name)
        return self._node(block, origin=None, **dict.fromkeys(sealed))

    def _convert_block(self, block: ContentBlock, form: _Form, answer: bool) -> ContentBlock:
        if type(block) is TextBlock:
            return self._convert_citations(block, form, answer)
        if answer:
            return block
        if type(block) is tree.ToolResultBlock and isinstance(block.output, list):
            output = [self._block(item, answer) for item in block.output]
            is_same = same_items(output, block.output)
            return block if is_same else with_fields(block, self._report, output=output)
        return block

    def _convert_citations(self, block: TextBlock, form: _Form, answer: bool) -> TextBlock:
        """The text with its citations in the target's form, if it has a form for each of them."""
        own = (block.extras or {}).get(self._issuer, {})
        listed = own.get("citations")
        if not isinstance(listed, list) or not are_objects(listed):
            return block
        citations = [form(data, answer) for data in listed]
        if not citations or None in citations:
            return block
        for data in listed:
            for name in ("encrypted_index", "file_id"):
                if data.get(name):
                    self._report.add_loss(
                        "extras.other_provider",
                        block,
                        f"extras.{self._issuer}.citations",
                        what=name,
                    )
        kept = own.keys() - {"citations", "content"}  # the content is the text itself
        return self._move_fields(block, {"citations": citations}, kept)

    def _move_fields(
        self, block: TextBlock, fields: JsonObject, kept: Collection[str]
    ) -> TextBlock:
        """The block with fields for the target, and those of the source's fields to keep."""
        all_extras = block.extras or {}
        own = all_extras[self._issuer]
        rest = {name: own[name] for name in own if name in kept}
        extras = {name: data for name, data in all_extras.items() if name != self._issuer}
        extras |= {self._issuer: rest} if rest else {}
        return with_fields(block, self._report, extras={**extras, self._target: fields})


def adopt_related_answers(
    req: ChatRequest, room: Room, caps: Capabilities, report: Report
) -> ChatRequest:
    """Convert the answers of related hosts in the history; the same request if there are none."""
    known: dict[tuple[str, str | None], HostConverter | None] = {}
    origin: Origin | None = None
    converter: HostConverter | None = None
    changes: dict[int, Msg] = {}
    for i, m in enumerate(req.messages):
        if m.origin is not origin:  # mostly, one object for all messages of a model
            origin, converter = m.origin, None
            if origin is not None:
                key = (origin.issuer, origin.protocol)
                if key not in known:
                    known[key] = _of_history(origin, room, caps, report)
                converter = known[key]
        if converter is not None and (message := converter.message(m)) is not m:
            changes[i] = message
    if not changes:
        return req
    msgs = [changes.get(i, m) for i, m in enumerate(req.messages)]
    return report.record_copy(clone(req, messages=msgs), req)


def _of_history(
    origin: Origin, room: Room, caps: Capabilities, report: Report
) -> HostConverter | None:
    """The conversion of answers in another form, or over another protocol of the vendor's."""
    if origin.protocol in (None, room.protocol):
        formed = bool(caps.signatures) and (origin.issuer, room.protocol) in _FORMS
        return HostConverter.choose(origin, room, caps, report) if formed else None
    return HostConverter.choose(origin, room, caps, report)


# type in Messages, name in Converse, the word of its bounds in Messages
_LOCATIONS = (
    ("char_location", "documentChar", "document_index", "char_index"),
    ("page_location", "documentPage", "document_index", "page_number"),
    ("content_block_location", "documentChunk", "document_index", "block_index"),
    ("search_result_location", "searchResultLocation", "search_result_index", "block_index"),
)
_INDEXES = {"document_index": "documentIndex", "search_result_index": "searchResultIndex"}
_SEARCHED = "search_result_location"


def _to_converse(data: JsonObject, answer: bool) -> JsonObject | None:
    """A citation of Messages in Converse's form; a citation of the web only in answers."""
    citation: JsonObject = {}
    title = data.get("title", data.get("document_title"))
    if isinstance(title, str):
        citation["title"] = title
    if isinstance(data.get("source"), str):
        citation["source"] = data["source"]
    if isinstance(data.get("cited_text"), str):
        citation["sourceContent"] = [{"text": data["cited_text"]}]
    url = data.get("url")
    if answer and data.get("type") == "web_search_result_location" and isinstance(url, str):
        try:
            host = urlsplit(url).hostname
        except ValueError:  # half an address of IPv6
            host = None
        domain = {} if host is None else {"domain": host}
        return {**citation, "location": {"web": {"url": url, **domain}}}
    for kind, name, index, bound in _LOCATIONS:
        places = (data.get(index), data.get(f"start_{bound}"), data.get(f"end_{bound}"))
        if data.get("type") == kind and all(type(place) is int for place in places):
            names = (_INDEXES[index], "start", "end")
            return {**citation, "location": {name: dict(zip(names, places, strict=True))}}
    return None


def _to_messages(data: JsonObject, answer: bool) -> JsonObject | None:
    """A citation of Converse in Messages' form; a citation of the web only in answers."""
    location, content, title = data.get("location"), data.get("sourceContent"), data.get("title")
    texts = (
        [part.get("text") for part in content if isinstance(part, dict)]
        if isinstance(content, list)
        else []
    )
    quote = "".join(text for text in texts if isinstance(text, str))
    title = title if isinstance(title, str) else None
    if not isinstance(location, dict) or len(location) != 1:
        return None
    ((key, value),) = location.items()
    if not isinstance(value, dict):
        return None
    if key == "web" and answer and isinstance(value.get("url"), str):
        return {
            "type": "web_search_result_location",
            "url": value["url"],
            "title": title,
            "cited_text": quote,
            "encrypted_index": "",
        }
    for kind, name, index, bound in _LOCATIONS:
        places = (value.get(_INDEXES[index]), value.get("start"), value.get("end"))
        if key != name or not all(type(place) is int for place in places):
            continue
        found: JsonObject = {
            "type": kind,
            "cited_text": quote,
            index: places[0],
            f"start_{bound}": places[1],
            f"end_{bound}": places[2],
        }
        if kind != _SEARCHED:
            return {**found, "document_title": title}
        source = data.get("source")
        return {**found, "title": title, "source": source if isinstance(source, str) else ""}
    return None


_FORMS = {
    ("anthropic", "bedrock-converse"): _to_converse,
    ("bedrock-converse", "anthropic"): _to_messages,
}
