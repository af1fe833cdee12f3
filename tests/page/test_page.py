"""What the page answers is what the library says: bodies, losses, cuts, streams and changes."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest

import dragoman
from dragoman import Formatter, Msg, ReadError, fit_history_sync
from dragoman.analysis.paths import MISSING, value_at
from dragoman.losses.codes import CODES
from dragoman.message import ChatRequest, ToolResultBlock, dump
from dragoman.page import Page
from dragoman.page.changes import parts
from dragoman.page.tokens import LengthEstimate
from dragoman.page.wire_view import SPEAKERS
from dragoman.tokens import CharTokenCounter
from dragoman.vendors import PROTOCOLS

from . import samples


def page_with(*values: Any, counter: Any = None) -> Page:
    page = Page(counter, "characters" if counter else "")
    for i, value in enumerate(values):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        page.open(data, f"{i}.json")
    return page


def body_of(page: Page, answer: dict[str, Any]) -> Any:
    """The body with its long texts put back."""
    for way, key, size in answer["long"]:
        node: Any = answer["body"]
        for step in way[:-1]:
            node = node[step]
        node[way[-1]] = page.answer(f"text/{key}")
        assert len(node[way[-1]]) == size
    return answer["body"]


@pytest.mark.parametrize("target", PROTOCOLS)
def test_a_request_is_what_convert_makes_of_it(target: str) -> None:
    page = page_with(samples.JOURNEY)
    answer = page.answer(f"wire/0/{target}/role/0")
    written = dragoman.convert(samples.JOURNEY, "anthropic", target, policy="ignore")
    assert body_of(page, answer) == written.body
    assert (answer["path"], answer["model"]) == (written.path, written.model)
    told = {(loss["code"], loss["where"], loss["did"]) for loss in answer["losses"]}
    assert told == {(loss.code, loss.where, loss.did) for loss in written.losses}


@pytest.mark.parametrize("how", SPEAKERS)
def test_speakers_are_told_as_a_formatter_tells_them(how: str) -> None:
    msgs = [Msg("Bob", "Hello", "user"), Msg("Friday", "Hi", "assistant"),
            Msg("Eve", "Me too", "user")]  # fmt: skip
    page = page_with(dump(ChatRequest(msgs)))
    speakers = {"role": None, "name": dragoman.ByName(), "tagged": dragoman.Tagged(me="Friday"),
                "namefield": dragoman.NameField()}[how]  # fmt: skip
    formatter = Formatter("openai-chat", speakers=speakers, policy="ignore")
    answer = page.answer(f"wire/0/openai-chat/{how}/0")
    assert answer["body"]["messages"] == formatter.format_sync(msgs)


def test_every_loss_stands_at_a_place_of_both_sides() -> None:
    page = page_with(samples.JOURNEY)
    for target in PROTOCOLS:
        answer = page.answer(f"wire/0/{target}/role/0")
        for loss in answer["losses"]:
            assert loss["meaning"] == CODES[loss["code"]].meaning
            assert loss["at"], loss
            for path in loss["at"]:
                assert value_at(answer["body"], path) is not MISSING, (target, loss)


def test_a_loss_shows_where_its_part_got_to() -> None:
    answer = page_with(samples.JOURNEY).answer("wire/0/openai-chat/role/0")
    at = {loss["code"]: (loss["where"], loss["at"]) for loss in answer["losses"]}
    assert at["thinking.unsupported"] == ("$.messages[1].content[0]", ["$.messages[2].content"])
    assert at["option.unsupported"] == ("$.top_k", ["$"])
    where, places = at["media.moved"]
    assert where == "$.messages[2].content[1].content[1]"
    moved = [value_at(answer["body"], path) for path in places]
    assert any(isinstance(part, dict) and part.get("type") == "image_url" for part in moved)


def test_what_cannot_be_sent_is_told_with_its_reason() -> None:
    refused = page_with({"model": "m", "messages": []}).answer("wire/0/anthropic/role/0")["refused"]
    assert refused["code"] == "messages.empty"
    assert "nothing to send" in refused["text"]


def test_losses_are_counted_for_every_wire() -> None:
    page = page_with(samples.JOURNEY)
    rows = {row["wire"]: row for row in page.answer("losses/0/role")}
    assert list(rows) == list(PROTOCOLS)
    assert not rows["anthropic"]["kinds"]
    for name, row in rows.items():
        losses = page.answer(f"wire/0/{name}/role/0")["losses"]
        assert sum(row["kinds"].values()) == len(losses)


def test_the_conversation_has_the_paths_that_losses_name() -> None:
    shown = page_with(samples.JOURNEY).answer("conversation/0")
    blocks = {block["path"]: block for m in shown["messages"] for block in m["blocks"]}
    assert blocks["$.messages[1].content[0]"]["kind"] == "thinking"
    assert blocks["$.messages[1].content[2]"]["preview"] == "table: tickets, since: 2026-11-16"
    assert blocks["$.messages[4].content[0]"]["cache"] == "default"
    [_, picture] = blocks["$.messages[2].content[1]"]["blocks"]
    assert picture["path"] == "$.messages[2].content[1].content[1]"
    assert picture["media_type"] == "image/png"
    for message in shown["messages"]:
        for path in (message["path"], *(block["path"] for block in message["blocks"])):
            assert value_at(samples.JOURNEY, path) is not MISSING


def test_a_picture_is_sent_once_and_whole() -> None:
    page = page_with(samples.JOURNEY)
    [_, picture] = page.answer("conversation/0")["messages"][3]["blocks"][1]["blocks"]
    assert page.answer(f"text/{picture['data']}") == samples.CHART
    assert base64.b64decode(samples.CHART).startswith(b"\x89PNG")
    answer = json.dumps(page.answer("wire/0/anthropic/role/0"))
    assert samples.CHART not in answer
    assert picture["data"] in answer


def test_pictures_of_types_that_may_run_are_not_shown() -> None:
    shown = page_with(samples.hostile()).answer("conversation/0")
    pictures = [b for b in shown["messages"][1]["blocks"] if b["kind"] == "image"]
    assert [("data" in picture, picture.get("url", "")) for picture in pictures] == [
        (False, "https://example.org/pixel.png"),
        (False, ""),
    ]


def test_tokens_are_those_of_the_counter() -> None:
    page = page_with(samples.JOURNEY, counter=CharTokenCounter())
    tokens = page.answer("tokens/0")
    written = dragoman.convert(samples.JOURNEY, "anthropic", "openai-chat", policy="ignore")
    counted = CharTokenCounter().count_sync(written.body["messages"])
    assert len(tokens) == len(page.answer("conversation/0")["messages"])
    assert sum(tokens) == pytest.approx(counted, abs=len(tokens) + 5)  # line ends between them
    assert page.answer("contents")["counted_by"] == "characters"


def test_tokens_are_told_of_all_that_is_shown() -> None:
    request = ChatRequest([Msg.user("Hi"), Msg.assistant("Hello")], system="Be kind.")
    page = page_with(dump(request), samples.gateway(), samples.STREAM.encode())
    for number in range(3):
        shown = page.answer(f"conversation/{number}")["messages"]
        assert len(page.answer(f"tokens/{number}")) == len(shown)
    prompt, *others = page.answer("tokens/0")
    assert prompt is None
    assert all(others)


def test_the_cuts_are_those_of_fit_history() -> None:
    page = page_with(samples.JOURNEY)
    positions = page.answer("cuts/0/openai-chat")["positions"]
    assert [len(position["dropped"]) for position in positions] == sorted(
        len(position["dropped"]) for position in positions
    )
    assert positions[0]["dropped"] == []
    assert len(positions) > 1
    request = dragoman.wire("anthropic").read_request(samples.JOURNEY)
    for number, position in enumerate(positions[1:], 1):
        formatter = Formatter("openai-chat", policy="ignore", token_counter=LengthEstimate(),
                              max_tokens=position["limit"])  # fmt: skip
        fitted = fit_history_sync(request, formatter=formatter)
        assert fitted.receipt.tokens_after == position["tokens"] <= position["limit"]
        assert len(fitted.receipt.dropped) == len(position["dropped"])
        answer = page.answer(f"wire/0/openai-chat/role/{number}")
        assert body_of(page, answer) == formatter.format_request(request, answer["model"]).body


def test_a_long_history_has_a_bounded_number_of_positions() -> None:
    msgs = [Msg("", f"word {i} " * 9, "assistant" if i % 2 else "user") for i in range(200)]
    positions = page_with(dump(ChatRequest(msgs))).answer("cuts/0/gemini")["positions"]
    assert 10 < len(positions) <= 41
    assert positions[-1]["tokens"] < positions[0]["tokens"] / 10


def test_a_stream_is_told_event_by_event() -> None:
    page = page_with(samples.STREAM.encode())
    told = page.answer("stream/0")
    assert len(told["events"]) == samples.STREAM.count("\n\n")
    steps = [step for event in told["events"] for step in event["steps"]]
    grown = "".join(step["text"] for step in steps if step["do"] == "grow")
    assert grown == (
        "Exits stand in gates.Most of them got off in **Vienna**: 12 000,\n\n1. Vienna\n2. Graz"
        '\n3. Villach{"table": "gates"}'
    )
    started = [step["kind"] for step in steps if step["do"] == "start"]
    assert started == ["thinking", "text", "call"]
    assert told["answer"]["finish"] == "tool_calls"


@pytest.mark.parametrize("target", PROTOCOLS)
def test_a_stream_on_another_wire_is_what_convert_stream_gives(target: str) -> None:
    answer = page_with(samples.STREAM.encode()).answer(f"answer/0/{target}")
    converted = dragoman.convert_stream(
        [samples.STREAM.encode()], "anthropic", target, policy="ignore"
    )
    expected = [(event.event, event.data) for event in converted]
    shown = [(event["name"], event["data"]) for event in answer["events"]]
    assert [name for name, _ in shown] == [name for name, _ in expected]
    for (_, data), (_, text) in zip(shown, expected, strict=True):
        told = data if isinstance(data, str) else json.dumps(data)
        assert _undated(told) == _undated(
            text if isinstance(data, str) else json.dumps(json.loads(text))
        )


def _undated(text: str) -> str:
    """Without the second in which it was made, and what is made of it."""
    return re.sub(
        r'"(created|created_at|completed_at)": ?("[^"]*"|\d+(\.\d+)?|null)', r'"\1": 0', text
    )


def test_requests_of_a_session_are_compared_with_the_one_before() -> None:
    page = Page()
    page.open(samples.lines(samples.SESSION), "log.jsonl")
    assert [exchange.previous for exchange in page.exchanges] == [None, 0, 1]
    grown, broken = page.answer("changes/1"), page.answer("changes/2")
    assert grown["cache"]["path"] == ""
    assert set(grown["counts"]) == {"inserted"}
    assert (broken["cache"]["path"], broken["counts"]["changed"]) == ("$.system[0]", 1)
    assert broken["cache"]["kept"] < grown["cache"]["kept"]
    assert broken["cache"]["unbound"] == ("$.messages[1].content[0]",)
    [[how, said], [_, stays]] = broken["differences"][0]["parts"]
    assert (how, said) == ("now", "It is 9:41. ")
    assert stays.startswith("You help the crew of a night train")
    assert stays.endswith(" … ")
    assert broken["differences"][1]["parts"] == [
        ["now", samples.JOURNEY["messages"][3]["content"][0]["text"]]
    ]


def test_requests_of_other_sessions_are_not_compared() -> None:
    rows = [{**row, "session": f"s{i}"} for i, row in enumerate(samples.SESSION)]
    page = Page()
    page.open(samples.lines(rows), "log.jsonl")
    assert [exchange.previous for exchange in page.exchanges] == [None, None, None]


def test_both_sides_of_a_gateway_are_as_recorded() -> None:
    page = Page()
    page.open(samples.lines([samples.gateway()]), "gateway.jsonl")
    client, upstream = (page.answer(f"recorded/0/{side}") for side in ("client", "upstream"))
    assert body_of(page, client) == samples.JOURNEY
    assert body_of(page, upstream) == samples.gateway()["upstream"]["request"]
    lost = {loss["code"]: loss for loss in upstream["losses"]}
    assert lost["thinking.other_provider"]["meaning"] == CODES["thinking.other_provider"].meaning
    assert lost["thinking.other_provider"]["at"] == ["$.messages[2].content"]


def test_an_error_in_place_of_an_answer_is_told() -> None:
    row = {
        "request": samples.JOURNEY, "url_path": "/v1/messages", "status": 529,
        "response": {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}},
    }  # fmt: skip
    page = Page()
    page.open(samples.lines([row]), "log.jsonl")
    [fault] = page.answer("conversation/0")["faults"]
    assert (fault["text"], fault["status"]) == ("Busy", 529)


def test_no_file_that_a_conversation_names_is_opened(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\nsecret")
    image = {"type": "image", "source": {"type": "local", "path": "secret.png"}}
    page = page_with([Msg("", [image], "user").to_dict()])
    shown = json.dumps([page.answer("conversation/0"), page.answer("wire/0/anthropic/role/0")])
    secret = base64.b64encode((tmp_path / "secret.png").read_bytes()).decode()
    assert secret not in shown
    assert "secret.png" in shown


def test_a_result_without_its_call_is_shown() -> None:
    result = ToolResultBlock("1", "look", "a cat", is_error=True)
    shown = page_with(dump(ChatRequest([Msg("", [result], "tool")]))).answer("conversation/0")
    [message] = shown["messages"]
    assert message["blocks"][0]["error"] is True


def test_json_of_many_levels_is_shown_or_refused_by_name() -> None:
    def nested(levels: int) -> bytes:
        request = '{"model": "m", "messages": [{"role": "user", "content": "x"}], "own": '
        return (request + "[" * levels + "]" * levels + "}").encode()

    page = page_with(nested(300), nested(990))
    assert body_of(page, page.answer("recorded/0/client")) == json.loads(nested(300))
    for key in ("recorded/1/client", "wire/1/openai-chat/role/0"):
        with pytest.raises(ReadError, match="too deeply"):
            page.answer(key)


@pytest.mark.parametrize(
    "key",
    [
        "", "nothing", "conversation", "conversation/9", "conversation/-1", "conversation/x",
        "wire/0/anthropic/role", "wire/0/anthropic/nobody/0", "wire/0/anthropic/role/x",
        "recorded/0/nobody", "text/none", "text", "losses/0/nobody", "contents/0",
    ],
)  # fmt: skip
def test_a_key_that_leads_nowhere_is_refused(key: str) -> None:
    with pytest.raises(ReadError) as caught:
        page_with(samples.JOURNEY).answer(key)
    assert caught.value.code == "page.key"


@pytest.mark.parametrize(
    ("size", "changes"), [(10, 1), (50_000, 1), (3_000, 1_000), (9_000, 9_000)]
)
def test_a_change_far_into_a_text_is_shown(size: int, changes: int) -> None:
    """By words, by lines where many words differ, and whole where many lines do."""
    told = [f"line {i} of it\n" for i in range(size)]
    later = [f"row {i}\n" if size - 1 - changes <= i < size - 1 else told[i] for i in range(size)]
    found = parts("".join(told), "".join(later))
    first = size - 1 - changes
    assert next(text for how, text in found if how == "now").startswith(("row", f"row {first}"))
    for how, whole in (("was", told), ("now", later)):
        rest = "".join(text for kind, text in found if kind in (how, "same"))
        assert len(rest) <= len("".join(whole)) + 6
    assert sum(len(text) for how, text in found if how == "same") < 200
