"""Streams that break, that are left, and that hold what no protocol expects."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, Msg, ProviderError, ui
from dragoman.message import (
    Base64Source,
    Candidate,
    ChatResponse,
    Citation,
    FileSource,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    Usage,
)
from dragoman.stream.events import EventView
from dragoman.stream.pieces import End, Part, Piece
from dragoman.testing import Fault, Scripted
from tests.each_case import each_case
from tests.stream.test_events import STOP, call, text, thought
from tests.stream.test_events import viewed as events_of

from .judging import judge
from .test_ai_sdk_writer import chunks, played

Write = Callable[..., Any]
ENDS = {"finish", "RUN_FINISHED"}
BUSY = ProviderError("the words of a provider", status=529, type="overloaded_error")


def llm(answer: Any, **settings: Any) -> LLM:
    return LLM("anthropic/claude-opus-5-5", key="none", retries=0, transport=Scripted(answer),
               policy="ignore", **settings)  # fmt: skip


def breaking(events: list[Any], at: int) -> Iterator[Any]:
    yield from events[:at]
    raise BUSY


def lines(stream: Any) -> list[dict[str, Any]]:
    return chunks("".join(stream.sse()))


# -- what breaks -----------------------------------------------------------------------------------


def test_a_stream_that_breaks_anywhere_is_seen_as_broken(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever the event after which the model fails: both judges see an error, and no end."""
    caplog.set_level(logging.CRITICAL)
    runs = [played("odd")[1][0].events[:-1], played("odd")[2][0].events[:-1]]
    cases = [(events, at) for events in runs for at in range(len(events) + 1)]
    for name, write in (("ai_sdk", ui.ai_sdk), ("ag_ui", ui.ag_ui)):
        streams = []
        for events, at in cases:
            one = write(breaking(events, at))
            streams.append([{"sse": "".join(one.sse())}])
            assert one.error is BUSY
        for (_, at), verdict in zip(cases, judge(name, streams), strict=True):
            refused = [one for one in verdict["refused"] if "EmptyError" not in one]
            assert refused == [], (name, at)
            assert verdict["types"][-1] in ("error", "RUN_ERROR"), (name, at)
            assert not ENDS & {*verdict["types"]}
            left = verdict["types"].count("text-start") - verdict["types"].count("text-end")
            parts = (verdict.get("message") or {}).get("parts", ())
            assert (
                sum(1 for one in parts if one == {**one, "type": "text", "state": "streaming"})
                == left
            ), "a text that broke off is not done"
            assert len(verdict["errors"]) == 1
            assert "words of a provider" not in verdict["errors"][0]


def test_a_stream_that_is_stopped_anywhere_is_aborted() -> None:
    """Its events end without an answer: AI SDK's `abort`, a cancelled run of AG-UI, all closed."""
    events = played("odd")[1][0].events
    for name, write in (("ai_sdk", ui.ai_sdk), ("ag_ui", ui.ag_ui)):
        # right after an answer, an agent's events are those of a model that has answered
        places = [at for at in range(len(events)) if not at or events[at - 1].type != "finish"]
        streams = [[{"sse": "".join(write(events[:at]).sse())}] for at in places]
        for at, verdict in zip(places, judge(name, streams), strict=True):
            refused = [one for one in verdict["refused"] if "EmptyError" not in one]
            assert (refused, verdict["errors"]) == ([], []), (name, at)
            assert verdict["types"][-1] in ("abort", "RUN_FINISHED")
            assert "finish" not in verdict["types"]
    [*_, last] = ui.ag_ui(events[:9])
    assert last["outcome"] == {"type": "cancelled"}


@pytest.mark.parametrize("fault", [
    Fault("This is cut.", cut=4), Fault("This fails.", error=BUSY, after=3), BUSY,
])  # fmt: skip
def test_a_model_that_fails(fault: Any, caplog: pytest.LogCaptureFixture) -> None:
    for write, kind in ((ui.ai_sdk, "error"), (ui.ag_ui, "RUN_ERROR")):
        stream: Any = write(llm(fault).stream("Go."))
        [*_, last] = stream
        assert last["type"] == kind
        assert isinstance(stream.error, ProviderError)
        assert caplog.records[-1].name == "dragoman.ui"
        said: Any = write(llm(fault).stream("Go."), describe=lambda error: f"told: {error}")
        [*_, last] = said
        assert last.get("errorText", last.get("message")).startswith("told: ")


def test_an_answer_that_is_kept_although_it_broke_off_is_broken() -> None:
    broken = llm(Fault("This is cut.", cut=4), allow_partial=True).stream("Go.")
    kinds = [one["type"] for one in ui.ai_sdk(broken)]
    assert (kinds[-1], "text-end" in kinds) == ("error", True)


# -- sync, async, and left ------------------------------------------------------------------------


def test_the_same_is_written_of_async_events() -> None:
    async def play() -> list[dict[str, Any]]:
        model = AsyncLLM("anthropic/claude-opus-5-5", key="none", transport=Scripted("Yes."))
        stream = ui.ai_sdk(model.stream("Go."))
        assert stream.headers["x-vercel-ai-ui-message-stream"] == "v1"
        sent = [line async for line in stream.sse()]
        assert sent[-1] == "data: [DONE]\n\n"
        return chunks("".join(sent))

    assert asyncio.run(play()) == lines(ui.ai_sdk(llm("Yes.").stream("Go.")))


def test_who_leaves_a_stream_closes_its_events() -> None:
    closed: list[str] = []

    def events() -> Iterator[Any]:
        try:
            yield from played("odd")[0][0].events
        finally:
            closed.append("sync")

    async def async_events() -> AsyncIterator[Any]:
        try:
            for event in played("odd")[0][0].events:
                yield event
        finally:
            closed.append("async")

    async def leave() -> None:
        sse = ui.ag_ui(async_events()).sse()
        assert "RUN_STARTED" in await anext(sse)
        assert "STEP_STARTED" in await anext(sse)
        await sse.aclose()  # type: ignore[attr-defined]

    sse = ui.ag_ui(events()).sse()
    next(sse), next(sse)
    sse.close()  # type: ignore[attr-defined]
    asyncio.run(leave())
    assert closed == ["sync", "async"]


# -- what protocols do not expect ------------------------------------------------------------------


def codes(stream: Any) -> set[str]:
    return {loss.code for loss in stream.losses}


IMAGE = ImageBlock(Base64Source("image/png", "aGk="))
CITED = TextBlock("", [Citation(1, 3, "https://x.example", "X", "q"), Citation(0, 1)])
BESIDES: list[Any] = [
    (RefusalBlock("No."), 0), (IMAGE, 1), (ImageBlock(FileSource("f", "anthropic")), 2),
    (RawBlock("anthropic", {"type": "odd"}, "message"), 3), (TextBlock("abc"), 4), (CITED, 4),
]  # fmt: skip
BROKEN = ("", "{bad", "[1]", "null", '{"city": "Par')
CASES: dict[str, list[Piece]] = {
    "ids": [
        call("{}", 0, 0, id="c", name="f"), call('{"a": 1}', 0, 1, id="c", name="g"),
        call('{"b": 2}', 0, 2, name="h"), STOP,
    ],
    "candidates": [text("One."), text("Two.", 1, 0), STOP, End(Finish(), 1)],
    "replaced text": [text("Yes"), text("No.", 0, 0, whole=True), STOP],
    "replaced call": [
        call('{"a": 1', 0, 0, id="c", name="f"),
        call('{"b": 2}', 0, 0, id="c", name="f", whole=True), STOP,
    ],
    "besides": [*(Part((0, at), one) for one, at in BESIDES), STOP],
    "late seal": [thought("Hm.", 0, 0), text("Yes.", 0, 1),
                  Part((0, 0), ThinkingBlock("", "c2ln")), STOP],
    **{f"call {raw}": [call(raw, 0, 0, id="c", name="f"), STOP] for raw in BROKEN},
}  # fmt: skip


@cache
def judged() -> dict[str, tuple[Any, Any, set[str], set[str]]]:
    """What both judges make of a stream of these pieces, and what was lost."""
    events = [events_of(*pieces) for pieces in CASES.values()]
    ai_sdk: list[Any] = [ui.ai_sdk(one) for one in events]
    ag_ui: list[Any] = [ui.ag_ui(one, thread_id="t") for one in events]
    shown = judge("ai_sdk", [[{"sse": "".join(one.sse())}] for one in ai_sdk])
    applied = judge("ag_ui", [[{"sse": "".join(one.sse())}] for one in ag_ui])
    found = {}
    for name, one, two, mine, other in zip(CASES, shown, applied, ai_sdk, ag_ui, strict=True):
        assert (one["refused"], one["errors"]) == ([], []), name
        assert [it for it in two["refused"] if "EmptyError" not in it] == [], name
        found[name] = one["message"]["parts"], two["messages"][1:], codes(mine), codes(other)
    return found


def test_ids_that_are_missing_or_used_twice_are_made() -> None:
    parts, messages, lost, same = judged()["ids"]
    calls = [one for one in parts if one["type"] == "dynamic-tool"]
    assert [(one["toolName"], one["input"]) for one in calls] == [
        ("f", {}), ("g", {"a": 1}), ("h", {"b": 2}),
    ]  # fmt: skip
    assert len({one["toolCallId"] for one in calls}) == 3
    assert [one["function"]["arguments"] for one in messages[0]["toolCalls"]] == [
        "{}", '{"a": 1}', '{"b": 2}',
    ]  # fmt: skip
    assert lost == same
    assert "id.mapped" in lost


@each_case("raw", BROKEN)
def test_a_call_whose_arguments_are_no_object_is_never_one_to_run(raw: str) -> None:
    parts, messages, _, _ = judged()[f"call {raw}"]
    [part] = [one for one in parts if one["type"] == "dynamic-tool"]
    shown = (part["state"], part["input"])
    if raw in ("", "null"):  # models write either for no arguments
        assert shown == ("input-available", {})
    else:
        assert shown == ("output-error", raw)
    [message] = messages
    assert message["toolCalls"][0]["function"]["arguments"] == raw


def test_only_the_first_candidate_is_shown() -> None:
    parts, messages, lost, same = judged()["candidates"]
    assert [one["text"] for one in parts if one["type"] == "text"] == ["One."]
    assert [one["content"] for one in messages] == ["One."]
    assert lost == same == {"answer.candidates"}


def test_a_text_that_is_replaced_is_shown_in_both_forms_and_named() -> None:
    parts, messages, lost, same = judged()["replaced text"]
    assert [one["text"] for one in parts if one["type"] == "text"] == ["Yes", "No."]
    assert "".join(one["content"] for one in messages) == "YesNo."
    assert lost == same == {"answer.unsupported"}


def test_a_call_that_is_replaced_ends_with_what_counts() -> None:
    parts, _, lost, _ = judged()["replaced call"]
    assert [one["input"] for one in parts if one["type"] == "dynamic-tool"] == [{"b": 2}]
    assert lost == {"answer.unsupported"}


def test_what_a_model_says_besides_texts() -> None:
    """A refusal, an image, sources and a citation, what only one provider has."""
    parts, messages, lost, same = judged()["besides"]
    assert [one["type"] for one in parts[1:]] == ["text", "file", "text", "source-url"]
    assert (parts[1]["text"], parts[2]["url"]) == ("No.", "data:image/png;base64,aGk=")
    [citation] = parts[3]["citations"]
    assert (citation["startIndex"], citation["endIndex"], citation["citedText"]) == (1, 3, "q")
    assert citation["source"]["id"] == parts[4]["sourceId"]
    assert [one["content"] for one in messages] == ["No.", "abc"]
    named = {"answer.finish", "refusal.as_text", "raw.other_provider", "citations.unsupported"}
    assert lost == {*named, "media.source"}
    assert same == {*named, "block.unsupported"}


def test_a_run_of_ag_ui_names_its_sources_at_its_end() -> None:
    [*_, last] = ui.ag_ui(events_of(*CASES["besides"]))
    source = {"type": "source-url", "sourceId": "https://x.example", "url": "https://x.example",
              "title": "X"}  # fmt: skip
    assert last["metadata"] == {"dragoman": {"sources": [source]}}


def test_a_seal_that_comes_after_its_thought_is_named() -> None:
    _, _, lost, same = judged()["late seal"]
    assert lost == same == {"thinking.unsupported"}


def test_the_tokens_of_all_answers_are_told() -> None:
    usage = Usage(3, 10, 2, 5, 1)
    response = ChatResponse([Candidate(Msg.assistant("Yes."))], usage, model="m")
    view = EventView()
    events = [*view.feed(text("Yes.")), *view.finish(response)]
    [*_, last] = ui.ai_sdk(events)
    assert last["messageMetadata"]["usage"] == {
        "inputTokens": 15, "outputTokens": 5, "totalTokens": 20,
        "inputTokenDetails": {"noCacheTokens": 3, "cacheReadTokens": 10, "cacheWriteTokens": 2},
        "outputTokenDetails": {"reasoningTokens": 1},
    }  # fmt: skip
    [*_, last] = ui.ag_ui(events)
    assert last["usage"] == [{
        "model": "m", "inputTokens": 15, "outputTokens": 5, "totalTokens": 20,
        "reasoningTokens": 1, "cachedInputTokens": 10, "cacheWriteInputTokens": 2,
    }]  # fmt: skip
    response.usage = Usage(input=-1)  # what a host may report
    assert "messageMetadata" not in [*ui.ai_sdk(events)][-1]
    assert "usage" not in [*ui.ag_ui(events)][-1]


def test_a_call_that_a_page_does_not_know_is_told_first() -> None:
    """A run that goes on before a page that has not seen its beginning."""
    run = played("odd")[2][1]
    known = ui.UIRequest("ai-sdk", [], known_calls=frozenset({"p_1"}))
    for write in (ui.ai_sdk, ui.ag_ui):
        for request, count in ((known, 0), (ui.UIRequest("ai-sdk", []), 1)):
            stream: Any = write(run.events, request=request)
            kinds = [one["type"] for one in stream]
            begun = kinds.count("tool-input-start") + kinds.count("TOOL_CALL_START")
            assert begun == count
