"""Documents 000 and 004: several agents, told apart by a name in the text."""

from __future__ import annotations

import pytest

from dragoman import ByName, ChatRequest, Formatter, Msg, Tagged

from .weather import FOUR

PLAIN = Formatter("openai-chat", speakers=Tagged(me="AgentB"))


def agents() -> list[Msg]:
    return [
        Msg.user("Discuss."),
        Msg.assistant("My view is...", name="AgentA"),
        Msg.assistant("I doubt it.", name="AgentB"),
        Msg.assistant("So do I.", name="AgentC"),
    ]


@pytest.mark.demand("S37")
@pytest.mark.parametrize("name", FOUR)
def test_several_agents_share_two_roles_and_stay_apart(name: str) -> None:
    said = Formatter(name, speakers=Tagged(me="AgentB")).format_sync(agents())
    assert {message["role"] for message in said} <= {"user", "assistant", "model"}
    text = str(said)
    assert "[AgentA]: My view is..." in text
    assert "[AgentC]: So do I." in text


@pytest.mark.demand("S38")
@pytest.mark.parametrize("view", ["My view is...", "我的观点是..."])
def test_another_agents_view_is_the_users_behind_its_name(view: str) -> None:
    msg = Msg.assistant(view, name="AgentA")
    assert PLAIN.format_sync([msg]) == [{"role": "user", "content": f"[AgentA]: {view}"}]


@pytest.mark.demand("S39", "S40")
def test_every_agent_but_the_current_one_becomes_the_user() -> None:
    assert PLAIN.format_sync(agents()[1:]) == [
        {"role": "user", "content": "[AgentA]: My view is..."},
        {"role": "assistant", "content": "I doubt it."},
        {"role": "user", "content": "[AgentC]: So do I."},
    ]


@pytest.mark.demand("S17", "S40")
@pytest.mark.parametrize("me", ["AgentA", "AgentB", "AgentC"])
def test_the_context_says_who_is_the_current_agent(me: str) -> None:
    formatter = Formatter("openai-chat", speakers=Tagged())
    body = formatter.format_request(ChatRequest(agents(), agent_name=me)).body
    own = [m["content"] for m in body["messages"] if m["role"] == "assistant"]
    assert own == [m.text for m in agents() if m.name == me]


@pytest.mark.demand("S38", "S81")
def test_document_001_tells_the_same_agents_in_one_history() -> None:
    merged = Formatter("openai-chat", speakers=ByName(heading="")).format_sync(agents()[1:])
    assert merged == [
        {
            "role": "user",
            "content": "<history>\nAgentA: My view is...\nAgentB: I doubt it.\n"
            "AgentC: So do I.\n</history>",
        }
    ]


@pytest.mark.demand("S41")
def test_a_message_is_built_of_name_role_and_text_and_read_back() -> None:
    msg = Msg(name="AgentA", role="assistant", content="My view is...")
    assert (msg.name, msg.role, msg.get_text_content()) == ("AgentA", "assistant", "My view is...")
    assert msg == Msg.assistant("My view is...", name="AgentA")
