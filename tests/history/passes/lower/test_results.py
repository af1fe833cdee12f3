"""Tool calls and results: as they are, told as text, with their errors and odd arguments."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import fit
from dragoman.history.passes.repair import repair
from dragoman.history.passes.survey import ASSISTANT, USER, survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import (
    ImageBlock,
    Msg,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

from .fitting import codes, fitted

AT = "$.messages[1].content[0]"


def run(
    answer: ToolResultBlock, call: ToolUseBlock | None = None, **can: Any
) -> tuple[list[Any], list[tuple[str, str]]]:
    call = call or ToolUseBlock("c", "look", {"at": 1})
    made, found = fitted(Msg.assistant([call]), Msg("", [answer], "tool"), **can)
    return [m.blocks[0] for m in made], found


def test_plain_results_stay() -> None:
    for output in ("y", [TextBlock("y")], "", []):
        result = ToolResultBlock("c", "look", output)  # type: ignore[arg-type]
        blocks, found = run(result)
        assert blocks[1] is result
        assert found == []


@pytest.mark.parametrize(
    ("output", "said"),
    [("no", "Error: no"), ("", "Error: "), (None, "Error: "), ({"a": 1}, 'Error: {"a": 1}')],
)
def test_an_error_is_told_where_there_is_no_flag(output: Any, said: str) -> None:
    result = ToolResultBlock("c", "look", output, is_error=True)
    blocks, found = run(result)
    assert blocks[1].output == said
    assert found == [("result.error_as_text", f"{AT}.is_error")]
    assert result.output == output


def test_an_error_of_blocks_gets_a_block_in_front() -> None:
    result = ToolResultBlock("c", "look", [TextBlock("no")], is_error=True)
    assert [b.text for b in run(result)[0][1].output] == ["Error:", "no"]


def test_an_error_flag() -> None:
    result = ToolResultBlock("c", "look", "no", is_error=True)
    assert run(result, result_error=True) == ([run(result)[0][0], result], [])


@pytest.mark.parametrize("output", ["", " ", None, [], [TextBlock(" ")]])
def test_a_silent_error_says_something_where_it_must(output: Any) -> None:
    result = ToolResultBlock("c", "look", output, is_error=True)
    blocks, found = run(result, result_error=True, blank_text=False)
    assert blocks[1].output == "The call failed and said nothing."
    assert blocks[1].is_error
    assert found == [("result.error_text", AT)]
    assert run(result, result_error=True)[0][1] is result


def test_an_error_with_an_image_is_not_silent() -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"))
    result = ToolResultBlock("c", "look", [image], is_error=True)
    can: dict[str, Any] = {"result": frozenset({"text", "image"}), "result_error": True}
    assert run(result, blank_text=False, **can)[1] == []


@pytest.mark.parametrize(
    ("given", "wrapped"),
    [("{broken", {"_raw": "{broken"}), ([1], {"_raw": [1]}), (7, {"_raw": 7}), ("", {}),
     (None, {})],
)  # fmt: skip
def test_arguments_that_are_no_object(given: Any, wrapped: Any) -> None:
    call = ToolUseBlock("c", "look", given, "{broken")
    blocks, found = run(ToolResultBlock("c", "look", "y"), call)
    assert (blocks[0].input, blocks[0].raw_input) == (wrapped, None)
    assert found == [("call.unparsed", "$.messages[0].content[0].input")]
    assert (call.input, call.raw_input) == (given, "{broken")


def test_without_tool_messages_all_is_told() -> None:
    result = ToolResultBlock("c", "look", {"seen": "it"}, is_error=True)
    blocks, found = run(result, tool_messages=False)
    assert [block.text for block in blocks] == [
        '[called look with {"at": 1}]', '[look returned: Error: {"seen": "it"}]',
    ]  # fmt: skip
    assert codes(found) == ["call.as_text", "result.error_as_text", "result.as_text"]


def test_told_calls_keep_their_exact_arguments() -> None:
    call = ToolUseBlock("c", "look", {"at": 1}, '{"at":1}')
    blocks, _ = run(ToolResultBlock("c", "", "y"), call, tool_messages=False)
    assert [block.text for block in blocks] == ['[called look with {"at":1}]', "[look returned: y]"]


def test_told_results_are_said_by_the_user() -> None:
    msgs = [Msg.assistant([ToolUseBlock("c", "look", {})]),
            Msg("", [ToolResultBlock("c", "look", "y")], "system")]  # fmt: skip
    made = fit(
        survey(msgs, Report(msgs)), Capabilities(tool_messages=False), Report(msgs), Wording()
    )
    assert made.roles == [ASSISTANT, USER]


def test_what_no_result_can_hold() -> None:
    raw = RawBlock("own", {"type": "odd"})
    output: list[Any] = [ThinkingBlock("hm"), ToolUseBlock("d", "f", {}), raw, TextBlock("y")]
    blocks, found = run(ToolResultBlock("c", "look", output))
    assert [inner.type for inner in blocks[1].output] == ["text"]
    assert found == [("block.unsupported", f"{AT}.output[{i}]") for i in range(3)]
    blocks, _ = run(ToolResultBlock("c", "look", output), reads=frozenset({"own"}))
    assert blocks[1].output == [raw, TextBlock("y")]


@pytest.mark.parametrize(
    ("output", "left", "found"),
    [
        ("\n\t", "", [f"{AT}.output"]),
        ([TextBlock(" ")], [], [f"{AT}.output[0].text"]),
        ([TextBlock("y"), TextBlock("")], [TextBlock("y")], [f"{AT}.output[1].text"]),
        ("", "", []),
    ],
)
def test_blank_text_in_a_result_is_named(output: Any, left: Any, found: list[str]) -> None:
    result = ToolResultBlock("c", "look", output)
    blocks, losses = run(result, blank_text=False)
    assert blocks[1].output == left
    assert losses == [("text.blank", where) for where in found]
    assert run(result)[0][1].output == output


def test_how_closely_to_look_goes_with_a_medium_that_is_told() -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"), detail="low")
    _, losses = run(ToolResultBlock("c", "look", [image]))
    assert codes(losses) == ["media.detail", "media.as_reference"]


def test_an_error_that_was_made_up_needs_no_word_of_its_flag() -> None:
    """What repair adds has no flag that anybody set."""
    msgs = [Msg.assistant([ToolUseBlock("c", "look", {})]), Msg.user("And?")]
    report = Report(msgs)
    told, can = Wording(), Capabilities()
    made = fit(repair(survey(msgs, report), can, report, told), can, report, told)
    assert made.msgs[1].content[0].output == f"Error: {told.missing}"  # type: ignore[union-attr]
    assert [loss.code for loss in report.losses] == ["result.missing"]


def test_fields_of_others_inside_of_a_result() -> None:
    inner = TextBlock("y", extras={"own": {"a": 1}, "other": {"b": 2}})
    blocks, found = run(ToolResultBlock("c", "look", [inner]), reads=frozenset({"own"}))
    assert blocks[1].output == [TextBlock("y", extras={"own": {"a": 1}})]
    assert found == [("extras.other_provider", f"{AT}.output[0].extras.other.b")]
