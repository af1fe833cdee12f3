"""Codes of tools, their calls and their results."""

from __future__ import annotations

import logging

from .code import Code, added, degraded, dropped, expected, moved, repaired

ROWS: dict[str, Code] = {
    # calls
    "call.as_text": degraded(
        "a tool call is sent as text",
        fix="Choose a model that takes tool calls, or drop `tool_messages` from `can` if you set"
        " it. The words are `Wording.call`.",
        asks=("tool_messages",),
    ),
    "call.role": moved(
        "a tool call is sent as the assistant's, whatever the message's role",
        fix="Give the message that holds the `ToolUseBlock` the role assistant.",
    ),
    "call.unfinished": repaired(
        "the answer broke off in this call, and it has no result",
        fix="Ask the model again, or put the finished call in its place.",
        weight="major",
    ),
    "call.unparsed": degraded(
        "the argument text is no JSON object and was wrapped",
        fix="Give `ToolUseBlock.input` as a dict. If a model wrote invalid arguments, ask it"
        " again.",
    ),
    "call.bypass": added(
        "a placeholder for the signature that the call lacks",
        fix="Keep calls as this provider returned them, with its signature in `extras`. For a"
        ' host that requires none: `can={"foreign_calls": "keep"}`.',
        asks=("foreign_calls",),
    ),
    "call.freeform": degraded(
        "the text of a call was put into an argument, because the wire has no calls of text",
        fix="Nothing has to be done: the tool is offered as a function in the same form. For a host"
        ' that takes freeform tools: `can={"freeform_tools": True}`.',
        asks=("freeform_tools",),
        level=logging.DEBUG,
        weight="trivial",
    ),
    "call.plain": degraded(
        "a call of a type that only its own API has, or its result, is sent as an ordinary one",
        fix="Nothing has to be done: the model reads the call and its result. It is offered again"
        " only if you give a tool of that name.",
        weight="minor",
    ),
    "call.text_dropped": dropped(
        "text beside a tool call was left out, as you asked",
        fix='You asked for it; `can={"call_text": "keep"}` keeps the text.',
        asks=("call_text",),
        weight="minor",
    ),
    "call.text_thought": degraded(
        "text between thinking and a tool call is sent as thinking",
        fix="Nothing has to be done: the model reads the words. For a host that takes all three:"
        ' `can={"call_text": "keep"}`.',
        asks=("call_text",),
    ),
    # results
    "result.as_text": degraded(
        "a tool result is sent as text",
        fix="Choose a model that takes tool results, or drop `tool_messages` from `can` if you set"
        " it. The words are `Wording.result`.",
        asks=("tool_messages",),
    ),
    "result.error_text": added(
        "an error result without text got one",
        fix="Write in `ToolResultBlock.output` what went wrong. The words are `Wording.failed`.",
        asks=("result_error", "blank_text"),
    ),
    "result.error_as_text": degraded(
        "the error flag is sent as text",
        fix="Nothing has to be done: the model reads it. The words are `Wording.error`.",
        asks=("result_error",),
    ),
    "result.missing": repaired(
        "an unanswered call got an error result",
        fix="Put `Msg.tool(call.id, output)` after each call before the conversation goes on. The"
        " words are `Wording.missing`.",
    ),
    "result.orphan": repaired(
        "a result without its call was left out, or sent as text if you asked for that",
        fix="Keep a call and its result together when you cut a history; `fit_history` does."
        ' `can={"orphans": "tell"}` sends such a result as text of the user.',
        asks=("orphans",),
        weight="major",
    ),
    "result.duplicate": repaired(
        "a second result of one call was left out",
        fix="Keep one result for each call; several texts can be blocks of one `output`.",
        weight="major",
    ),
    "result.moved": repaired(
        "a late result was moved after its call",
        fix="Append each result right after the message that holds its call.",
    ),
    "result.name": repaired(
        "the result got the name of its call",
        fix="Give `ToolResultBlock.name` the name of the call that it answers.",
        asks=("result_names",),
        level=logging.DEBUG,
    ),
    "result.shortened": dropped(
        "the result is longer than `max_output`, so the model reads only its beginning and its end",
        fix="Raise `Toolkit(max_output=...)`, or that of the tool, or let the tool return less:"
        " one page of its findings, or a file that another tool reads in parts.",
    ),
    # ids and names
    "id.made": repaired(
        "a call without an id, or with one used before, got a new id",
        fix="Give every `ToolUseBlock` an id of its own, and its result the same one.",
        asks=("ids",),
    ),
    "id.mapped": expected(
        "the id was respelled as the wire requires",
        fix="Nothing has to be done: call and result agree, and `Written.ids` maps the ids back.",
        asks=("ids",),
        weight="trivial",
    ),
    "id.unsupported": expected(
        "the wire has no field for the id",
        fix="Nothing has to be done: the ids of an answer are sent back all together or not at"
        " all, and its content is sent without them.",
    ),
    "tool_name.mapped": degraded(
        "the tool's name was respelled as the wire requires",
        fix="Nothing has to be done: tools, history and choice agree. Letters, digits, `_` and"
        " `-` are accepted everywhere.",
        asks=("tool_names",),
        weight="trivial",
    ),
    "property_name.mapped": degraded(
        "the name of an argument was respelled as the wire requires",
        fix="Nothing has to be done: schema and history agree, and an answer that is read with"
        " the request or its tools has your names. Letters, digits, `_`, `.` and `-` are"
        " accepted everywhere.",
        asks=("property_names",),
        weight="trivial",
    ),
    # offered tools
    "server_tool.unsupported": dropped(
        "the wire or the model has no such server tool",
        fix="Choose a wire and a model that have it, or offer a `Tool` that does the same and run"
        " it yourself.",
        asks=("server_tools", "mixed_tools", "lone_server_tools"),
    ),
    "tool.other_provider": dropped(
        "a tool that only one provider has",
        fix="Stay with that provider, or offer a `Tool` that does the same and run it yourself.",
    ),
    "tool.plain": degraded(
        "a tool that the client runs, and that only one API has, is offered as a function",
        fix="Nothing has to be done: pass the same tools to the reader, and its calls come back"
        " in their own form.",
        weight="minor",
    ),
    "server_tool.field": dropped(
        "the provider's own tool has no such field",
        fix="Leave the field unset, or write the provider's own field into `ServerTool.extras`.",
        asks=("server_tools",),
        weight="minor",
    ),
    "tool.freeform": degraded(
        "a tool that takes text is offered as a function with one text argument",
        fix="Nothing has to be done: pass the same tools to the reader, and its calls are"
        ' restored. For a host that takes freeform tools: `can={"freeform_tools": True}`.',
        asks=("freeform_tools",),
    ),
    "tool.namespace": degraded(
        "a tool's name got its namespace as a prefix, and the description of the namespace is lost",
        fix="Nothing has to be done: tools, history and choice agree, and a reader that gets"
        " these tools restores the calls.",
        asks=("namespaces",),
        level=logging.DEBUG,
        weight="trivial",
    ),
    "tools.unsupported": dropped(
        "this model takes no tools",
        fix="Choose a model that takes tools, or describe them in the system prompt:"
        ' `prompt=SystemPrompt(describe_tools="unsupported")`.',
        asks=("tools",),
    ),
    "tools.withheld": degraded(
        "the wire has no such tool choice, so the tools that it rules out are not offered",
        fix="Nothing has to be done. For a host that takes the choice, with the tools declared:"
        ' `can={"none_by": "choice"}`.',
        asks=("none_by", "tool_choices"),
    ),
    "tools.twice": repaired(
        "a second tool of one name or kind was left out",
        fix="Offer each tool once, and give every tool its own name: a call refers to a tool only"
        " by name.",
    ),
    "tools.stub": added(
        "tools without parameters, because the wire wants the tools of the calls in the history"
        " declared",
        fix="Offer the `tools` that the history calls; `ToolChoice` none keeps the model from"
        " calling them again.",
        asks=("tool_stubs",),
    ),
    "tool.strict": dropped(
        "the wire has no strict switch for a tool",
        fix="Nothing has to be done, but check the arguments of calls yourself. Leave"
        " `Tool.strict` unset where it does not matter.",
        asks=("strict_tools",),
        level=logging.INFO,
        weight="minor",
    ),
    "tool.cache": dropped(
        "the wire has no cache hint on tools",
        fix="Leave `Tool.cache` unset for this wire: tools are cached with the prompt or not at"
        " all.",
        asks=("cached_tools",),
        level=logging.DEBUG,
        weight="minor",
    ),
}
