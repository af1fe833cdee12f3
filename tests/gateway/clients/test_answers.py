"""Each official client on each kind of upstream: chats, streams, tools, images, a schema."""

from __future__ import annotations

import base64
from typing import Any

from pydantic import BaseModel

from dragoman import Msg
from dragoman.message import (
    Base64Source,
    Candidate,
    ChatRequest,
    ChatResponse,
    Finish,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from dragoman.message import Tool as Declared
from dragoman.testing import StrictServer

from . import Tool
from .conftest import Begin
from .upstreams import SEEING, SIGNATURE, calls
from .ways import each_pair, each_way

WARMTH = Tool("warmth", "How warm it is.", {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
    "additionalProperties": False,
})  # fmt: skip
# one red point
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


class City(BaseModel):
    name: str
    people: int


def answered(*blocks: Any, finish: str = "stop") -> ChatResponse:
    msg = Msg("", list(blocks), "assistant")
    usage = Usage(input=11, output=7)
    return ChatResponse([Candidate(msg, Finish(finish))], usage=usage)  # type: ignore[arg-type]


def turns(req: ChatRequest) -> list[tuple[str, str]]:
    """What each turn says; chats of google-genai keep a streamed one in pieces."""
    said: list[tuple[str, str]] = []
    for m in req.messages:
        text = m.get_text_content() or ""
        if said and said[-1][0] == m.role:
            text = said.pop()[1] + text
        said.append((m.role, text))
    return said


def sent(judge: StrictServer, nth: int = -1) -> ChatRequest:
    """A request as the upstream reads it, after nothing was wrong with any."""
    assert not any(judge.judged), judge.judged
    return judge.requests[nth]


@each_way
def test_a_chat(begin: Begin, client: str, upstream: str, streams: bool) -> None:
    answers = [answered(TextBlock(text)) for text in ("Thirty-one degrees, and dry.", "Bread.")]
    talk, judge = begin(client, upstream, *answers, streams=streams, system="Be brief.")
    reply = talk.say("How warm is Samarkand?")
    assert (reply.text, reply.calls) == ("Thirty-one degrees, and dry.", [])
    assert (reply.input_tokens, reply.output_tokens) == (11, 7)
    assert reply.finish.lower() in ("stop", "end_turn", "completed")
    assert not streams or reply.events > (0 if client == "ollama" else 1)
    assert talk.say("What do they eat?").text == "Bread."
    req = sent(judge)
    assert turns(req) == [
        ("system", "Be brief."), ("user", "How warm is Samarkand?"),
        ("assistant", "Thirty-one degrees, and dry."), ("user", "What do they eat?"),
    ]  # fmt: skip
    assert req.stream is streams


@each_way
def test_parallel_tools(begin: Begin, client: str, upstream: str, streams: bool) -> None:
    first = answered(TextBlock("I look."), *calls(upstream, streams), finish="tool_calls")
    answers = first, answered(TextBlock("31; 29."))
    talk, judge = begin(client, upstream, *answers, tools=[WARMTH], streams=streams)
    reply = talk.say("How warm are Samarkand and Merv?")
    asked = [(call.name, call.arguments) for call in reply.calls]
    assert asked == [("warmth", {"city": "Samarkand"}), ("warmth", {"city": "Merv"})]
    assert reply.text == "I look."
    one, two = reply.calls
    assert one.id != two.id or client in ("ollama", "gemini")
    assert talk.give([(one, "31 degrees", None), (two, "29 degrees", None)]).text == "31; 29."
    req = sent(judge)
    made = [block for m in req.messages for block in m.blocks if type(block) is ToolUseBlock]
    results = [block for m in req.messages for block in m.blocks if type(block) is ToolResultBlock]
    assert [(call.name, call.input) for call in made] == asked
    assert [result.id for result in results] == [call.id for call in made]
    assert [text_of(result) for result in results] == ["31 degrees", "29 degrees"]
    [tool] = req.tools or []
    assert type(tool) is Declared
    parameters: Any = tool.parameters
    assert tool.name == "warmth"
    assert parameters["properties"]["city"]["type"] == "string"


def text_of(result: ToolResultBlock) -> str:
    output = result.output
    if isinstance(output, str):
        return output
    assert isinstance(output, list)
    return "".join(block.text for block in output if type(block) is TextBlock)


@each_pair
def test_images(begin: Begin, client: str, upstream: str) -> None:
    talk, judge = begin(client, upstream, answered(TextBlock("A red point.")), models=SEEING)
    assert talk.say("What is it?", PNG).text == "A red point."
    [image] = [block for block in sent(judge).messages[-1].blocks if type(block) is ImageBlock]
    assert type(image.source) is Base64Source
    assert base64.b64decode(image.source.data) == PNG


@each_pair
def test_images_in_results(begin: Begin, client: str, upstream: str) -> None:
    look = Tool(
        "look",
        "A picture of the screen.",
        {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    )
    signed = {"gemini": {"thoughtSignature": SIGNATURE}} if upstream == "gemini" else None
    call = ToolUseBlock("call_1", "look", {}, extras=signed)
    answers = answered(call, finish="tool_calls"), answered(TextBlock("A red point."))
    talk, judge = begin(client, upstream, *answers, tools=[look], models=SEEING)
    [asked] = talk.say("What is on the screen?").calls
    assert talk.give([(asked, "a picture", PNG)]).text == "A red point."
    images = [block for m in sent(judge).messages for block in _all(m) if type(block) is ImageBlock]
    assert [base64.b64decode(image.source.data) for image in images] == [PNG]  # type: ignore[union-attr]


def _all(m: Msg) -> list[Any]:
    found: list[Any] = []
    for block in m.blocks:
        found.append(block)
        if type(block) is ToolResultBlock and isinstance(block.output, list):
            found += block.output
    return found


@each_way
def test_structured_output(begin: Begin, client: str, upstream: str, streams: bool) -> None:
    text = '{"name": "Samarkand", "people": 573000}'
    talk, judge = begin(client, upstream, answered(TextBlock(text)), schema=City, streams=streams)
    assert talk.say("Name a city.").parsed == City(name="Samarkand", people=573000)
    wanted = sent(judge).response_format
    assert wanted is not None
    assert wanted.schema is not None
    assert wanted.kind == "schema"
    properties: Any = wanted.schema["properties"]
    assert {name: rule["type"].lower() for name, rule in properties.items()} == {
        "name": "string",
        "people": "integer",
    }
