"""Document 001's library conversation: its example runs as printed and prints what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman import Msg
from dragoman.formatter import DashScopeChatFormatter, DashScopeMultiAgentFormatter
from dragoman.message import TextBlock, ToolResultBlock, ToolUseBlock
from dragoman.tokens import CharTokenCounter
from tests.tokens.conversations import DOCUMENT, without_oldest
from tests.tokens.training import qwen_tokenizer, train_tokenizer

from .cells import Ran, conversation, document, own_cells, run

# AgentScope's module `token` is `tokens` here, and the old name warns
pytestmark = pytest.mark.filterwarnings("ignore:dragoman.token is:DeprecationWarning")

FIRST = """\
# Conversation History
The content between <history></history> tags contains your conversation history
<history>
Bob: 你好，Alice，你知道最近的图书馆在哪里吗？
Alice: 抱歉，我不知道。Charlie，你有什么想法吗？
Charlie: 没有，我们问问 Friday 吧。Friday，帮我找到最近的图书馆。
</history>"""
LAST = (
    "<history>\nFriday: 最近的图书馆是...\nBob: 谢谢，Friday！\nAlice: 我们一起去吧。\n</history>"
)
CUT = """\
# Conversation History
The content between <history></history> tags contains your conversation history
<history>
Charlie: 没有，我们问问 Friday 吧。Friday，帮我找到最近的图书馆。
</history>"""


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> str:
    return qwen_tokenizer(tmp_path_factory.mktemp("qwen"))


@pytest.fixture(scope="module")
def ran(qwen: str) -> Ran:
    return run(own_cells(), qwen)


@pytest.mark.demand("S104", "S119", "S120", "S121")
def test_eleven_messages_become_the_seven_that_are_printed(ran: Ran) -> None:
    given = ran.names["input_msgs"]
    assert len(given) == 11
    assert {m.name for m in given} - {"system"} == {"Bob", "Alice", "Charlie", "Friday"}
    assert ran.names["formatted_message"] == DOCUMENT
    assert ran.printed[0] == (
        f"格式化后的消息：\n{json.dumps(DOCUMENT, indent=4, ensure_ascii=False)}\n"
    )


@pytest.mark.demand("S106", "S107", "S108", "S109", "S115", "S116", "S122")
def test_the_first_and_the_last_history_print_as_shown(ran: Ran) -> None:
    assert ran.printed[1] == f"第一段对话历史：\n{FIRST}\n\n第二段对话历史：\n{LAST}\n"


@pytest.mark.demand("S116")
def test_whoever_speaks_in_the_other_role_is_told_alike(ran: Ran) -> None:
    other = {"assistant": "user", "user": "assistant", "system": "system"}
    given = ran.names["input_msgs"]
    assert [m.role for m in given if m.name == "Bob"] == ["assistant", "user"]
    swapped = [
        Msg(m.name, m.content, other[m.role]) if isinstance(m.content, str) else m for m in given
    ]
    assert [m.role for m in swapped if m.name == "Bob"] == ["user", "assistant"]
    assert DashScopeMultiAgentFormatter().format_sync(swapped) == DOCUMENT


@pytest.mark.demand("S110")
def test_the_system_prompt_stays_first_and_a_string(ran: Ran) -> None:
    assert ran.names["formatted_message"][0] == {
        "role": "system",
        "content": "你是一个名为 Friday 的有用助手",
    }


@pytest.mark.demand("S111", "S114")
def test_a_call_is_written_beside_a_null_text(ran: Ran) -> None:
    formatted = ran.names["formatted_message"]
    assert formatted[2] == {
        "role": "assistant",
        "content": [{"text": None}],
        "tool_calls": [
            {
                "id": "1",
                "type": "function",
                "function": {"name": "get_current_location", "arguments": "{}"},
            }
        ],
    }
    assert formatted[4]["tool_calls"][0]["function"]["arguments"] == (
        '{"location": [104.48, 36.3], "keyword": "library"}'
    )


def sequence(*blocks: TextBlock) -> list[Msg]:
    """A call and its result, as the document spells them: the result is said by "system"."""
    call = ToolUseBlock(type="tool_use", name="search_around", id="2", input={"near": 36.30})
    result = ToolResultBlock(type="tool_result", name="search_around", id="2", output=list(blocks))
    return [Msg("Friday", [call], "assistant"), Msg("system", [result], "system")]


@pytest.mark.demand("S111", "S112", "S114")
def test_beside_a_call_one_family_writes_a_null_text_and_the_other_none() -> None:
    """In many-agent use as the document prints it; AgentScope's class for chats gives no part."""
    function = {"name": "search_around", "arguments": '{"near": 36.3}'}
    calls = [{"id": "2", "type": "function", "function": function}]
    result = {"role": "tool", "tool_call_id": "2", "content": "[...]", "name": "search_around"}
    for formatter, content in (
        (DashScopeMultiAgentFormatter(), [{"text": None}]),
        (DashScopeChatFormatter(), []),
    ):
        written = formatter.format_sync([Msg.user("Where?"), *sequence(TextBlock("[...]"))])
        call = {"role": "assistant", "content": content, "tool_calls": calls}
        assert written[1:] == [call, result]


@pytest.mark.demand("S113")
def test_several_text_blocks_of_a_result_are_one_string_too() -> None:
    """Of one block its text alone; AgentScope lists several, one on each line."""
    msgs = [Msg.user("Where?"), *sequence(TextBlock("104.48"), TextBlock("36.30"))]
    for formatter in (DashScopeMultiAgentFormatter(), DashScopeChatFormatter()):
        assert formatter.format_sync(msgs)[-1]["content"] == "- 104.48\n- 36.30"


@pytest.mark.demand("S112", "S113")
def test_a_result_is_one_string_with_the_name_of_its_tool(ran: Ran) -> None:
    assert ran.names["formatted_message"][3] == {
        "role": "tool",
        "tool_call_id": "1",
        "content": "104.48, 36.30",
        "name": "get_current_location",
    }


@pytest.mark.demand("S123", "S126", "S127")
def test_the_formatted_messages_have_165_tokens(ran: Ran) -> None:
    assert ran.printed[2] == "格式化消息中的 token 数量为： 165\n"


@pytest.mark.demand("S128", "S129", "S130", "S131", "S132")
def test_twenty_tokens_less_drop_the_first_two_messages(ran: Ran) -> None:
    assert ran.printed[3] == f"截断后的 token 数量： 136\n\n截断后的对话历史：\n{CUT}\n"


@pytest.mark.demand("S129", "S130", "S131")
def test_a_tokenizer_trained_on_the_example_cuts_at_the_same_place(tmp_path: Path) -> None:
    text = "\n".join(str(message["content"]) for message in DOCUMENT)
    ran = run(own_cells(), train_tokenizer(text, tmp_path))
    figure, _, history = ran.printed[3].partition("\n\n截断后的对话历史：\n")
    assert history == f"{CUT}\n"
    assert 0 < int(figure.rpartition(" ")[2]) <= ran.names["n_tokens"] - 20
    assert ran.printed[0].startswith("格式化后的消息：\n[")


@pytest.mark.demand("S129", "S131", "S132")
def test_the_heading_moves_to_the_run_that_is_then_the_first() -> None:
    heading = FIRST.partition("<history>\n")[0]
    left = [DOCUMENT[0], {"role": "user", "content": f"{heading}{LAST}"}]
    counter = CharTokenCounter()
    formatter = DashScopeMultiAgentFormatter(
        token_counter=counter, max_tokens=counter.count_sync(left)
    )
    assert formatter.format_sync(conversation()) == left


@pytest.mark.demand("S130", "S132")
def test_the_cut_history_is_that_of_the_messages_that_are_left(ran: Ran, qwen: str) -> None:
    formatter = ran.names["DashScopeMultiAgentFormatter"](
        token_counter=ran.names["HuggingFaceTokenCounter"](qwen), max_tokens=145
    )
    written = formatter.write(ran.names["input_msgs"])
    assert written.messages == without_oldest(2)
    cut = [loss.where for loss in written.losses if loss.code == "history.cut"]
    assert cut == ["$.messages[1]", "$.messages[2]"]


@pytest.mark.demand("S121", "S122", "S126", "S130")
def test_the_document_itself_runs_and_prints_the_same(qwen: str) -> None:
    cells, printed = document()
    ran = run(cells, qwen)
    assert [text.strip("\n") for text in ran.printed] == [text.strip("\n") for text in printed]


def test_the_example_says_what_the_document_says() -> None:
    cells, _ = document()
    ours = run(own_cells()[:1], "").names["input_msgs"]
    theirs = run(cells[:1], "").names["input_msgs"]
    assert [m.to_dict() for m in ours] == [m.to_dict() for m in theirs]
