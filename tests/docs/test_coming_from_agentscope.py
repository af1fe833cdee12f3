"""docs/coming-from-agentscope.md is complete and true, as far as that can be looked up.

Its fault numbers and reasons are those of the recorded conversations in tests/golden/agentscope.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

import dragoman.formatter
import dragoman.message
import dragoman.model
import dragoman.tokens
from dragoman import ChatRequest, DropOldest, Msg, Tool
from dragoman._old_names import OLD_CODES
from dragoman.formatter.wire_formatter import FormatterOptions
from dragoman.losses.codes import CODES
from dragoman.tokens import CharTokenCounter
from tests.each_case import each_case

from .pages import DOCS, ROOT, pages, plain, rows

PAGE = (DOCS / "coming-from-agentscope.md").read_text("utf-8")
ROWS = rows(PAGE)
FAULTS = {int(row[0]): row for row in ROWS if row[0].isdecimal()}
CALL = {"type": "tool_use", "id": "1", "name": "now", "input": {"zone": [1]}}
RESULT = {"type": "tool_result", "id": "1", "name": "now", "output": "8"}
TURN = [Msg("Tony", "Time?", "user"), Msg("F", [CALL], "assistant"), Msg("s", [RESULT], "system")]
# What AgentScope 1.0.21 exports.
MESSAGE = {
    "AudioBlock", "Base64Source", "ContentBlock", "ImageBlock", "Msg", "TextBlock",
    "ThinkingBlock", "ToolResultBlock", "ToolUseBlock", "URLSource", "VideoBlock",
}  # fmt: skip
WIRES = ("Anthropic", "DashScope", "DeepSeek", "Gemini", "Ollama", "OpenAI", "OpenAIResponse")
FORMATTER = {f"{wire}{kind}Formatter" for wire in WIRES for kind in ("Chat", "MultiAgent")} | {
    "A2AChatFormatter", "FormatterBase", "TruncatedFormatterBase",
}  # fmt: skip
TOKEN = {
    "AnthropicTokenCounter", "CharTokenCounter", "GeminiTokenCounter", "HuggingFaceTokenCounter",
    "OpenAITokenCounter", "TokenCounterBase",
}  # fmt: skip


def formatter(name: str, *args: Any, **options: Any) -> Any:
    return getattr(dragoman.formatter, name)(*args, **options)


def reasons() -> set[str]:
    """Every reason for another output that the recorded conversations give."""
    found: set[str] = set()
    for path in sorted((ROOT / "tests" / "golden" / "agentscope").glob("*.json")):
        for case in json.loads(path.read_text("utf-8"))["cases"]:
            for run in case["runs"]:
                found.update((run.get("because") or "").split("; "))
    return found - {""}


REASONS = sorted(reasons())


def told(reason: str) -> bool:
    """Whether the page gives the reason in the row of its fault, or among those on purpose."""
    head, _, why = reason.partition(": ")
    if head == "on purpose":
        section = PAGE.partition("## Different output on purpose")[2].partition("\n## ")[0]
        return f"*{why}*" in section
    return f"*{why}*" in FAULTS[int(head)][2]


@each_case("reason", REASONS)
def test_the_page_gives_every_reason_of_the_recorded_conversations(reason: str) -> None:
    assert told(reason)


def test_a_reason_that_the_page_lacks_is_found() -> None:
    assert len(REASONS) > 20
    assert not told("1: the moon is full")
    assert not told("2: Gemini wants all results of a turn in one content")  # another fault's
    assert not told("on purpose: the moon is full")


def test_every_fault_has_its_row() -> None:
    assert list(FAULTS) == list(range(1, 38))
    assert all(len(row) == 3 and all(row) for row in FAULTS.values())


def test_constructors_take_the_arguments_in_the_order_of_the_page() -> None:
    listed = {
        row[0].strip("`"): tuple(re.findall(r"`(\w+)`", row[1]))
        for row in ROWS
        if row[0].strip("`") in FORMATTER and row[1].endswith("`max_tokens`")
    }
    classes = {name: getattr(dragoman.formatter, name) for name in listed}
    assert listed == {
        name: (*cls.leading, *cls.promotes, "token_counter", "max_tokens")
        for name, cls in classes.items()
    }
    assert len(listed) == 14
    for name, order in listed.items():
        values = [f"heading of {name}" if "prompt" in one else None for one in order]
        made = formatter(name, *values)
        assert (made.token_counter, made.max_tokens) == (None, None)


def test_the_page_lists_the_keywords_that_only_ours_have() -> None:
    [line] = [one for one in PAGE.splitlines() if one.startswith("Dragoman's formatters also take")]
    ours = {*FormatterOptions.__annotations__, "facts"} - {"token_counter", "max_tokens"}
    assert set(re.findall(r"`(\w+)`", line)) == ours


def absent() -> set[str]:
    section = PAGE.partition("## Not available")[2]
    return {name for row in rows(section) for name in re.findall(r"`([\w.]+)`", row[0])}


def test_what_is_said_to_be_missing_is_missing_and_nothing_else() -> None:
    here = {
        *(name for name in MESSAGE if hasattr(dragoman.message, name)),
        *(name for name in FORMATTER if hasattr(dragoman.formatter, name)),
        *(name for name in TOKEN if hasattr(dragoman.tokens, name)),
    }
    classes = {name for name in absent() if "." not in name}
    assert (MESSAGE | FORMATTER | TOKEN) - here == classes
    for name in absent() - classes:
        cls, _, method = name.partition(".")
        assert not hasattr(getattr(dragoman.formatter, cls), method)


def test_later_parts_of_the_page_are_linked_where_it_says_so() -> None:
    assert "(chat-models.md)" in PAGE
    assert "(answers.md)" in PAGE  # faults 33 to 36: streams and what stands beside the message


CODE = re.compile(rf"`((?:{'|'.join({code.partition('.')[0] for code in CODES})})\.[a-z_*]+)`")


# What may look like codes: pieces of the sources, and attributes of answers and messages, which
# test_library_tables.py looks up.
NO_CODES = {
    "mutants.md", "coming-from-langchain.md", "coming-from-litellm.md", "coming-from-openai.md",
    "coming-from-pydantic-ai.md",
}  # fmt: skip
OBJECTS: dict[str, type[Any]] = {"answer": dragoman.model.Answer, "model": dragoman.model.ChatModel}


def is_attribute(name: str) -> bool:
    """Whether a name is of an attribute: what pages call `answer` and `model` are objects, too."""
    owner, _, attribute = name.partition(".")
    return owner in OBJECTS and attribute in {*dir(OBJECTS[owner]), *_fields(OBJECTS[owner])}


def _fields(cls: type[Any]) -> set[str]:
    return {name for base in cls.__mro__ for name in getattr(base, "__annotations__", {})}


@each_case(
    "page", [page for page in pages() if page.name not in NO_CODES], ids=lambda page: page.name
)
def test_the_codes_that_a_page_names_are_codes(page: Any) -> None:
    prose = plain(page.read_text("utf-8")).partition("\n## Sources\n")[0]  # of the providers
    named = set(CODE.findall(prose))
    named = {
        name for name in named if not (name.endswith(("*", ".py", ".md")) or is_attribute(name))
    }
    renamed = set(OLD_CODES) if page.name == "versions.md" else set()  # which tells of them
    assert named <= set(CODES) | renamed


def test_fault_15_a_request_begins_with_the_user_and_a_list_gets_no_turn() -> None:
    msgs = [Msg("F", "Hello.", "assistant"), Msg("Tony", "Hi.", "user")]
    for name, key in (("AnthropicChatFormatter", "messages"), ("GeminiChatFormatter", "contents")):
        made = formatter(name)
        assert len(made.format_sync(msgs)) == 2
        out = made.format_request(ChatRequest(msgs))
        assert out.body[key][0]["role"] == "user"
        assert "turn.first" in {loss.code for loss in out.losses}


def test_fault_16_a_counter_changes_nothing() -> None:
    wire = formatter("AnthropicChatFormatter").format_sync([Msg("s", "Be kind.", "system"), *TURN])
    before = json.dumps(wire)
    CharTokenCounter().count_sync(wire)
    assert json.dumps(wire) == before


def test_faults_17_and_26_what_stays_of_a_history_and_what_can_go() -> None:
    prompt, question = Msg("s", "Be kind.", "system"), Msg("Tony", "Now?", "user")
    msgs = [prompt, Msg("Tony", "x" * 900, "user"), Msg("F", [CALL], "assistant"), question]
    kept = formatter("OpenAIChatFormatter", False, CharTokenCounter(), 200).format_sync(msgs)
    assert [m["role"] for m in kept] == ["system", "user"]
    assert kept[1]["content"][0]["text"] == "Now?"


def test_fault_18_thinking_is_sent_back_on_request() -> None:
    thought = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}]
    msgs = [Msg("Tony", "Well?", "user"), Msg("F", thought, "assistant")]
    for name in ("OpenAIChatFormatter", "DashScopeChatFormatter", "OllamaChatFormatter"):
        assert "Hm." not in json.dumps(formatter(name).format_sync(msgs))
        assert "Hm." in json.dumps(formatter(name, can={"thinking": True}).format_sync(msgs))


def test_fault_27_a_limit_needs_a_counter_and_schemas_and_answer_have_room_in_it() -> None:
    assert formatter("OpenAIChatFormatter", max_tokens=100).token_counter is not None
    limit = 300 + CharTokenCounter().count_sync(formatter("OpenAIChatFormatter").format_sync(TURN))
    request = ChatRequest([Msg("Tony", "Hi.", "user"), *TURN], tools=[Tool("now", "time " * 30)])
    kept = []
    for tools, reserve in (([], 0), (request.tools, 0), ([], 280)):
        cut = formatter("OpenAIChatFormatter", False, CharTokenCounter(), limit,
                        truncate=DropOldest(reserve=reserve))  # fmt: skip
        out = cut.format_request(replace(request, tools=tools))
        kept.append(len(out.body["messages"]))
    assert kept == [len(TURN) + 1, len(TURN), len(TURN)]


def test_fault_30_the_place_of_a_saved_medium_is_told() -> None:
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"},
    }
    msgs = [*TURN[:2], Msg("s", [{**RESULT, "output": [image]}], "system")]
    plainly = formatter("OpenAIChatFormatter").write(msgs)
    assert "media.as_reference" in {loss.code for loss in plainly.losses}
    saved = formatter("OpenAIChatFormatter", media_saver=lambda kind, data: f"{kind} {data}")
    assert saved.format_sync(msgs)[2]["content"].endswith("image/png iVBO")


def test_fault_32_stored_messages_are_copies_and_arguments_are_shared() -> None:
    wire = formatter("AnthropicChatFormatter").format_sync(TURN)
    block = TURN[1].calls[0]
    assert wire[1]["content"][0]["input"] is block.input
    stored = TURN[1].to_dict()
    stored["content"][0]["input"]["zone"].append(2)
    assert block.input == {"zone": [1]}


def test_deepseek_gets_its_thinking_field_as_the_page_says() -> None:
    assert "reasoning_content" not in formatter("DeepSeekChatFormatter").format_sync(TURN)[1]
    named = formatter("DeepSeekChatFormatter", model="deepseek-flash")
    assert named.format_sync(TURN)[1]["reasoning_content"] == ""
    assert formatter("Formatter", "deepseek").format_sync(TURN)[1]["reasoning_content"] == ""


def loud(name: str) -> Any:
    """A formatter whose hook shouts."""

    class Loud(getattr(dragoman.formatter, name)):  # type: ignore[misc]  # any of them
        async def _format_agent_message(
            self, msgs: list[Msg], is_first: bool = True
        ) -> list[dict[str, Any]]:
            return [{"role": "user", "content": m.text.upper()} for m in msgs]

    return Loud()


def test_hooks_shape_lists_and_requests() -> None:
    assert loud("AnthropicChatFormatter").format_sync(TURN)[0]["content"] == "TIME?"
    for wire in ("OpenAI", "Ollama", "DeepSeek", "Anthropic", "DashScope", "Gemini",
                 "OpenAIResponse"):  # fmt: skip
        body = loud(f"{wire}ChatFormatter").format_request(ChatRequest(TURN)).body
        assert "TIME?" in json.dumps(body)


def test_messages_differ_from_agentscopes_as_the_page_says() -> None:
    stored = {"id": "q", "name": "a", "role": "user", "content": "c", "metadata": {}}
    msg = Msg.from_dict({**stored, "timestamp": "t", "invocation_id": "i"})
    assert (msg.id, msg.timestamp, hasattr(msg, "invocation_id")) == ("q", "t", False)
    given = [{"type": "text", "text": "Hi"}]
    block = Msg("a", given, "user").content[0]
    assert given == [{"type": "text", "text": "Hi"}]
    assert not isinstance(block, dict)
    with pytest.raises(TypeError):
        block["text"] = "Ho"  # type: ignore[index]
    with pytest.raises(TypeError):
        hash(msg)


def test_fault_23_each_medium_is_fetched_once_for_all_tries() -> None:
    asked: list[str] = []

    def fetch(source: Any, path: str) -> Any:
        asked.append(source.url)
        return dragoman.message.Base64Source("image/png", "iV")

    url = {"type": "url", "url": "https://example.com/cat.png"}
    msgs = [Msg("Tony", [{"type": "image", "source": url}], "user") for _ in range(100)]
    made = formatter("GeminiChatFormatter", False, CharTokenCounter(), 50_000, fetch=fetch)
    assert 0 < len(made.format_sync(msgs)) < len(msgs)
    assert len(asked) == len(msgs)
