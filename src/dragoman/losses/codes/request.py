"""Codes of a request's other parts: options, tool choice, response format, model."""

from __future__ import annotations

import logging

from .code import Code, added, degraded, dropped, expected, moved

ROWS: dict[str, Code] = {
    # options
    "option.unsupported": dropped(
        "the wire has no such option",
        fix="Leave the option unset for this wire. A field of the provider's own goes into"
        ' `ChatRequest.extras`: `extras={"openai-chat": {"min_p": 0.1}}`.',
        asks=("options", "budgets"),
        weight="minor",
    ),
    "option.refused": dropped(
        "this model refuses the option",
        fix="Leave the option unset for this model. For a host that takes it:"
        ' `can={"options": {"temperature": "takes"}}`.',
        asks=("options", "thinks", "efforts"),
        weight="minor",
    ),
    "option.ignored": degraded(
        "the option is sent, and this model ignores it",
        fix="Leave the option unset for this model; nothing else would change.",
        asks=("options",),
        level=logging.INFO,
    ),
    "option.range": degraded(
        "the value was moved into the range that the wire takes",
        fix="Give a value that the model takes; `did` says which one was sent.",
        asks=("efforts", "budgets", "options"),
    ),
    "reasoning.moot": expected(
        "the model already thinks as the option asks, so the option is not sent",
        fix="Nothing has to be done.",
        asks=("thinks",),
    ),
    "reasoning.always": degraded(
        "this model always thinks; the lowest effort was requested",
        fix="Leave `reasoning` unset or name the lowest effort; for no thinking at all, choose a"
        " model that can do without.",
        asks=("thinks", "efforts"),
    ),
    "reasoning.off_for_history": degraded(
        "the last tool call has lost its thinking, so thinking cannot be requested for this turn",
        fix="Keep the `ThinkingBlock` of an answer before its tool calls, signature included.",
        asks=("form", "signed_thinking"),
        weight="major",
    ),
    "reasoning.needs_stream": degraded(
        "this model thinks only in streams; for a whole answer thinking was turned off",
        fix="Ask for a stream, `ChatRequest(..., stream=True)`, or set `reasoning` to `off`.",
        asks=("streamed_thinking", "thinks"),
        weight="major",
    ),
    "reasoning.off_for_tools": degraded(
        "this model takes tools only without reasoning",
        fix="Send the request over the wire `openai-responses`, or leave `reasoning` unset.",
        asks=("tools_with_thinking", "thinks"),
        weight="major",
    ),
    # tool choice
    "tool_choice.unsupported": dropped(
        "the wire has no tool choice",
        fix="Leave `tool_choice` unset for this wire, and ask for the tool in the prompt.",
        asks=("tool_choices",),
    ),
    "tool_choice.lowered": degraded(
        "the choice was weakened to what the wire takes",
        fix="Ask for the tool in the prompt, or offer only this tool. For a host that takes the"
        ' choice: `can={"tool_choices": ("auto", "none", "required", "tool")}`.',
        asks=("tool_choices", "parallel_switch"),
    ),
    "tool_choice.no_tools": dropped(
        "a tool choice without tools is not sent",
        fix="Leave `tool_choice` unset, or offer `tools`.",
        weight="trivial",
    ),
    "tool_choice.unknown": dropped(
        "the choice names a tool that is not offered", fix="Name one of the request's `tools`."
    ),
    # response format
    "format.unsupported": degraded(
        "the wire has no such response format",
        fix="The prompt asks the model for the format, and the model may not follow it: check the"
        " answer, or choose a wire that has the format.",
        asks=("formats",),
    ),
    "format.field": expected(
        "the wire takes a schema for the answer, but not this field beside it",
        fix="Nothing has to be done. What the model should read belongs in the schema itself.",
        asks=("formats",),
    ),
    "format.lowered": degraded(
        "the response format was weakened to what the wire takes",
        fix="Describe in the prompt what the format cannot express here, and check the answer"
        " against your schema.",
        asks=("formats",),
    ),
    "format.in_words": added(
        "the format of the answer in the system prompt, because no field can carry it here",
        fix="Choose a wire or a model that takes the format, and check the answer against it. The"
        " words are `Wording.schema` and `Wording.json`.",
        asks=("formats",),
        weight="minor",
    ),
    "format.as_tool": added(
        "the format of the answer is a tool that the model has to call: its arguments are the"
        " answer",
        fix="Choose a wire or a model that takes the format, and leave `way` unset. The words of"
        " the tool are `Wording.answer`.",
        asks=("formats",),
        weight="minor",
    ),
    "format.json_word": added(
        "a sentence that asks for JSON, which the host requires in a message when JSON is the"
        " format",
        fix="Write in a message what the JSON should contain. The words are `Wording.json`.",
        asks=("json_word",),
    ),
    # required parts of a request
    "max_tokens.default": added(
        "the wire requires a maximum and none was given",
        fix='Set `Options.max_tokens`. The default can be changed: `can={"max_tokens": 4096}`.',
        asks=("max_tokens",),
    ),
    "include.added": added(
        "the encrypted form of the reasoning is requested, because the provider does not store"
        " the answer",
        fix="Nothing has to be done: without it the next request could not return the reasoning."
        ' Let the provider store it (`store` true or unset), or set `"include"` yourself, in'
        " `extras`.",
        level=logging.DEBUG,
    ),
    "usage.requested": expected(
        "the token counts of a stream are requested, because this wire sends them only on request",
        fix="Nothing has to be done. If your client cannot read a chunk without choices, set"
        ' `"stream_options": {"include_usage": False}` in `extras`.',
    ),
    "word.other_provider": degraded(
        "a value that only the source wire has was replaced by the nearest one",
        fix="Nothing has to be done, unless the difference matters to you: see what the value"
        " means to its own provider.",
        weight="trivial",
    ),
    "model.kept": expected(
        "the model's name was kept from the request of another wire",
        fix="Name a model of this provider; the option `model` of `convert` does it. Until then"
        " the facts of the model that is named decide what is sent.",
    ),
    "model.other_provider": expected(
        "the request names another provider's model, so the vendor's default is used",
        fix="Name a model of this provider with the option `model` of `convert`; the option"
        " keep_model leaves the name as it is.",
        weight="minor",
    ),
    "model.default": added(
        "no model was named, so the vendor's default is used",
        fix="Name the `model`, in the request or to the formatter.",
        weight="minor",
    ),
}


_SCHEMAS = ("tool_schema", "strict_schema", "format_schema")

SCHEMA_ROWS: dict[str, Code] = {
    "schema.described": moved(
        "a rule that this target's schemas cannot express was moved into the description",
        fix="Nothing has to be done: the model reads it, but may break it. Check the arguments"
        " that come back against your own schema.",
        asks=_SCHEMAS,
    ),
    "schema.dropped": dropped(
        "a rule that this target's schemas cannot express was left out",
        fix="If the model must know the rule, write it into the tool's `description`, and check"
        " the arguments that come back against your own schema.",
        asks=_SCHEMAS,
        weight="minor",
    ),
    "schema.note": expected(
        "a remark in a schema, which restricts no value, was left out",
        fix="Nothing has to be done: titles and the like refuse no value. What the model should"
        " know belongs in `description`.",
        asks=_SCHEMAS,
    ),
    "schema.restated": degraded(
        "a schema was rewritten with the same meaning",
        fix="Nothing has to be done: it accepts and refuses the same values.",
        asks=_SCHEMAS,
        level=logging.DEBUG,
        weight="trivial",
    ),
    "schema.wider": degraded(
        "the rewritten schema accepts more than yours",
        fix="Check the arguments that come back against your own schema.",
        asks=_SCHEMAS,
    ),
    "schema.narrower": degraded(
        "the rewritten schema accepts less than yours",
        fix="State in the schema what it leaves open here: a type for every value, and every"
        " property that an object may have.",
        asks=_SCHEMAS,
        level=logging.INFO,
    ),
    "schema.unfit": degraded(
        "the target cannot express the schema exactly",
        fix="Leave `strict` unset, or give a schema that can be closed: no free"
        " maps, an object at the root, and no more than the provider's limits.",
        asks=("strict_schema", "tool_schema", "format_schema"),
    ),
}


ANSWERS_ROWS: dict[str, Code] = {
    "answer.unsupported": dropped(
        "an answer of this wire has no field for it",
        fix="Keep the ChatResponse as well, or answer over a wire that carries it.",
        weight="minor",
    ),
    "answer.candidates": dropped(
        "an answer of this wire has one candidate, and the first was written",
        fix="Ask for one candidate (`n=1`), or write each candidate as an answer of its own.",
    ),
    "answer.field": added(
        "a field that an answer of this wire requires and the source does not have",
        fix="Nothing has to be done. Set `ChatResponse.id` or `.model` to choose the value.",
    ),
    "answer.finish": degraded(
        "this wire has no word for why the model stopped, so the nearest was written",
        fix="Nothing has to be done, unless the client branches on it: see `ChatResponse.finish`.",
        weight="trivial",
    ),
    "answer.usage": dropped(
        "an answer of this wire has no field for this figure",
        fix="Take the figures from `ChatResponse.usage`.",
        weight="trivial",
    ),
}
