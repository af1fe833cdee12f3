"""What a client of the API itself sends and clouds refuse or pay for: betas, and a billing line."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import ChatRequest, Msg, Options
from tests.wires import ONE_OF_EACH_KIND

CLOUDS = {
    "vertex/anthropic": "claude-opus-5-5",
    "bedrock/anthropic": "us.anthropic.claude-opus-5-5",
    "bedrock-mantle/anthropic": "anthropic.claude-opus-5-5",
}
# as Claude Code 2.1.332 sends them (2026-11-28)
BETAS = (
    "claude-code-20250219,context-management-2025-06-27,advanced-tool-use-2025-11-20,"
    "fast-mode-2026-02-01,files-api-2025-04-14,of-tomorrow-2027-01-01"
)
BILLING = "x-anthropic-billing-header: cc_version=2.1.332.306; cc_entrypoint=sdk-cli; cch=0f3a1;"
# the bodies of some hosts are those of the API itself, and are written as they were read
OTHERS = [name for name in ONE_OF_EACH_KIND if dragoman.wire(name).room.host != "anthropic"]
TOOL = {
    "name": "look",
    "input_schema": {"type": "object", "properties": {"at": {"type": "string"}}},
}


def body(**more: Any) -> dict[str, Any]:
    system = [{"type": "text", "text": BILLING}, {"type": "text", "text": "Be brief."}]
    return {"model": "claude-opus-5-5", "max_tokens": 500, "system": system, "tools": [TOOL],
            "messages": [{"role": "user", "content": "Hi."}], **more}  # fmt: skip


def betas(out: Any) -> list[str]:
    in_header = out.headers.get("anthropic-beta", "")
    return [*out.body.get("anthropic_beta", ()), *filter(None, in_header.split(","))]


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("edited", [False, True], ids=["as read", "edited"])
def test_a_cloud_gets_the_betas_that_it_knows_and_the_others_are_named(
    name: str, edited: bool
) -> None:
    request = dragoman.wire("anthropic").read_request(body(), headers={"anthropic-beta": BETAS})
    if edited:
        request.messages.append(Msg.user("Now."))
    out = dragoman.wire(name, policy="ignore").write_request(request, model=CLOUDS[name])
    assert "context-management-2025-06-27" in betas(out)
    assert "tool-search-tool-2025-10-19" in betas(out)  # its name for `advanced-tool-use`
    assert {"fast-mode-2026-02-01", "files-api-2025-04-14", "of-tomorrow-2027-01-01",
            "advanced-tool-use-2025-11-20"}.isdisjoint(betas(out))  # fmt: skip
    lost = {loss.what for loss in out.losses if loss.code == "extras.other_provider"}
    assert {"fast-mode-2026-02-01", "files-api-2025-04-14", "of-tomorrow-2027-01-01"} <= lost


def test_the_api_itself_gets_them_all() -> None:
    request = dragoman.wire("anthropic").read_request(body(), headers={"anthropic-beta": BETAS})
    out = dragoman.wire("anthropic").write_request(request)
    assert betas(out) == BETAS.split(",")
    assert out.losses == []


@pytest.mark.parametrize("name", CLOUDS)
def test_a_beta_that_a_program_names_itself_goes_out(name: str) -> None:
    extras = {"anthropic": {"anthropic_beta": ["of-tomorrow-2027-01-01"]}}
    request = ChatRequest([Msg.user("Hi.")], extras=extras)
    out = dragoman.wire(name).write_request(request, model=CLOUDS[name])
    assert betas(out) == ["of-tomorrow-2027-01-01"]


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_wire_gets_the_billing_line(name: str) -> None:
    request = dragoman.wire("anthropic").read_request(body())
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(request, model=wire.room.model)
    assert "billing" not in repr(out.body)
    assert "Be brief." in repr(out.body)
    assert [(loss.kind, loss.where) for loss in out.losses if loss.code == "system.billing"] == [
        ("expected", "$.system[0]")
    ]


def test_the_api_itself_gets_its_billing_line_back() -> None:
    request = dragoman.wire("anthropic").read_request(body())
    assert dragoman.wire("anthropic").write_request(request).body == body()


def test_the_api_itself_gets_its_billing_line_back_when_the_request_was_changed() -> None:
    request = dragoman.wire("anthropic").read_request(body())
    request.messages.append(Msg.user("Now."))
    for model in ("claude-opus-5-5", "claude-sonnet-5"):
        out = dragoman.wire("anthropic").write_request(request, model=model)
        assert out.body["system"] == body()["system"]
        assert "system.billing" not in [loss.code for loss in out.losses]
    request.messages[0] = Msg("", [*request.messages[0].blocks], "system")
    out = dragoman.wire("anthropic").write_request(request)
    assert out.body["system"] == body()["system"]


def test_two_turns_begin_with_the_same_bytes_where_the_billing_line_differs() -> None:
    texts = []
    for line in (BILLING, BILLING.replace("0f3a1", "77ab2")):
        told = body()
        told["system"][0] = {"type": "text", "text": line}
        out = dragoman.convert(told, "anthropic", "vertex/anthropic", policy="ignore")
        texts.append(repr(out.body))
    assert texts[0] == texts[1]


FIELDS = {
    "vertex/anthropic": ("tools", "system", "messages"),
    "bedrock/anthropic": ("tools", "system", "messages"),
    "vertex": ("tools", "systemInstruction", "contents"),
    "bedrock": ("toolConfig", "system", "messages"),
    "openai-responses": ("model", "tools", "instructions", "input"),
    "open-responses": ("model", "tools", "instructions", "input"),
}


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("own", [False, True], ids=["another's", "its own"])
def test_tools_stand_in_front_of_the_messages(name: str, own: bool) -> None:
    wire = dragoman.wire(name, policy="ignore")
    request = dragoman.wire("anthropic").read_request(body())
    out = wire.write_request(request, model=wire.room.model)
    if own:  # read back, with the tools behind, and written as it was read
        back = {**{k: v for k, v in out.body.items() if k not in FIELDS[name]},
                **{k: out.body[k] for k in reversed(FIELDS[name]) if k in out.body}}  # fmt: skip
        again = wire.write_request(wire.read_request(back, out.path))
        assert again.body == back
        out = again
    order = [key for key in out.body if key in FIELDS[name]]
    assert order == [key for key in FIELDS[name] if key in out.body]
    assert list(out.body)[: len(order)] == order


UPDATES = {"type": "adaptive", "display": "updates"}


def test_notes_alone_are_shown_where_there_are_such_and_a_little_elsewhere() -> None:
    told = body(thinking=UPDATES)
    request = dragoman.wire("anthropic").read_request(told)
    assert request.options.thoughts == "updates"
    assert dragoman.wire("anthropic").write_request(request).body == told
    out = dragoman.wire("openai-responses", policy="ignore").write_request(request, model="gpt-5.6")
    assert out.body["reasoning"]["summary"] == "concise"
    assert ("option.range", "$.thinking.display", "sent as concise") in [
        (loss.code, loss.where, loss.did) for loss in out.losses
    ]
    out = dragoman.wire("gemini", policy="ignore").write_request(request, model="gemini-3.8-pro")
    assert out.body["generationConfig"]["thinkingConfig"]["includeThoughts"] is True


def test_a_program_that_wants_notes_alone_gets_the_beta_for_it() -> None:
    request = ChatRequest([Msg.user("Hi.")], options=Options(thoughts="updates"))
    out = dragoman.wire("anthropic").write_request(request, model="claude-opus-5-5")
    assert out.body["thinking"]["display"] == "updates"
    assert out.headers["anthropic-beta"] == "thinking-display-updates-2026-08-18"
