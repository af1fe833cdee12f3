"""Bodies of the Messages API in all the shapes that it takes, and in some that it does not."""

from __future__ import annotations

from typing import Any

MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
HI = {"role": "user", "content": "Hi"}


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    """A body with these messages, or with one that greets."""
    return {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [*messages] or [HI], **fields}


def user(*blocks: Any, **fields: Any) -> dict[str, Any]:
    """A body with one message of the user."""
    return body({"role": "user", "content": [*blocks]}, **fields)


def spoken(*blocks: Any) -> dict[str, Any]:
    """A body with one message of the assistant behind one of the user."""
    return body(HI, {"role": "assistant", "content": [*blocks]})


def result(**fields: Any) -> dict[str, Any]:
    """A body with one result."""
    return user({"type": "tool_result", "tool_use_id": "toolu_1", **fields})


DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain",
                                           "data": "päge"}}  # fmt: skip
SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}}
FORM = {"type": "json_schema", "schema": SCHEMA}
RESULTS: list[dict[str, Any]] = [
    {"content": "blue"}, {"content": ""}, {}, {"content": None}, {"content": []},
    {"content": {"a": 1}}, {"is_error": False}, {"is_error": True, "content": "no"},
    {"is_error": None}, {"content": "x", "cache_control": HOUR, "toolset_name": "b"},
]  # fmt: skip
LOOK = {"name": "look", "description": "Looks.", "input_schema": SCHEMA}
BODIES: dict[str, dict[str, Any]] = {
    "text": body(),
    "no messages": {"model": "m", "max_tokens": 1},
    "messages empty": {"model": "m", "max_tokens": 1, "messages": []},
    "messages of another type": {"messages": "Hi"},
    "no message at all": body("Hi", None, {"role": "wizard", "content": 1}, {"content": "x"}),
    "roles of another type": body({"role": ["user"], "content": "x"}),
    "content absent, null, wrong": body({"role": "user"}, {"role": "user", "content": None},
                                        {"role": "assistant", "content": 5}),
    "content empty": body({"role": "assistant", "content": []}, {"role": "user", "content": ""}),
    "fields of messages": body({**HI, "id": "x", "cache_control": MARK, "name": None}),
    "system string": body(system="Be kind."),
    "system empty": body(system=""),
    "system list": body(system=[{"type": "text", "text": "Be kind.", "cache_control": HOUR},
                                {"type": "text", "text": "Be brief."}]),
    "system empty list": body(system=[]),
    "system null": body(system=None),
    "system odd": body(system=[7, {"type": "song"}]),
    "system inline": body(HI, {"role": "system", "content": "Now be brief.", "clear_at": "never"},
                          system="Be kind."),
    "tool changes": body(HI, {"role": "system", "content": [
        {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "look"}}]}),
    "text blocks": user({"type": "text", "text": "a"}, {"type": "text", "text": "b", "x": 1},
                        {"type": "text"}, {"type": "text", "text": None}, "c", None, 3),
    "marks": user({"type": "text", "text": "a", "cache_control": MARK},
                  {"type": "text", "text": "b", "cache_control": HOUR},
                  {"type": "text", "text": "c", "cache_control": None},
                  {"type": "text", "text": "d", "cache_control": {**HOUR, "scope": "all"}},
                  {"type": "text", "text": "e", "cache_control": {"type": "lasting"}}),
    "citations": spoken({"type": "text", "text": "a", "citations": [
        {"type": "web_search_result_location", "url": "https://a.example", "title": None,
         "cited_text": "A", "encrypted_index": "RW5j"}]},
        {"type": "text", "text": "b", "citations": []}, {"type": "text", "text": "c",
                                                         "citations": None}),
    "thinking": spoken({"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                       {"type": "thinking", "thinking": "", "signature": ""},
                       {"type": "thinking", "thinking": "hm"},
                       {"type": "thinking", "thinking": "hm", "signature": None, "x": 1},
                       {"type": "thinking", "thinking": "hm", "signature": 4},
                       {"type": "thinking", "signature": "c2ln"},
                       {"type": "redacted_thinking", "data": "c2VhbA=="},
                       {"type": "redacted_thinking"}),
    "calls": spoken({"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "sky"}},
                    {"type": "tool_use", "id": "t2", "name": "look", "input": {},
                     "caller": {"type": "direct"}, "cache_control": MARK},
                    {"type": "tool_use", "id": "t3", "name": "look"},
                    {"type": "tool_use", "id": "t4", "name": "look", "input": None},
                    {"type": "tool_use", "id": "t5", "name": "look", "input": '{"at": 1}'},
                    {"type": "tool_use", "id": "t6", "name": "look", "input": [1, 1.0, True]},
                    {"type": "tool_use", "name": "look", "input": {}},
                    {"type": "tool_use", "id": None, "name": "look", "input": {}}),
    "results": user(*({"type": "tool_result", "tool_use_id": f"t{i}", **more}
                      for i, more in enumerate(RESULTS)),
                    {"type": "tool_result", "content": "whose?"}, {"type": "text", "text": "So?"}),
    "results of blocks": result(content=[
        {"type": "text", "text": "a", "cache_control": MARK},
        {"type": "image", "source": {"type": "url", "url": "https://a.example/a.png"}}, DOCUMENT,
        {"type": "search_result", "source": "s", "title": "t", "content": []},
        {"type": "tool_reference", "tool_name": "look"},
        {"type": "tool_result", "tool_use_id": "inner", "content": [{"type": "text", "text": ""}]},
        4]),
    "media": user(
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}},
        {"type": "image", "source": {"type": "base64", "data": "iVBO"}},
        {"type": "image", "source": {"type": "url", "url": "https://a.example", "x": None}},
        {"type": "image", "source": {"type": "file", "file_id": "f_1"}, "cache_control": MARK},
        {"type": "image", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
        {"type": "image", "source": None}, {"type": "image"}),
    "documents": user(
        DOCUMENT, {**DOCUMENT, "title": "T", "context": "C", "citations": {"enabled": True}},
        {**DOCUMENT, "title": None}, {"type": "document", "source": {
            "type": "text", "media_type": "text/markdown", "data": "x"}},
        {"type": "document", "source": {"type": "base64", "media_type": "text/plain",
                                        "data": "eA=="}},
        {"type": "document", "source": {"type": "content", "content": "whole"}},
        {"type": "document", "source": {"type": "content",
                                        "content": [{"type": "text", "text": "cut"}]}},
        {"type": "document", "source": {"type": "file", "file_id": "f_2"}},
        {"type": "container_upload", "file_id": "f_3"}),
    "of the provider": spoken(
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [
            {"type": "web_search_result", "url": "u", "encrypted_content": "RQ==", "title": "t"}]},
        {"type": "mcp_tool_use", "id": "m1", "name": "x", "server_name": "s", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "m1", "is_error": False, "content": []},
        {"type": "compaction", "content": None, "signature": "c2ln"},
        {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}),
    "options": body(temperature=1, top_p=0.5, top_k=4, stop_sequences=["END", ""],
                    service_tier="auto", metadata={"user_id": "u", "team": None}, stream=True),
    "options of other types": body(temperature="hot", top_p=True, top_k=1.0, stop_sequences=[],
                                   service_tier=None, metadata={}, stream="yes", model=""),
    "options odd": body(max_tokens=None, stop_sequences=["a", 1], metadata={"user_id": None},
                        model=None, stream=None),
    "numbers": body(temperature=0.0, top_p=1),
    "no stream": body(stream=False),
    "budget": body(thinking={"type": "enabled", "budget_tokens": 1024, "display": "omitted"}),
    "enabled": body(thinking={"type": "enabled"}),
    "enabled oddly": body(thinking={"type": "enabled", "budget_tokens": 5.5}),
    "adaptive": body(thinking={"type": "adaptive",
                               "block_binding": {"prefix_mismatch_behavior": "error"}}),
    "disabled": body(thinking={"type": "disabled"}, output_config={"effort": "low"}),
    "between tools": body(thinking={"type": "between_tools"}),
    "thinking of other types": body(thinking={"type": ["enabled"]}, output_config=[]),
    "effort": body(output_config={"effort": "high", "task_budget": {"total": 5}}),
    "effort and kind": body(thinking={"type": "adaptive"}, output_config={"effort": "on"}),
    "effort and budget": body(thinking={"type": "enabled", "budget_tokens": 2000},
                              output_config={"effort": "max", "format": FORM}),
    "format": body(output_config={"format": FORM}),
    "format of old": body(output_format=FORM),
    "both formats": body(output_format=FORM, output_config={"format": FORM}),
    "formats odd": body(output_format={**FORM, "name": "x"},
                        output_config={"format": {"type": "json_schema"}, "effort": 3}),
    "tools": body(tools=[
        LOOK, {"name": "b", "input_schema": {}, "strict": False, "description": ""},
        {**LOOK, "type": "custom", "cache_control": HOUR, "strict": True}, {"name": "c"},
        {**LOOK, "description": None, "input_schema": None, "defer_loading": True, "type": None},
        {"type": "bash_20250124", "name": "bash"}, {"name": ""}, {},
        {"type": "computer_20251124", "name": "computer", "display_width_px": 1}]),
    "server tools": body(tools=[
        {"type": "web_search_20260209", "name": "web_search", "max_uses": 3,
         "allowed_domains": ["a.example"], "blocked_domains": None,
         "user_location": {"type": "approximate", "city": "Rome"}},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 0,
         "allowed_domains": [], "blocked_domains": ["b.example"],
         "user_location": {"type": "approximate"}, "cache_control": MARK},
        {"type": "web_search_20250305", "name": "other"},
        {"type": "code_execution_20260521", "name": "code_execution", "max_uses": 2}]),
    "tools empty": body(tools=[]),
    "tools odd": body(tools=[LOOK, "look"]),
    "choice": body(tool_choice={"type": "tool", "name": "look", "disable_parallel_tool_use": True}),
    "choice any": body(tool_choice={"type": "any", "disable_parallel_tool_use": False, "x": 1}),
    "choice none": body(tool_choice={"type": "none", "disable_parallel_tool_use": True}),
    "choice odd": body(tool_choice={"type": "tool"}),
    "choice as text": body(tool_choice="auto"),
    "of the host": body(anthropic_version="vertex-2023-10-16", anthropic_beta=["a", "b"]),
    "of the house": body(container={"id": "c", "skills": []}, cache_control=HOUR, speed="fast",
                         mcp_servers=[{"type": "url", "url": "https://m.example", "name": "m"}],
                         context_management={"edits": [{"type": "clear_tool_uses_20250919"}]},
                         betas=["x"], unknown={"deep": [None]}),
}  # fmt: skip
