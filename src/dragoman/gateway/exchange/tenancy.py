"""Tenancy: what a request that comes with a client key may name at the provider.

All tenants of a gateway call a provider with one key, so that they are one account there. Two
things in a request could reach beyond the model that was checked, and beyond the tenant:

- other models: lists of fallbacks, the model of a tool, a key in other letters (hosts written in Go
  accept "Model" too), the first of two keys of one name;
- what the provider stores: earlier answers and conversations, files, containers, caches. The id of
  such a thing goes out with a mark (an HMAC over the tenant's name and the id, by a key that is
  derived from those of the envelopes), and is accepted with this mark alone. Nothing is stored
  here: every worker that has the keys knows the marks of the others.

The request that is sent is exactly the one that was checked: it is written again, so that a
repeated key occurs once.
"""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, unquote

from ...errors import AuthenticationFailed, DragomanError, ProviderError
from ...message.known_tools import ParsedBody, ToolEntries
from ...text.json_text import JsonObject, loads, member
from ...text.redaction import show
from ..config.config_values import KEPT, ClientKey, Config, Route
from ..surfaces import ClientRequest
from .forward_bytes import written_anew
from .forwarded_headers import strip_steering

_SIGN = "_dg"  # separates an id from its mark
_MARK = 22  # characters: 16 bytes in base64
_HEAD, _BEFORE = 2**16, b" \t\r\n" + BOM_UTF8  # bytes that may come before JSON
_QUERY_PARTS = re.compile(r"[.\[\]]+")
_ID_KEYS = re.compile(r"[_\-\s]")

# keys are compared without case, `_` and `-`: hosts accept either spelling
_STATE = frozenset({
    "agentid", "approvalrequestid", "assistantid", "batchid", "cachedcontent", "collectionids",
    "container", "containerid", "contextid", "conversation", "conversationid", "datastore",
    "datastoreid", "fileid", "fileids", "filesearchstore", "filesearchstoreids",
    "filesearchstorename", "filesearchstorenames", "interactionid", "itemid", "libraryids",
    "memorystoreid", "previousinteractionid", "previousresponseid", "promptid", "ragcorpora",
    "ragcorpus", "ragfileids", "responseid", "skillid", "threadid", "vectorstoreid",
    "vectorstoreids",
})  # fmt: skip
# objects whose `id` names something that the provider stores
_OWNERS = frozenset({"audio", "container", "conversation", "prompt", "voice"})
_OFFERED = ("skillid", "anthropic")
_NO_STATE = frozenset({"auto", "none"})
# addresses of what the provider stores, or reads with its own account
_KEPT_AT = re.compile(
    r"(?i)\s*(?:(?:gs|s3|file-id|dbfs|azureml):|/?(?:\w+/)?files/"
    r"|(?:https?:)?/*[^/]*\b(?:generativelanguage|aiplatform)\.googleapis\.com\b)"
)
_ADDRESSES = ("uri", "url")
# schemas, arguments and results: free content, in which the provider looks for no settings
_PAYLOADS = frozenset(
    {
        "args",
        "arguments",
        "clientmetadata",  # Codex 0.169 names its own thread and turn there
        "inputschema",
        "jsonschema",
        "labels",
        "metadata",
        "outputschema",
        "parametersjsonschema",
        "response",
        "responsejsonschema",
        "responseschema",
        "schema",
    }
)
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_FUNCTIONS = frozenset({None, "function", "custom"})
# the history, in which names of models are only words
_HISTORY = frozenset(
    {
        "contents",
        "input",
        "instructions",
        "messages",
        "system",
        "systeminstruction",
    }
)
_ITEM_FRAME = frozenset({"id", "role", "status", "summary", "type"})
# a model's name that every host reads in the same way
_PLAIN_NAME = re.compile(r"[\w.:/@+~-]+", re.ASCII)
_DOTS = re.compile(r"(?:^|[/\\])\.{1,2}(?:[/\\]|$)|[%?#\\]")

# the ids in answers that name stored things: their keys, and how they begin
_ANSWERED = {
    "openai-responses": (
        b"id|item_id|container_id|file_id|response_id|previous_response_id|conversation",
        rb"[a-z]{2,12}[_-]",
    ),
    "openai-chat": (b"id|file_id", b"(?:audio|file)[_-]"),
    "anthropic": (b"id|container_id|file_id", b"(?:container|file)_"),
    "gemini-interactions": (b"id|interaction_id|previous_interaction_id", rb"v\d+_|int[a-z]*[_-]"),
}


@dataclass(frozen=True, slots=True)
class _Node:
    """A place in a body: the container, and how it is reached."""

    value: Any
    path: str
    key: str = ""  # the key that leads to it, in the form that every host accepts
    in_history: bool = False
    is_model: bool = False  # below a key that names models
    start: int = 0  # the first element that was not checked in an earlier request
    owner: Any = None  # of tools that other requests may share


class Tenancy:
    """Checks what one exchange of a tenant names, and marks the ids of its answers.

    Args:
        key: The tenant's client key.
        route: The route of the request.
        config: The configuration, for the routes of other models that a request names.
        marks: Gives the HMACs of a text, by each of the gateway's keys.
        scope: Whose requests may share what is known of them: a name of this tenant here.
    """

    __slots__ = (
        "_config",
        "_is_bound",
        "_key",
        "_known",
        "_marks",
        "_route",
        "_shares",
        "name",
        "scope",
    )

    def __init__(
        self,
        key: ClientKey,
        route: Route,
        config: Config,
        marks: Callable[[bytes], Iterator[bytes]],
        scope: str = "",
    ) -> None:
        self.name = key.name
        self.scope = scope
        self._key = key
        self._is_bound = "*" not in key.models
        self._route = route
        self._config = config
        self._marks = marks
        self._shares = route.shared_state
        self._known: dict[bytes, bytes] = {}

    @property
    def judges(self) -> bool:
        """Whether there is anything that this tenant may not name."""
        return self._is_bound or not self._shares

    def strip_steering(self, headers: dict[str, str], query: str) -> tuple[dict[str, str], str]:
        """Headers and query; for a key of some models, without what could name another."""
        return strip_steering(headers, query) if self._is_bound else (headers, query)

    # -- ids ---------------------------------------------------------------------------------------

    def mark(self, name: str) -> str:
        """The id with the tenant's mark."""
        return f"{name}{_SIGN}{_encode_mark(next(self._marks(self._bind_name(name))))}"

    def unmark(self, name: str) -> str | None:
        """The provider's id in a marked id of this tenant; None for any other text."""
        plain, sign, mark = (
            name[: -_MARK - len(_SIGN)],
            name[-_MARK - len(_SIGN) : -_MARK],
            name[-_MARK:],
        )
        if sign != _SIGN or not plain:
            return None
        given = mark.encode("utf-8", "surrogatepass")
        for one in self._marks(self._bind_name(plain)):
            if hmac.compare_digest(_encode_mark(one).encode(), given):
                return plain
        return None

    def _bind_name(self, name: str) -> bytes:
        tenant = self._key.name.encode("utf-8", "surrogatepass")
        text = name.encode("utf-8", "surrogatepass")
        return b"%d %b%b" % (len(tenant), tenant, text)

    def build_answer_marker(self, protocol: str) -> Callable[[bytes], bytes] | None:
        """A function that marks the ids in whole events or answers; None if none need marks."""
        if self._shares or protocol not in _ANSWERED:
            return None
        keys, begin = _ANSWERED[protocol]
        pattern = re.compile(
            rb'("(?:%b)"[ \t\r\n]*:[ \t\r\n]*")((?:%b)[\w-]{6,200})(?=")' % (keys, begin)
        )

        def mark_id(match: re.Match[bytes]) -> bytes:
            found = self._known.get(match[2])
            if found is None:
                found = self._known[match[2]] = self.mark(match[2].decode()).encode()
            return match[1] + found

        return lambda data: pattern.sub(mark_id, data)

    # -- requests ----------------------------------------------------------------------------------

    def judge(self, body: JsonObject, protocol: str, model: str) -> None:
        """Check a body; marks are removed from its ids in place.

        Args:
            body: The client's request.
            protocol: The client's protocol.
            model: The model that it asks for.

        Raises:
            AuthenticationFailed: With status 403: the key is not for a model that is named.
            ProviderError: With status 404: an id was not given to this tenant.
        """
        known, history = 0, ""
        if type(body) is ParsedBody and body.turn is not None:
            known = body.turn.pass_checked(self._context(model), body)
            history = f"$.{body.turn.field}"
        if not self.judges:
            return
        if self._is_bound and model not in self._key.models and not _PLAIN_NAME.fullmatch(model):
            raise self._build_model_refusal(model, "$.model")
        nodes = [_Node(body, "$")]
        if known:
            members = self._members(nodes[0], model, protocol)
            nodes = [replace(one, start=known) if one.path == history else one for one in members]
        self._walk(nodes, model, protocol)
        if not self._shares and protocol == "openai-responses":
            self._judge_items(body, known)

    def _context(self, model: str) -> object:
        """What decides how a tenant's request is judged, besides what it holds."""
        return id(self._route), model

    def _walk(self, nodes: list[_Node], model: str, protocol: str) -> None:
        while nodes:
            node = nodes.pop()
            if type(node.value) is ToolEntries:
                self._judge_tools(node, node.value, model, protocol)
                continue
            nodes += (self._elements if isinstance(node.value, list) else self._members)(
                node, model, protocol
            )

    def _judge_tools(self, node: _Node, entries: ToolEntries, model: str, protocol: str) -> None:
        """Check tools that other requests may share; they are replaced if the check changes them.

        Args:
            node: Where they are; its key is the one in the owner.
            entries: The tools.
            model: The model that the client asks for.
            protocol: The client's protocol.
        """
        context = self._context(model)
        if entries.checked == context:
            return
        own = entries.copy_entries()
        self._walk([replace(node, value=own, key=_plain(node.key))], model, protocol)
        if own == entries:
            entries.checked = context
        else:
            node.owner[node.key] = own

    def judge_query(self, query: str) -> None:
        """Raise ProviderError (404) if a parameter of the query names something stored.

        Servers based on gRPC read fields of the message there (google.api.http, "query").
        """
        if self._shares:
            return
        for key, _ in parse_qsl(query, keep_blank_values=True):
            if any(_plain(part) in _STATE for part in _QUERY_PARTS.split(key)):
                raise _not_theirs(f"?{show(key)}")

    def judge_passing(self, request: ClientRequest, protocol: str) -> None:
        """Check a request that is passed on at an unknown path, as `judge` does.

        An example is editing a picture by the id of its file, which OpenAI takes in JSON (its
        OpenAPI, `EditImageBodyJsonParam`; looked up 2026-11-28). A body of JSON is sent exactly as
        it was checked.
        """
        if not self.judges:
            return
        self.judge_query(request.query)
        read = request.body
        begins = read[:_HEAD].lstrip(_BEFORE)[:1] in (b"{", b"[")
        if begins or (read and "json" in request.headers.get("content-type", "").lower()):
            body: Any = loads(read)
            self.judge(body, protocol, KEPT)
            request.body = written_anew(body, read)

    def _members(self, node: _Node, model: str, protocol: str) -> Iterator[_Node]:
        """The containers in an object; its texts are checked."""
        value = node.value
        kind = value.get("type")
        for key in [*value]:
            one, plain = value[key], _plain(key)
            if _is_payload(value, kind, plain) or (key == "model" and node.path == "$"):
                continue  # that model was checked already, and is replaced by the target's
            path = member(node.path, key)
            in_history = (node.in_history or plain in _HISTORY) and plain != "tools"
            is_model = self._is_bound and not in_history and _names_models(plain, node, protocol)
            if type(one) is ToolEntries:
                yield _Node(one, path, key, in_history, is_model, owner=value)
            elif isinstance(one, (dict, list)):
                yield _Node(one, path, plain, in_history, is_model)
            elif isinstance(one, str) and is_model:
                self._judge_model(one, path, model)
            elif isinstance(one, str) and not self._shares:
                self._judge_text(value, key, plain, node.key, path)

    def _elements(self, node: _Node, model: str, _: str) -> Iterator[_Node]:
        """The containers in a list; its texts are checked by the key of the list."""
        items = node.value
        for nth in range(node.start, len(items)):
            one = items[nth]
            if isinstance(one, (dict, list)):
                yield _Node(one, f"{node.path}[{nth}]", node.key, node.in_history, node.is_model)
            elif isinstance(one, str):
                if node.is_model:
                    self._judge_model(one, f"{node.path}[{nth}]", model)
                elif node.key in _STATE and not self._shares:
                    items[nth] = self._free_name(one, f"{node.path}[{nth}]")

    def _judge_model(self, name: str, path: str, model: str) -> None:
        """Raise for a model that this key could not use by asking for it."""
        plain = name.removeprefix("models/")
        target = self._route.target
        try:
            own = target.model(model)
            if plain in (model, own.model):
                return
            if self._key.may_ask(plain) and _PLAIN_NAME.fullmatch(plain):
                other = self._config.route(plain).target.model(plain)
                if (other.host.name, other.model) == (own.host.name, plain):
                    return
        except DragomanError:  # no target serves a model of that name here
            pass
        raise self._build_model_refusal(name, path)

    def _build_model_refusal(self, name: str, path: str) -> AuthenticationFailed:
        text = f"the client key {show(self._key.name)} may not ask for the model {show(name)}"
        hint = f"it is for {', '.join(self._key.models) or 'no model'}"
        return AuthenticationFailed(text, path=path, hint=hint, status=403, code="key.model")

    def _judge_text(self, owner: JsonObject, key: str, plain: str, above: str, path: str) -> None:
        """Remove the mark of an id. Raises ProviderError for one that the tenant was not given."""
        text = owner[key]
        if plain in _STATE:  # except what the provider offers to everybody
            is_kept = text not in _NO_STATE and (plain, owner.get("type")) != _OFFERED
        else:
            is_kept = (
                (plain == "id" and above in _OWNERS)
                or (plain.endswith(_ADDRESSES) and _KEPT_AT.match(_address(text)) is not None)
                or (plain == "engine" and above == "vertexaisearch")
            )
        if is_kept:
            owner[key] = self._free_name(text, path)

    def _judge_items(self, body: JsonObject, known: int) -> None:
        """Check the ids of input items; one without the tenant's mark is removed if it may go.

        The first `known` items were checked before.

        It may go from an item with content of its own. An item that is only an id refers to what
        the provider stores, and is refused.
        """
        items: Any = body.get("input")
        for nth in range(known, len(items) if isinstance(items, list) else 0):
            item = items[nth]
            if not isinstance(item, dict):
                continue
            for key in [one for one in item if _plain(one) == "id"]:
                if not isinstance(item[key], str):
                    continue
                plain = self.unmark(item[key])
                if plain is not None:
                    item[key] = plain
                elif item.get("type") != "item_reference" and any(
                    item[one] for one in item.keys() - _ITEM_FRAME
                ):
                    del item[key]
                else:
                    raise _not_theirs(f"$.input[{nth}].{key}")

    def _free_name(self, name: str, path: str) -> str:
        plain = self.unmark(name)
        if plain is None:
            raise _not_theirs(path)
        return plain


def has_dots(name: str) -> bool:
    """Whether a model's name, in a path, could lead to another address: `..`, `%`, `?` or `#`.

    >>> has_dots("cheap/../dear"), has_dots("cheap%2f"), has_dots("accounts/x/models/v1.5")
    (True, True, False)
    """
    return _DOTS.search(name) is not None


def _address(text: str) -> str:
    """An address as the most lenient readers take it (WHATWG URL, 4.4)."""
    return "".join(sign for sign in unquote(text) if sign.isprintable()).replace("\\", "/")


def _plain(key: str) -> str:
    """A key in the form that every host accepts: without case, and without signs between words."""
    return _ID_KEYS.sub("", key.casefold())


def _names_models(plain: str, node: _Node, protocol: str) -> bool:
    if "model" in plain or "fallback" in plain or node.is_model:
        return True
    at_top = node.path == "$"
    return at_top and (
        plain in ("preset", "route") or (plain == "agent" and protocol == "gemini-interactions")
    )


def _is_payload(value: JsonObject, kind: Any, plain: str) -> bool:
    """Whether the value of this key is free content, or the schema of a function."""
    if plain in _PAYLOADS or (plain == "input" and kind in _CALLS):
        return True
    if plain != "parameters" or not isinstance(value.get("name"), str):
        return False
    return kind is None or kind in _FUNCTIONS


def _encode_mark(mark: bytes) -> str:
    return urlsafe_b64encode(mark[:16]).rstrip(b"=").decode("ascii")


def _not_theirs(path: str) -> ProviderError:
    text = "this id names something at the provider that this client key has not got here"
    return ProviderError(
        text,
        path=path,
        status=404,
        type="not_found_error",
        code="state.tenant",
        hint="send the content itself",
    )
