"""Every name of the root, used as its users do: `make types` checks it as strictly as ours.

`assert_type` says what an editor shows. Nothing here is run; `test_public` looks that no name is
missing.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from dataclasses import dataclass
from typing import Any, TypedDict, assert_type

import dragoman
from dragoman import (
    LLM,
    AnswerTooLarge,
    AsyncLLM,
    AudioBlock,
    AuthenticationFailed,
    BadRequest,
    ByName,
    ByRole,
    CacheHint,
    Capabilities,
    ChatConfig,
    ChatRequest,
    ChatResponse,
    ClearToolResults,
    ConfigError,
    ConnectionFailed,
    ContentFiltered,
    ContextOverflow,
    ContextTooLong,
    ConvertedStream,
    Detected,
    DocumentBlock,
    DragomanError,
    DropOldest,
    Facts,
    Formatter,
    ImageBlock,
    InvalidMessage,
    InvalidOutput,
    KeepFirst,
    Loss,
    LossRefused,
    MediaFetcher,
    MediaRefused,
    ModelNotFound,
    Msg,
    MsgHub,
    NameField,
    NoAnswer,
    NotMessages,
    Options,
    Overloaded,
    PaymentRequired,
    Policy,
    ProviderError,
    RateLimited,
    ReActAgent,
    ReadError,
    ResponseFormat,
    RunConflict,
    ServerTool,
    StreamBroken,
    StreamError,
    StreamEvent,
    Structured,
    Summarize,
    Tagged,
    TextBlock,
    Timeout,
    Tool,
    ToolChoice,
    Toolkit,
    Vendor,
    VideoBlock,
    Wire,
    WriteError,
    matrix,
    model,
    sequential_pipeline,
    tool,
)
from dragoman.message import ContentBlock, ToolUseBlock, Usage, Written
from dragoman.stream.framing import ServerEvent
from dragoman.structured_output import plain_answer, repair_messages, structured_request


def a_request(image: dict[str, Any]) -> ChatRequest:
    msgs = [
        Msg("Tony", "Where is Paris?", "user"),
        Msg.user([{"type": "text", "text": "Hi"}, image], "Tony", metadata={"seen": True}),
        Msg.system("You are Friday."),
        Msg.assistant("In France.", name="Friday"),
        Msg.tool("call_1", {"degrees": 18}, "warmth", is_error=False),
    ]
    return ChatRequest(
        msgs,
        tools=[Tool("warmth", "of a city", {"type": "object"}), ServerTool("web_search")],
        tool_choice=ToolChoice("required", parallel=False),
        options=Options(max_tokens=100, temperature=0.2, stop=("END",), reasoning="high"),
        response_format=ResponseFormat("schema", {"type": "object"}),
    )


def media_blocks(path: str) -> list[object]:
    assert_type(ImageBlock.from_path(path), ImageBlock)
    assert_type(AudioBlock.from_url("https://example.com/a.mp3"), AudioBlock)
    assert_type(VideoBlock.from_bytes(b"...", "video/mp4"), VideoBlock)
    document = DocumentBlock.from_path(path, title="The report")
    document.cache = CacheHint("1h")
    return [Msg.user(["Hi", document, TextBlock("there")])]


def not_options() -> None:
    Options(reasoning="hihg")  # type: ignore[arg-type]
    ToolChoice("must")  # type: ignore[arg-type]
    Msg.user("Hi", nmae="Tony")  # type: ignore[call-arg]
    Formatter("openai", max_token=9)  # type: ignore[call-arg]
    dragoman.formatter.OpenAIChatFormatter(promote_images=True)  # type: ignore[call-arg]


def a_round(wire: Wire, req: ChatRequest, answer: object) -> ChatResponse:
    out = wire.write_request(req, model="gpt-5.6")
    assert_type(out, Written)
    resp = wire.read_response(answer, request=out)
    assert_type(resp.msg, Msg)
    assert_type(resp.calls, list[ToolUseBlock])
    assert_type(resp.usage, Usage)
    req.messages.append(resp.msg)
    return resp


def an_event(event: StreamEvent) -> str:
    assert_type(event.text, str)
    if event.type == "text-delta":
        return event.text
    if event.type == "tool-start":
        assert_type(event.block, ToolUseBlock)
        return event.block.name
    if event.type == "block":
        assert_type(event.block, ContentBlock)
    if event.type == "finish":
        assert_type(event.response, ChatResponse)
        return event.response.text
    if event.block is not None:
        assert_type(event.block, ContentBlock)
    return ""


def a_stream(wire: Wire, chunks: Iterable[bytes]) -> ChatResponse:
    stream = wire.read_stream(chunks)
    for event in stream:
        an_event(event)
    return stream.response


async def an_async_stream(wire: Wire, chunks: AsyncIterable[bytes]) -> ChatResponse:
    stream = wire.aread_stream(chunks)
    async for event in stream:
        an_event(event)
    return stream.response


def a_conversion(body: dict[str, Any], chunks: Iterable[bytes]) -> dict[str, Any]:
    found = dragoman.detect(body)
    assert_type(found, Detected)
    policy = Policy(refuse=("dropped",), allow=("name.*",))
    out = dragoman.convert(body, found.wire, "anthropic", policy=policy, fetch=None)
    for loss in out.losses:
        assert_type(loss, Loss)
    events = dragoman.convert_stream(chunks, "openai", "anthropic")
    assert_type(events, ConvertedStream)
    for event in events:
        assert_type(event, ServerEvent)
    return out.body


async def media(req: ChatRequest) -> list[dragoman.message.Base64Source | None]:
    fetch = MediaFetcher(["*.example"], max_bytes=1_000, roots=["pictures"])
    wire = dragoman.wire("ollama", fetch=fetch)
    return await fetch.amany(wire.wanted_media(req, "llava"))


def a_vendor() -> Wire:
    facts = dragoman.facts({"models": []}, pin="2026-03")
    assert_type(facts, Facts)
    acme = Vendor("acme", base_url="https://api.acme.example/v1", key="ACME_API_KEY")
    wire = dragoman.wire(acme, facts=facts, policy="refuse", strict=True)
    assert_type(wire.can("gpt-5.6"), Capabilities)
    assert_type(dragoman.wires(), list[str])
    return wire


def formatters(msgs: list[Msg], counter: dragoman.tokens.TokenCounterBase) -> list[Formatter]:
    can = ChatConfig(support_image=False)
    speakers = (ByRole(), ByName(), Tagged(me="Friday"), NameField())
    cuts = (DropOldest(), KeepFirst(2), ClearToolResults(keep=1), Summarize(lambda msgs: "all"))
    made = [Formatter("openai", speakers=who, can=can) for who in speakers]
    made += [
        Formatter("openai", token_counter=counter, max_tokens=1000, truncate=cut) for cut in cuts
    ]
    assert_type(made[0].format_sync(msgs), list[dict[str, Any]])
    named = dragoman.formatter.DashScopeMultiAgentFormatter("# History", True, max_tokens=9)
    assert_type(named.parse_response({}), Msg)
    return made


async def a_long_history(msgs: list[Msg], formatter: Formatter) -> list[Msg]:
    fitted = await dragoman.fit_history(msgs, formatter=formatter, max_tokens=1000)
    again = dragoman.fit_history_sync(fitted.msgs, formatter=formatter)
    window: int | None = dragoman.limits("gpt-5.6").context_window
    assert window is None or window > 0
    parts = dragoman.split_history("Tony: Hi\nFriday: Hello", names=["Tony", "Friday"])
    assert_type(dragoman.message.dump(parts), dict[str, Any])
    return again.msgs


def documents(msgs: list[Msg]) -> dict[str, Any]:
    return dragoman.toolkit.RequestBuilder().build(msgs)


@tool
def warmth(city: str, unit: str = "C") -> float:
    return len(city) * len(unit)


@tool(name="greet", timeout=3)
async def greeting(name: str) -> str:
    return f"Hello, {name}"


async def tools(resp: ChatResponse) -> list[Msg]:
    assert_type(warmth("Paris"), float)
    assert_type(await greeting("Tony"), str)
    warmth(3)  # type: ignore[arg-type]
    warmth("Paris", scale="K")  # type: ignore[call-arg]
    toolkit = Toolkit([warmth, greeting, Tool("remote"), {"name": "plain"}], timeout=9)
    assert_type(toolkit.tools, list[Tool])
    assert_type(toolkit.pending(resp.calls), list[ToolUseBlock])
    ChatRequest([], tools=toolkit.tools)
    return toolkit.run(resp.calls) + await toolkit.arun(resp.calls)


class City(TypedDict):
    name: str


@dataclass
class Place:
    lat: float


def an_answer_of_a_type(resp: ChatResponse, wire: Wire) -> ChatRequest:
    city, place = Structured(City), Structured(Place, name="place", strict=None)
    assert_type(city.parse(resp), City)
    assert_type(place.parse("{}"), Place)
    assert_type(Structured(list[int]).parse(resp.msg), list[int])
    either: Structured[int | str] = Structured(int | str)
    assert_type(either.parse(b"3"), int | str)
    assert_type(Structured({"type": "object"}).parse(resp), Any)
    asked = structured_request(ChatRequest([]), wire, "gpt-5.6", city, "tool")
    assert_type(plain_answer(resp), ChatResponse)
    asked.request.messages += repair_messages(resp, InvalidOutput("wrong"))
    return asked.request


def a_front_door(history: list[Msg]) -> str:
    with LLM(["anthropic/claude-opus-5-5", "gpt-5.6"], temperature=0, timeout=9.0) as llm:
        assert_type(llm.ask("Hi", response_format=City).parsed, City)
        assert_type(llm.ask(history, response_format=Place, repairs=1).parsed, Place)
        assert_type(llm.ask("Hi", response_format=Structured(list[int])).parsed, list[int])
        assert_type(llm.ask("Hi").text, str)
        llm.ask("Hi", temprature=1)  # type: ignore[call-overload]
        for event in (stream := llm.stream("Hi", response_format=Place)):
            if event.type == "text-delta":
                assert_type(event.text, str)
            elif event.type == "tool-end":
                assert_type(event.block, ToolUseBlock)
        assert_type(stream.response.parsed, Place)
        assert_type(llm.request("Hi"), Written)
        assert_type(llm.count("Hi"), int)
    return llm.ask(ChatRequest(history)).host


async def an_async_front_door() -> bool:
    async with AsyncLLM("gemini/gemini-3.5-flash", transport="aiohttp") as llm:
        assert_type((await llm.ask("Hi", response_format=City)).parsed, City)
        async for event in llm.stream("Hi"):
            if event.type == "finish":
                assert_type(event.response, ChatResponse)
    one = model.OllamaChatModel("qwen3")
    assert_type(one.sync([]).cost, model.Cost | None)
    return all(cell.works for cell in matrix())


async def an_agent(stored: dict[str, Any]) -> Msg | list[Msg] | None:
    one = ReActAgent("Friday", "Be brief.", "anthropic/claude-opus-5-5", max_iters=5)
    assert_type(await one("Hi"), Msg | None)
    async for event in one.events("Hi"):
        if event.type == "end":
            assert_type(event.reply.finish == "done", bool)
        elif event.type == "result":
            assert_type(event.msg, Msg)
    two = ReActAgent("Saturday", None, AsyncLLM.of(LLM("gpt-5.6")))
    two.load_state(stored)
    async with MsgHub([one, two]):
        return await sequential_pipeline([one, two])


def errors(call: Any) -> str:
    try:
        call()
    except LossRefused as error:
        return str(error.losses[0].code)
    except (ConfigError, ContextOverflow, NotMessages, InvalidMessage) as error:
        return error.hint
    except MediaRefused as error:
        return error.code
    except WriteError as error:
        return error.path
    except StreamBroken as error:
        assert_type(error.response, Any)
        return error.kind
    except InvalidOutput as error:
        return error.text
    except StreamError as error:
        return error.message
    except (
        RateLimited, Overloaded, Timeout, ConnectionFailed, NoAnswer, AnswerTooLarge,
        ModelNotFound, PaymentRequired,
    ) as error:  # fmt: skip
        return str(error.retry_after)
    except (ContextTooLong, ContentFiltered, AuthenticationFailed, BadRequest) as error:
        return error.request_id
    except (ProviderError, ReadError, RunConflict) as error:
        return error.code
    except DragomanError as error:
        return error.path
    return ""
