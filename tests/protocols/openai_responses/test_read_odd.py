"""However a body is broken, it is read, and goes back as it came."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from .asked import CALL, RESULT, SAID, THOUGHT, USER, same

BODY: dict[str, Any] = {
    "model": "gpt-5.6",
    "instructions": "Be brief.",
    "input": [
        {**USER, "type": "message"},
        {"role": "user", "content": [
            {"type": "input_text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}},
            {"type": "input_image", "image_url": "https://a.b/c.png", "detail": "low"},
            {"type": "input_file", "file_id": "file_1", "filename": "a.pdf"},
        ]},
        {"role": "assistant", "content": "Hm", "phase": "commentary"},
        {**THOUGHT, "id": "rs_1"},
        {**SAID, "content": [{"type": "output_text", "text": "abc", "annotations": [
            {"type": "url_citation", "url": "https://a.b", "start_index": 0, "end_index": 2}]}]},
        CALL,
        RESULT,
        {**RESULT, "output": [{"type": "input_text", "text": "x"}]},
        {"type": "shell_call", "call_id": "c1", "environment": {"type": "container_auto"}},
        {"type": "shell_call_output", "call_id": "c1", "output": []},
    ],
    "tools": [
        {"type": "function", "name": "look", "parameters": {}, "strict": True},
        {"type": "web_search", "filters": {"allowed_domains": ["a.b"]},
         "user_location": {"type": "approximate", "city": "Rome"}},
        {"type": "code_interpreter", "container": {"type": "auto"}},
    ],
    "tool_choice": {"type": "allowed_tools", "mode": "auto",
                    "tools": [{"type": "function", "name": "look"}]},
    "text": {"format": {"type": "json_schema", "name": "n", "schema": {}}, "verbosity": "low"},
    "reasoning": {"effort": "low", "summary": "auto"},
    "include": ["message.output_text.logprobs"],
    "parallel_tool_calls": True,
    "max_output_tokens": 50,
    "stream": True,
}  # fmt: skip
GONE = object()
JUNK: list[Any] = [None, True, False, 0, 1, 1.0, "", "x", "none", "auto", [], {}, [None], [{}],
                   {"type": "input_text"}, {"type": 5}, {"type": ["x"]}, {"role": "user"},
                   GONE]  # fmt: skip


def steps(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all that stands in the value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    made = []
    for key, inner in pairs:
        made.append((*path, key))
        if isinstance(inner, (dict, list)):
            made += steps(inner, (*path, key))
    return made


@given(st.lists(st.tuples(st.sampled_from(steps(BODY)), st.sampled_from(JUNK)), max_size=3))
def test_a_broken_body(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    body = deepcopy(BODY)
    for path, junk in changes:
        at: Any = body
        try:
            for step in path[:-1]:
                at = at[step]
            if junk is GONE:
                del at[path[-1]]
            else:
                at[path[-1]] = deepcopy(junk)
        except (LookupError, TypeError):
            pass  # another change has taken the place away
    same(body)
    same(body, reasoning="raw")
