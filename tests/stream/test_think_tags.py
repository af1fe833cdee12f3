"""Thinking in tags: found at any cut, told from text, and put back as it stood."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman import ConfigError, Msg
from dragoman.message import Citation, Finish, TextBlock, ThinkingBlock, ToolUseBlock
from dragoman.message.answer import total
from dragoman.message.blocks import ContentBlock
from dragoman.protocols import ollama, openai_chat
from dragoman.stream.builder import Builder
from dragoman.stream.pieces import End, Key, Meta, Part, Piece
from dragoman.stream.think_tags import (
    SERVERS,
    TAG_PAIRS,
    TagForm,
    TagPair,
    ThinkTagReader,
    join_think_tags,
)
from tests.each_case import each_case

FORMS: list[TagForm] = ["leading", "inside", "sections"]
STOP = End(Finish("stop", "stop"))


class Told:
    """A reader that says what it is given."""

    def feed(self, payload: Any, event: str | None = None) -> list[Piece]:
        return [Part((0, 1, 0), TextBlock(payload))] if isinstance(payload, str) else payload

    def finish(self) -> list[Piece]:
        return []


def pieces(form: TagForm, payloads: list[Any]) -> list[Piece]:
    tagged = ThinkTagReader(Told(), form, SERVERS)
    made = [piece for payload in payloads for piece in tagged.feed(payload)]
    return made + tagged.finish()


def blocks(form: TagForm, *payloads: Any) -> list[ContentBlock]:
    parts: dict[Key, list[ContentBlock]] = {}
    for piece in pieces(form, list(payloads)):
        if isinstance(piece, Part):
            parts[piece.key] = [*([] if piece.whole else parts.get(piece.key, [])), piece.block]
    return [total(parts[key]) for key in sorted(parts)]


def shown(made: list[ContentBlock]) -> list[tuple[str, str]]:
    return [
        ("think", b.thinking) if isinstance(b, ThinkingBlock) else ("text", b.text)
        for b in made
        if isinstance(b, (ThinkingBlock, TextBlock))
    ]


@each_case(
    ("form", "text", "wanted"),
    [
        ("leading", "<think>secret</think>Answer", [("think", "secret"), ("text", "Answer")]),
        ("leading", "\n<think>\na\nb\n</think>\n\n  Hi", [("think", "a\nb"), ("text", "Hi")]),
        ("leading", "See <think>this</think>", [("text", "See <think>this</think>")]),
        ("leading", "</think>\n\nHi", [("text", "Hi")]),
        ("leading", "<think>\n\n</think>\n\nHi", [("text", "Hi")]),
        ("leading", "<think>cut off", [("think", "cut off")]),
        ("leading", "<think>a</think>b<think>c</think>",
         [("think", "a"), ("text", "b<think>c</think>")]),
        ("leading", "<think>a <think> b</think>c", [("think", "a <think> b"), ("text", "c")]),
        ("leading", "<thinker>a</thinker>", [("text", "<thinker>a</thinker>")]),
        ("leading", "  a < b", [("text", "  a < b")]),
        ("leading", "<think>a</think>", [("think", "a")]),
        ("leading", "<thi", [("text", "<thi")]),
        ("inside", "secret</think>Answer", [("think", "secret"), ("text", "Answer")]),
        ("inside", "<think>\nsecret</think>Answer", [("think", "secret"), ("text", "Answer")]),
        ("inside", "</think>Answer", [("text", "Answer")]),
        ("sections", "a <think>b</think> c <think>d</think>e",
         [("text", "a "), ("think", "b"), ("text", "c "), ("think", "d"), ("text", "e")]),
        ("sections", "<think>a</think>\n<think>b</think>c",
         [("think", "a"), ("think", "b"), ("text", "c")]),
        ("sections", "a </think> b", [("text", "a </think> b")]),
        ("", "<think>a</think>b", [("text", "<think>a</think>b")]),
    ],
)  # fmt: skip
def test_where_tags_count(form: TagForm, text: str, wanted: list[tuple[str, str]]) -> None:
    for pair in TAG_PAIRS.values():

        def respell(text: str, pair: TagPair = pair) -> str:
            return text.replace("<think>", pair.opening).replace("</think>", pair.closing)

        same = [(kind, respell(words)) for kind, words in wanted]
        assert shown(blocks(form, respell(text))) == same
        assert shown(blocks(form, *respell(text))) == same


def test_a_section_ends_with_the_tag_of_its_pair() -> None:
    text = "<seed:think>a</think>b</seed:think>c<think>d</think>"
    wanted = [("think", "a</think>b"), ("text", "c"), ("think", "d")]
    assert shown(blocks("sections", text)) == shown(blocks("sections", *text)) == wanted
    glue = "".join(block.text for block in join_think_tags(blocks("sections", text)))  # type: ignore[union-attr]
    assert glue == text


def test_a_host_has_only_the_pairs_of_its_dialect() -> None:
    text = "<seed:think>a</seed:think>b"
    body = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    here, there = (
        dragoman.wire(name).read_response(body).msg.blocks for name in ("vllm", "deepinfra")
    )
    assert shown(here) == [("think", "a"), ("text", "b")]
    assert shown(there) == [("text", text)]
    with pytest.raises(ConfigError, match="no pair of tags"):
        openai_chat.Dialect(think_pairs=("thought",))


def test_an_answer_that_never_leaves_its_thinking() -> None:
    assert shown(blocks("inside", "just an", " answer", [STOP])) == [("text", "just an answer")]
    cut = End(Finish("length", "length"))
    assert shown(blocks("inside", "so far", [cut])) == [("think", "so far")]
    assert shown(blocks("inside", "so far")) == [("think", "so far")]
    assert shown(blocks("leading", "<think>so far", [STOP])) == [("think", "so far")]


def test_a_field_of_thinking_turns_tags_into_text() -> None:
    thought = [Part((0, 0, 0), ThinkingBlock("real"))]
    tags = "<think>not that</think>Hi"
    for form in FORMS:
        assert shown(blocks(form, thought, tags)) == [("think", "real"), ("text", tags)]
    other = [Part((1, 0, 0), ThinkingBlock("real"))]
    assert ("think", "not that") in shown(blocks("leading", other, tags))
    # a field that comes late: what was held is text, and what is open goes on to its end
    assert shown(blocks("leading", " <thi", thought, "nk>a")) == [
        ("think", "real"), ("text", " <think>a"),
    ]  # fmt: skip
    late = blocks("sections", "<think>a", thought, "b</think>c<think>d")
    assert shown(late) == [("think", "real"), ("think", "ab"), ("text", "c<think>d")]


MIRRORED: list[tuple[list[Any], list[tuple[str, str]]]] = [
    (["<think>real</think>\nHi"], [("text", "Hi")]),
    (["<think>\nre", "al\n</th", "ink>Hi"], [("text", "Hi")]),
    (["<think>re"], []),
    (["<think>unreal</think>Hi"], [("text", "<think>unreal</think>Hi")]),
    (["<think>unreal"], [("text", "<think>unreal")]),
    (["</think>Hi"], [("text", "</think>Hi")]),
]


@pytest.mark.parametrize(("payloads", "wanted"), MIRRORED)
def test_thinking_that_is_said_twice_is_shown_once(
    payloads: list[Any], wanted: list[tuple[str, str]]
) -> None:
    thought = [Part((0, 0, 0), ThinkingBlock("real", spelling="reasoning"))]
    said = [("think", "real"), *wanted]
    assert shown(blocks("leading", thought, *payloads)) == said
    assert shown(blocks("leading", thought, *(sign for text in payloads for sign in text))) == said
    made = pieces("leading", [thought, *payloads])
    glue = join_think_tags(blocks("leading", thought, *payloads))[1:]
    text = "".join(block.text for block in glue if type(block) is TextBlock)
    kept = "".join(p.extras["think_tags"] for p in made if type(p) is Meta and p.extras)
    assert text + kept == "".join(payloads)


def test_a_field_that_comes_with_the_first_tag() -> None:
    thought = [Part((0, 0, 0), ThinkingBlock("real"))]
    made = blocks("leading", "<think>\n", thought, "real\n</think>Hi")
    assert shown(made) == [("think", "real"), ("text", "Hi")]


def test_only_what_may_be_a_tag_is_held_back() -> None:
    tagged = ThinkTagReader(Told(), "sections")
    made = [
        "".join(p.block.text for p in tagged.feed(text) if type(p) is Part
                and type(p.block) is TextBlock)
        for text in ("a < b", " <", "th", "x <think", "ing> ", "y")
    ]  # fmt: skip
    assert made == ["a < b", " ", "", "<thx ", "<thinking> ", "y"]
    tagged = ThinkTagReader(Told(), "leading")
    assert tagged.feed("<think>a </t") == [Part((0, 1, 0, 0), ThinkingBlock("a"))]
    assert tagged.feed("ea") == [Part((0, 1, 0, 0), ThinkingBlock(" </tea"))]


def test_text_without_tags_goes_through_as_it_is() -> None:
    part = Part((0, 1, 0), TextBlock("Hi", [Citation(0, 2)]))
    tagged = ThinkTagReader(Told(), "leading")
    assert tagged.feed([part]) == [part]
    assert tagged.feed([part])[0] is part


def test_what_stands_beside_the_text_stays_beside_it() -> None:
    cited = [Part((0, 1, 0), TextBlock("", [Citation(url="https://a.example")]))]
    made = blocks("leading", "<think>a</think>Hi", cited, " there")
    assert made == [ThinkingBlock("a"), TextBlock("Hi there", [Citation(url="https://a.example")])]
    part = [Part((0, 1, 0), TextBlock("<think>a</think>Hi", extras={"x": {"y": 1}}))]
    assert blocks("leading", part) == [ThinkingBlock("a"), TextBlock("Hi", extras={"x": {"y": 1}})]


def test_candidates_have_tags_of_their_own_and_calls_come_last() -> None:
    both = [Part((n, 1, 0), TextBlock(f"<think>{n}</think>{n}")) for n in (0, 1)]
    call = [Part((0, 5, 0), ToolUseBlock("call_1", "look"))]
    kinds = [block.type for block in blocks("leading", call, both)]
    assert kinds == ["thinking", "text", "tool_use", "thinking", "text"]


def test_an_empty_section_alone_is_not_lost() -> None:
    made = pieces("leading", ["<think>\n", "</think>\n"])
    assert made == [Meta({"think_tags": "<think>\n</think>\n"}, 0)]


def test_a_text_that_is_sent_again_is_read_again() -> None:
    again = [Part((0, 1, 0), TextBlock("<think>ab</think>c"), whole=True)]
    assert shown(blocks("leading", "<think>a", again)) == [("think", "ab"), ("text", "c")]


BITS = ["<think>", "</think>", "<thi", "</", "think>", "<", ">", "\n", " ", "a", "be", "<<think>"]
TEXTS = st.lists(st.sampled_from(BITS), max_size=12).map("".join)


@given(form=st.sampled_from(FORMS), text=TEXTS, stop=st.booleans(), data=st.data())
def test_any_cut_gives_the_same(form: TagForm, text: str, stop: bool, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    bits = [text[a:b] for a, b in pairwise([0, *cuts, len(text)])]
    end = [[STOP]] if stop else []
    one, cut = blocks(form, text, *end), blocks(form, *bits, *end)
    assert cut == one
    assert [b.spelling for b in cut] == [b.spelling for b in one]
    assert all(b.thinking.strip() for b in one if type(b) is ThinkingBlock)


@given(form=st.sampled_from(FORMS), text=TEXTS)
def test_nothing_is_lost(form: TagForm, text: str) -> None:
    made = blocks(form, text)
    said = "".join(b.text for b in join_think_tags(made) if type(b) is TextBlock)
    rest = [p.extras for p in pieces(form, [text]) if type(p) is Meta]
    assert said + "".join(extras["think_tags"] for extras in rest if extras) == text


def test_a_long_answer_takes_time_in_proportion() -> None:
    tagged = ThinkTagReader(Told(), "sections")
    builder = Builder()
    for _ in range(20_000):
        for piece in (*tagged.feed("<think>"), *tagged.feed("\n" * 5), *tagged.feed("a</think>")):
            builder.add(piece)
    assert len(builder.finish().msg.blocks) == 20_000


def answer(content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


SAID = "<think>\nhm\n</think>\n\nYes."


@pytest.mark.parametrize("wire", ["vllm", "groq", "minimax"])
def test_hosts_whose_servers_leave_tags_in_the_text(wire: str) -> None:
    resp = dragoman.wire(wire).read_response(answer(SAID))
    assert shown(resp.msg.blocks) == [("think", "hm"), ("text", "Yes.")]


@pytest.mark.parametrize("wire", ["vllm", "groq", "minimax"])
def test_tags_go_back_as_they_came(wire: str) -> None:
    target = dragoman.wire(wire, policy="ignore")
    resp = target.read_response(answer(SAID))
    msgs = [Msg.user("Sure?"), resp.msg, Msg.user("Really?")]
    body = target.write_request(dragoman.ChatRequest(msgs)).body
    assert body["messages"][1] == {"role": "assistant", "content": SAID}


def test_ollama_takes_tags_back_in_the_text() -> None:
    target = dragoman.wire("ollama", policy="ignore")
    told = {"model": "m", "message": {"role": "assistant", "content": SAID}, "done": True}
    resp = target.read_response(told)
    assert shown(resp.msg.blocks) == [("think", "hm"), ("text", "Yes.")]
    msgs = [Msg.user("Sure?"), resp.msg, Msg.user("Really?")]
    body = target.write_request(dragoman.ChatRequest(msgs), "m").body
    assert body["messages"][1] == {"role": "assistant", "content": SAID}


def test_who_wants_no_tags_says_so() -> None:
    assert openai_chat.Dialect().think_tags == ""
    assert ollama.Dialect(think_tags="").think_tags == ""
    resp = dragoman.wire("openai-chat").read_response(answer(SAID))
    assert shown(resp.msg.blocks) == [("text", SAID)]


def test_sections_that_were_edited_are_glued_where_they_stand() -> None:
    thought = ThinkingBlock("hm", spelling="<think>|</think>")
    call = ToolUseBlock("call_1", "look")
    made = join_think_tags([TextBlock("a"), thought, call, thought, TextBlock("b"), TextBlock("c")])
    assert made == [TextBlock("a<think>hm</think>"), call, TextBlock("<think>hm</think>b"),
                    TextBlock("c")]  # fmt: skip
    plain: list[ContentBlock] = [ThinkingBlock("hm", spelling="reasoning"), TextBlock("a")]
    assert join_think_tags(plain) == plain
