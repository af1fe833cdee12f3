"""Source code, JSON and YAML as documents arrive at every wire: in results, and from users."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import dragoman
from dragoman.message import ChatRequest, DocumentBlock, Msg, ToolResultBlock, ToolUseBlock
from dragoman.message.media import Base64Source, TextSource
from tests.wires import ONE_OF_EACH_KIND

CODE = "def warmth():\n    return 41\n"
DATA = base64.b64encode(CODE.encode()).decode()
TYPES = ["text/x-python", "application/json", "application/yaml", "text/markdown", "text/plain"]


def history(document: DocumentBlock, place: str) -> list[Msg]:
    if place == "user":
        return [Msg("", ["Read it.", document], "user")]
    call, result = ToolUseBlock("c1", "read", {}), ToolResultBlock("c1", "read", [document])
    return [Msg.user("Go."), Msg("", [call], "assistant"), Msg("", [result], "tool")]


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
@pytest.mark.parametrize("media_type", TYPES)
@pytest.mark.parametrize("place", ["user", "result"])
@pytest.mark.parametrize("form", ["base64", "text"])
def test_a_text_document_arrives(name: str, media_type: str, place: str, form: str) -> None:
    source: Any = Base64Source(media_type, DATA)
    if form == "text":  # as MCP servers give it
        source = TextSource([CODE], media_type=media_type)
    document = DocumentBlock(source, title="warmth.py")
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(ChatRequest(history(document, place)), model=wire.room.model)
    text = json.dumps(out.body)
    assert "return 41" in text or DATA in text
    if media_type == "text/x-python" and DATA in text and media_type not in text:
        assert "media.type_lowered" in [loss.code for loss in out.losses]
