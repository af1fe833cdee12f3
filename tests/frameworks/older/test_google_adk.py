"""Google's ADK beside the package itself: its events under the law, its sessions and its agents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from dragoman import LLM, Msg
from dragoman.bridges import find_bridge, google_adk
from dragoman.bridges.results import Bridged, Said
from dragoman.testing import Scripted
from tests.bridges.conversations import CONVERSATIONS
from tests.bridges.crossing import BRIDGES


def write_events(messages: Iterable[Said], **options: Any) -> Bridged[Any]:
    """The contents as events, as a session keeps them; `model` is the author of an answer."""
    written = google_adk.write_messages(messages, **options)
    events = [Event(author=one.role, content=one) for one in written.messages]
    return Bridged(events, written.report)


def stored(events: list[Any]) -> list[Any]:
    """Events as a session service stores them."""
    return [json.loads(one.model_dump_json(exclude_none=True, by_alias=True)) for one in events]


def runnable(events: Any) -> list[tuple[str, Any]]:
    """The calls that a runner would run; it runs those of an event as they are."""
    calls = [call for event in events for call in event.get_function_calls()]
    return [(one.name, one.args or {}) for one in calls if (one.args or {}).keys() != {"input"}]


CONTENTS = next(bridge for bridge in BRIDGES if bridge.name == "google_adk")
BRIDGE = replace(CONTENTS, write=write_events, runnable=runnable, dump=stored)


def test_events_of_a_session_come_back() -> None:
    """Through a session, from its events as objects and as JSON, in either spelling."""

    async def session(events: list[Event]) -> list[Event]:
        service = InMemorySessionService()
        made = await service.create_session(app_name="a", user_id="u")
        for event in events:
            await service.append_event(made, event)
        found = await service.get_session(app_name="a", user_id="u", session_id=made.id)
        assert found is not None
        return [*found.events]

    for messages in CONVERSATIONS.values():
        contents = google_adk.write_messages(messages, policy="ignore").messages
        events = asyncio.run(session(write_events(messages, policy="ignore").messages))
        read = google_adk.read_messages(events).messages
        assert read == google_adk.read_messages(contents).messages
        assert google_adk.read_messages(stored(events)).messages == read
        assert google_adk.write_messages(read).messages == contents
        again = [Event.model_validate(one) for one in stored(events)]
        assert google_adk.read_messages(again).messages == read


def test_the_author_of_an_answer_is_its_name() -> None:
    history = [Msg.user("Where is Paris?"), Msg.assistant("In France.")]
    contents = google_adk.write_messages(history).messages
    authors = ("user", "guide")
    events = [Event(author=who, content=one) for who, one in zip(authors, contents, strict=True)]
    acted = Event(author="guide")  # it has no content
    read = google_adk.read_messages([*events, acted]).messages
    assert [msg.name for msg in read] == ["", "guide"]
    read[1].name = ""
    assert read == history


class CallsOnce(BaseLlm):  # type: ignore[misc]  # not installed where types are checked
    """A model in this process: it calls a tool once, then says what it was given."""

    given: list[Any] = []  # noqa: RUF012

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncIterator[LlmResponse]:
        self.given.append(llm_request.contents)
        parts = [types.Part(text="done")]
        if len(self.given) == 1:
            calls = [
                types.FunctionCall(name="f", args={"city": city}) for city in ("Paris", "Rome")
            ]
            parts = [
                types.Part(function_call=call, thought_signature=b"\xff\xef") for call in calls
            ]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def test_a_runner_goes_on_and_its_session_is_read() -> None:
    history = CONVERSATIONS["parallel calls with a result that failed"]
    model = CallsOnce(model="m")
    model.given.clear()

    async def f(city: str) -> dict[str, str]:
        """Look."""
        return {"found": city} if city == "Paris" else {"error": "no such city"}

    async def run() -> list[Event]:
        service = InMemorySessionService()
        agent = LlmAgent(name="guide", model=model, tools=[f])
        runner = Runner(agent=agent, app_name="a", session_service=service)
        session = await service.create_session(app_name="a", user_id="u")
        for event in write_events(history).messages:
            await service.append_event(session, event)
        asked = types.Content(role="user", parts=[types.Part(text="And Oslo?")])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=asked):
            pass
        found = await service.get_session(app_name="a", user_id="u", session_id=session.id)
        assert found is not None
        return [*found.events]

    events = asyncio.run(run())
    read = google_adk.read_messages(events)
    assert read.losses == []
    assert read.messages[: len(history)] == BRIDGE.held([*history])
    said, results, answer = read.messages[-3:]
    assert (said.name, [call.input for call in said.calls]) == (
        "guide", [{"city": "Paris"}, {"city": "Rome"}],
    )  # fmt: skip
    assert {call.extras["gemini"]["thoughtSignature"] for call in said.calls if call.extras} == {
        "/+8="
    }
    assert [block.is_error for block in results.blocks if block.type == "tool_result"] == [
        False,
        True,
    ]
    assert [call.id for call in said.calls] == [
        b.id for b in results.blocks if b.type == "tool_result"
    ]
    assert answer.text == "done"
    llm = LLM("anthropic/claude-opus-5-5", key="none", transport=Scripted("In Norway."))
    assert llm.ask(events).text == "In Norway."
    assert find_bridge(events[0]) is google_adk
