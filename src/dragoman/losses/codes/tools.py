"""Codes of tools, their calls and their results."""

from __future__ import annotations

import logging

from .code import Code, added, degraded, dropped, expected, moved, repaired

ROWS: dict[str, Code] = {
    # calls
    "call.as_text": degraded(
        "a tool call is told as text",
        fix="Choose a model that takes tool calls, or drop `tool_messages` from `can` if you set"
        " it. The words are `Told.call`.",
        asks=("tool_messages",),
    ),
    "call.role": moved(
        "a tool call is said by the assistant, whatever the message's role",
        fix="Give the message that holds the `ToolUseBlock` the role assistant.",
    ),
    "call.unfinished": repaired(
        "a call that the answer broke off in, and nobody answered",
        fix="Ask the model again, or put the finished call in its place.",
        weight="major",
    ),
    "call.unparsed": degraded(
        "the argument text is no JSON object and was wrapped",
        fix="Give `ToolUseBlock.input` as a dict. Text that a model wrote wrong can be mended by"
        " asking it again.",
    ),
    "call.bypass": added(
        "a value that stands for the signature which the call lacks",
        fix="Keep calls as this provider answered them, with its signature in `extras`. For a host"
        ' that asks for none: `can={"foreign_calls": "keep"}`.',
        asks=("foreign_calls",),
    ),
    "call.freeform": degraded(
        "the text of a call stands in an argument, for the wire has no calls of text",
        fix="Nothing has to be done: the tool is offered as a function in the same form. For a host"
        ' that takes freeform tools: `can={"freeform_tools": True}`.',
        asks=("freeform_tools",),
        level=logging.DEBUG,
        weight="trivial",
    ),
    "call.plain": degraded(
        "a call of a form that its own API alone has, or its result, is a plain one",
        fix="Nothing has to be done: the model reads what was called and what came of it. It is"
        " offered again only if you give a tool of that name.",
        weight="minor",
    ),
    "call.text_dropped": dropped(
        "text beside a tool call was left out as asked",
        fix='It was asked for; `can={"call_text": "keep"}` keeps the text.',
        asks=("call_text",),
        weight="minor",
    ),
    "call.text_thought": degraded(
        "text between thinking and a tool call is told as thinking",
        fix="Nothing has to be done: the model reads the words. For a host that takes all three:"
        ' `can={"call_text": "keep"}`.',
        asks=("call_text",),
    ),
    # results
    "result.as_text": degraded(
        "a tool result is told as text",
        fix="Choose a model that takes tool results, or drop `tool_messages` from `can` if you set"
        " it. The words are `Told.result`.",
        asks=("tool_messages",),
    ),
    "result.error_text": added(
        "an error result that says nothing got a text",
        fix="Say in `ToolResultBlock.output` what went wrong. The words are `Told.failed`.",
        asks=("result_error", "blank_text"),
    ),
    "result.error_as_text": degraded(
        "the error flag is told as text",
        fix="Nothing has to be done: the model reads it. The words are `Told.error`.",
        asks=("result_error",),
    ),
    "result.missing": repaired(
        "an unanswered call got an error result",
        fix="Put `Msg.tool(call.id, output)` behind each call before the conversation goes on. The"
        " words are `Told.missing`.",
    ),
    "result.orphan": repaired(
        "a result without its call was left out, or told as text where that was asked for",
        fix="Keep a call and its result together when you cut a history; `fit_history` does."
        ' `can={"orphans": "tell"}` has what such a result says told as text of the user.',
        asks=("orphans",),
        weight="major",
    ),
    "result.duplicate": repaired(
        "a second result of one call was left out",
        fix="Keep one result for each call; several texts can be blocks of one `output`.",
        weight="major",
    ),
    "result.moved": repaired(
        "a late result was moved behind its call",
        fix="Append each result right behind the message that holds its call.",
    ),
    "result.name": repaired(
        "the result got the name of its call",
        fix="Give `ToolResultBlock.name` the name of the call that it answers.",
        asks=("result_names",),
        level=logging.DEBUG,
    ),
    "result.shortened": dropped(
        "of a result that was longer than `max_output` the model reads the beginning and the end",
        fix="Raise `Toolkit(max_output=...)`, or that of the tool, or have the tool return less: a"
        " page of what it found, or a file of which another tool reads a part.",
    ),
    # ids and names
    "id.made": repaired(
        "a call without an id, or with one used before, got a new id",
        fix="Give every `ToolUseBlock` an id of its own, and its result the same one.",
        asks=("ids",),
    ),
    "id.mapped": expected(
        "the id was respelled as the wire demands",
        fix="Nothing has to be done: call and result agree, and `Written.ids` maps the ids back.",
        asks=("ids",),
        weight="trivial",
    ),
    "id.unsaid": expected(
        "the wire has no place for the id",
        fix="Nothing has to be done: an answer's own ids go back all together or not at all, and"
        " what it says goes without them.",
    ),
    "tool_name.mapped": degraded(
        "the tool's name was respelled as the wire demands",
        fix="Nothing has to be done: tools, history and choice agree. Letters, digits, `_` and `-`"
        " pass everywhere.",
        asks=("tool_names",),
        weight="trivial",
    ),
    "property_name.mapped": degraded(
        "the name of an argument was respelled as the wire demands",
        fix="Nothing has to be done: schema and history agree, and an answer that is read with the"
        " request or its tools has the own names back. Letters, digits, `_`, `.` and `-` pass.",
        asks=("property_names",),
        weight="trivial",
    ),
    # what is offered
    "server_tool.unsaid": dropped(
        "the wire or the model has no such server tool",
        fix="Choose a wire and a model that have it, or offer a `Tool` that does the same and"
        " carry it out yourself.",
        asks=("server_tools", "mixed_tools", "lone_server_tools"),
    ),
    "tool.foreign": dropped(
        "a tool of one provider that no other has",
        fix="Stay with that provider, or offer a `Tool` that does the same and carry it out"
        " yourself.",
    ),
    "tool.plain": degraded(
        "a tool that the client runs, which one API alone has, is offered as a function",
        fix="Nothing has to be done: give the same tools to the reader, and its calls come back in"
        " their own form.",
        weight="minor",
    ),
    "server_tool.field": dropped(
        "the provider's own tool has no place for this field",
        fix="Leave the field unset, or write the provider's own field into `ServerTool.extras`.",
        asks=("server_tools",),
        weight="minor",
    ),
    "tool.freeform": degraded(
        "a tool that takes text is offered as a function of one text",
        fix="Nothing has to be done: give the same tools to the reader, and its calls are restored."
        ' For a host that takes freeform tools: `can={"freeform_tools": True}`.',
        asks=("freeform_tools",),
    ),
    "tool.namespace": degraded(
        "a tool has the name of its namespace before its own, and the description of that is lost",
        fix="Nothing has to be done: tools, history and choice agree, and calls are restored by"
        " whoever reads the answer with these tools.",
        asks=("namespaces",),
        level=logging.DEBUG,
        weight="trivial",
    ),
    "tools.unsaid": dropped(
        "this model takes no tools",
        fix="Choose a model that takes tools, or have them told in the system prompt:"
        ' `prompt=SystemPrompt(describe_tools="unsupported")`.',
        asks=("tools",),
    ),
    "tools.withheld": degraded(
        "the wire has no word for the choice, so the tools that it rules out are not offered",
        fix="Nothing has to be done. For a host that takes the choice, with the tools declared:"
        ' `can={"none_by": "choice"}`.',
        asks=("none_by", "tool_choices"),
    ),
    "tools.twice": repaired(
        "a second tool of one name or kind was left out",
        fix="Offer each tool once, and give every tool a name of its own: a call names no more.",
    ),
    "tools.stub": added(
        "tools without parameters, for the calls in the history need some that are declared",
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
