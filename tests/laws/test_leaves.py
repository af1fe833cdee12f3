"""Law 2, leaf by leaf: a sentinel in the place of any leaf stands in the target, or is a loss.

The loss is at the leaf's own path or at that of what holds it. The bodies are the rich ones of the
strict judges and those below, which hold what those lack.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

import dragoman
from dragoman import DragomanError
from dragoman.text.json_text import member
from tests.contract.converting.recorded import SOURCES, asked
from tests.contract.reading.recorded import PRESENT
from tests.contract.test_strict import TABLES

TEXT, NUMBER = "Zq7Sentinel", 918273
SEALED = b64encode(TEXT.encode()).decode()
URL, ODD = "https://example.com/a", "application/x-odd"
SECRET = {"type": "reasoning.encrypted", "data": "c2VhbA==", "id": "r1", "format": "x", "index": 0}
MORE: dict[str, list[Any]] = {
    "gemini": [
        {"contents": [
            {"role": "user", "parts": [
                {"text": "Look."}, {"fileData": {"fileUri": URL, "mimeType": ODD}},
                {"fileData": {"fileUri": f"{URL}.png", "mimeType": "image/png"}},
                {"file_data": {"file_uri": URL, "mime_type": "audio/mpeg"}},
                {"fileData": {"fileUri": "gs://b/1.mp4", "mimeType": "video/mp4"},
                 "videoMetadata": {"fps": 2}}]},
            {"role": "model", "parts": [{"text": "", "thought": True, "thoughtSignature": "c2ln"},
                                        {"text": "A cat."}]},
            {"role": "user", "parts": [{"text": "And?"}]}]},
    ],
    "gemini-interactions": [
        {"model": "gemini-3.8-flash", "input": [{"type": "user_input", "content": [
            {"type": "text", "text": "Look."},
            {"type": "image", "uri": URL, "mime_type": "image/x-odd", "resolution": "low"},
            {"type": "document", "uri": URL, "mime_type": "application/pdf"}]}]},
    ],
    "openai-chat": [
        {"model": "gpt-5.6", "reasoning_effort": "high",
         "tools": [{"type": "function", "function": {
             "name": "look", "parameters": {"type": "object", "properties": {
                 'a "b"': {"type": "string", "x-own": 1}, "line\nbreak": {"type": "integer"}}}}}],
         "messages": [
             {"role": "user", "content": "Look.", 'own "key"': "x", "line\nbreak": {"deep\n": "x"}},
             {"role": "assistant", "content": "Yes.", "reasoning_details": [SECRET]},
             {"role": "user", "content": "And?", "name": "Bob"}]},
    ],
    "anthropic": [
        {"model": "claude-opus-5-5", "max_tokens": 900, "system": [{"type": "text", "text": "Be."}],
         "messages": [
             {"role": "user", "content": [
                 {"type": "document", "title": "T", "context": "C", "citations": {"enabled": True},
                  "source": {"type": "text", "media_type": "text/plain", "data": "Words."}},
                 {"type": "text", "text": "Sum up.", "cache_control": {"type": "ephemeral"}}]},
             {"role": "assistant", "content": [
                 {"type": "thinking", "thinking": "", "signature": "c2ln"},
                 {"type": "text", "text": "Yes."}]},
             {"role": "user", "content": "And?"}]},
    ],
}  # fmt: skip


def copied(body: Any) -> Any:
    """A copy in which no two places share an object."""
    return json.loads(json.dumps(body))


def leaves(value: Any, path: str = "$") -> Iterator[tuple[Any, Any, str]]:
    """(holder, key, path) of every leaf."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        below = member(path, str(key)) if isinstance(value, dict) else f"{path}[{key}]"
        if isinstance(inner, (dict, list)) and inner:
            yield from leaves(inner, below)
        else:
            yield value, key, below


KINDS = ("role", "type")  # they say what all beside them is


def covers(where: str, path: str) -> bool:
    """Whether a loss there is about the leaf: it is the leaf's place, or that of what holds it."""
    holder, _, key = path.rpartition(".")
    if key in KINDS and holder != "$" and where.startswith(holder):
        return True
    return where != "$" and path.startswith(where) and path[len(where) :][:1] in ("", ".", "[")


def silent(source: str, target: str, body: Any, path: str | None = None) -> list[str]:
    """The leaves whose sentinel is neither said nor named."""
    lost = []
    for nth in range(len(list(leaves(body)))):
        changed = copied(body)
        holder, key, at = list(leaves(changed))[nth]
        number = isinstance(holder[key], (int, float))
        holder[key] = NUMBER if number else TEXT
        try:
            out = dragoman.convert(changed, source, target, path=path, policy="ignore")
        except DragomanError:
            continue  # it is refused aloud
        said = json.dumps([out.body, out.path, dict(out.headers)])
        marks = (str(NUMBER), "918.273") if number else (TEXT, SEALED)
        is_said = any(mark in said for mark in marks)
        if not is_said and not any(covers(loss.where, at) for loss in out.losses):
            lost.append(f"{at}: {sorted({loss.where for loss in out.losses})}")
    return lost


def test_the_scan_finds_what_is_silent() -> None:
    assert covers("$.a", "$.a[0].b")
    assert not covers("$.a", "$.ab")
    assert not covers("$", "$.a")
    assert not covers("$.a.b", "$.a")
    assert covers("$.a[0].content[1]", "$.a[0].role")


@pytest.mark.parametrize("source", TABLES)
def test_each_leaf_is_said_or_named(source: str) -> None:
    bodies = [TABLES[source].BASE, *MORE.get(source, ())]
    lost = {
        target: found
        for target in TABLES
        if target != source
        for body in bodies
        if (found := silent(source, target, body))
    }
    assert lost == {}


ODD_KEY = 'odd "key"\nLOSS'


def objects(value: Any, path: str = "$") -> Iterator[tuple[dict[str, Any], str]]:
    """(object, path) of every object inside, the value itself among them."""
    if isinstance(value, dict):
        yield value, path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, (dict, list)):
            below = member(path, str(key)) if isinstance(value, dict) else f"{path}[{key}]"
            yield from objects(inner, below)


@pytest.mark.parametrize("source", TABLES)
def test_a_key_that_is_no_name_is_quoted(source: str) -> None:
    """Wherever a member of such a name is put, its loss is in one line, and its path is JSON's."""
    wrong = []
    for body in map(copied, [TABLES[source].BASE, *MORE.get(source, ())]):
        for nth in range(len(list(objects(body)))):
            changed = copied(body)
            holder, path = list(objects(changed))[nth]
            holder[ODD_KEY] = TEXT
            target = [name for name in TABLES if name != source][nth % (len(TABLES) - 1)]
            try:
                out = dragoman.convert(changed, source, target, policy="ignore")
            except DragomanError:
                continue
            places = [loss.where for loss in out.losses]
            at = member(path, ODD_KEY)
            named = TEXT in json.dumps(out.body) or any(covers(place, at) for place in places)
            if not named or any("\n" in place for place in places):
                wrong.append((target, at, places))
    assert wrong == []


# one more body of each wire whose parts hold objects, and another model of the same maker's: what
# was read is then composed, not written as it was read
PARTS: dict[str, Any] = {
    "openai-chat": {"model": "gpt-5.4", "messages": [
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": f"{URL}.png", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0=",
                                      "filename": "a.pdf"}},
            {"type": "file", "file": {"file_id": "file-1"}}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c_1", "content": [{"type": "text", "text": "One."}]},
        {"role": "user", "content": "Go on."}]},
}  # fmt: skip
OTHERS = {
    "openai-chat": "gpt-5.5", "openai-responses": "gpt-6.2", "anthropic": "claude-sonnet-5-5",
    "gemini": "gemini-3.5-pro", "gemini-interactions": "gemini-3.5-pro",
    "bedrock-converse": "anthropic.claude-sonnet-5-5-v1:0", "mistral": "mistral-medium-latest",
    "cohere": "command-a-vision-07-2025", "ollama": "qwen3-vl", "dashscope": "qwen3.5-plus",
}  # fmt: skip
MORE_KEY = "more"


@pytest.mark.parametrize("source", TABLES)
def test_one_field_more_takes_no_other_away(source: str) -> None:
    """Whatever object gains a field, all that stood in it is composed for another model, too."""
    lost = []
    bodies = [TABLES[source].BASE, *MORE.get(source, ())]
    bodies += [PARTS[source]] if source in PARTS else []
    for body in map(copied, bodies):
        before: set[str] | None = None
        for nth in range(-1, len(list(objects(body)))):
            changed = copied(body)
            where = "nowhere"
            if nth >= 0:
                holder, where = list(objects(changed))[nth]
                holder[MORE_KEY] = TEXT
            try:
                out = dragoman.convert(changed, source, source, model=OTHERS[source],
                                       policy="ignore")  # fmt: skip
            except DragomanError:
                continue
            made = json.dumps([out.body, out.path])
            missing = {
                path
                for holder, key, path in leaves(changed)
                if key != "model" and holder[key]
                and json.dumps(holder[key]).strip('"') not in made
                and not any(covers(loss.where, path) for loss in out.losses)
            }  # fmt: skip
            if before is None:
                before = missing
            lost += [(where, path) for path in missing - before]
    assert lost == []


@pytest.mark.skipif(not PRESENT, reason="needs the recorded traffic in ../shared/corpus")
@pytest.mark.parametrize("source", SOURCES)
def test_each_leaf_of_recorded_requests(source: str) -> None:
    short = [one for one in asked(source, every=9) if len(str(one.body)) < 1500][:10]
    lost = []
    for nth, one in enumerate(short):
        target = [name for name in TABLES if name != source][nth % (len(TABLES) - 1)]
        lost += [(one.id, target, found) for found in silent(source, target, one.body, one.path)]
    assert lost == []
