"""Document 003: ChatMessageSerializer, and the request builder that it is injected into."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from dragoman import Msg, Tool, wire
from dragoman.analysis import check
from dragoman.capabilities import ChatConfig
from dragoman.formatter import Formatter
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    Parameter,
    TextBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.toolkit import ChatMessageSerializer, OpenAIChatMessageSerializer, RequestBuilder
from dragoman.vendors import VENDORS, vendor
from tests.contract.judges import judge_request
from tests.toolkit.conversation import WEATHER, WEATHER_JSON

SERIALIZER = OpenAIChatMessageSerializer()
CONFIG = ChatConfig()
LOCATION = Parameter("location", "string", "City name", required=True, enum=["Beijing", "Shanghai"])
CALL = ToolUseBlock(id="call_123", name="get_weather", input={"location": "Beijing"})
CALL_JSON = {
    "id": "call_123",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"location": "Beijing"}'},
}


def history() -> list[Msg]:
    """A message of each class of the document."""
    return [
        Msg.system("You help."),
        Msg.user("How is Beijing?"),
        Msg.assistant([CALL]),
        Msg.tool("call_123", "Sunny."),
    ]


def parameters(*listed: Parameter) -> dict[str, Any]:
    [schema] = SERIALIZER.serialize_tools([Tool("f", "", listed)], CONFIG) or []
    made: dict[str, Any] = schema["function"]["parameters"]
    return made


@pytest.mark.demand("S173", "S175", "S185")
def test_messages_become_an_array_of_maps() -> None:
    assert SERIALIZER.serialize_messages([Msg.user("...")], CONFIG) == [
        {"role": "user", "content": "..."}
    ]


@pytest.mark.demand("S174", "S176", "S195", "S198", "S199")
def test_tools_become_an_array_of_maps() -> None:
    assert SERIALIZER.serialize_tools([WEATHER], CONFIG) == [WEATHER_JSON]


@pytest.mark.demand("S174", "S183")
def test_tools_travel_in_the_same_request() -> None:
    """In the field `tools`; `functions`, its older name, and the calls of that time are read."""
    body = RequestBuilder(model="m").build(history(), tools=[WEATHER])
    assert (set(body), body["tools"]) == ({"model", "messages", "tools"}, [WEATHER_JSON])
    older = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "How is Beijing?"},
            {"role": "assistant", "content": None, "function_call": CALL_JSON["function"]},
            {"role": "function", "name": "get_weather", "content": "Sunny."},
        ],
        "functions": [WEATHER_JSON["function"]],
    }
    read = wire("openai-chat").read_request(older)
    assert SERIALIZER.serialize_tools(read.tools, CONFIG) == [WEATHER_JSON]
    [call] = read.messages[1].calls
    assert (call.name, call.input) == (CALL.name, CALL.input)
    assert wire("openai-chat").write_request(read).body == older


@pytest.mark.demand("S175", "S176")
@pytest.mark.parametrize("kind", [ChatMessageSerializer, OpenAIChatMessageSerializer])
def test_both_methods_take_the_configuration_beside_what_they_write(kind: Any) -> None:
    methods = (kind.serialize_messages, kind.serialize_tools, kind.serialize_tools_of)
    assert [tuple(inspect.signature(method).parameters)[1:] for method in methods] == [
        ("messages", "config"), ("tools", "config"), ("user_message", "config"),
    ]  # fmt: skip
    assert ChatMessageSerializer.__abstractmethods__ == {"serialize_messages", "serialize_tools"}


@pytest.mark.demand("S177", "S178")
def test_the_tools_of_a_user_message_are_found_and_their_absence_is_minded() -> None:
    attached = Msg.user("How is Beijing?", metadata={"tools": [WEATHER]})
    assert SERIALIZER.serialize_tools_of(attached, CONFIG) == [WEATHER_JSON]
    assert SERIALIZER.serialize_tools_of(Msg.user("Hi"), CONFIG) is None
    assert SERIALIZER.serialize_tools_of(None, CONFIG) is None
    assert RequestBuilder().build([attached])["tools"] == [WEATHER_JSON]


@pytest.mark.demand("S177")
def test_a_serializer_of_ones_own_has_the_default_method() -> None:
    given: list[Any] = []

    class Noting(ClaudeMessageSerializer):
        def serialize_tools(self, tools: list[Tool] | None, config: ChatConfig) -> Any:
            given.append(tools)
            return super().serialize_tools(tools, config)

    msgs = [Msg.user("How is Beijing?", metadata={"tools": [WEATHER]}), Msg.user("Hi"), None]
    for msg in msgs:
        Noting().serialize_tools_of(msg, CONFIG)
    assert given == [[WEATHER], None, None]


@pytest.mark.demand("S180", "S202")
def test_the_default_is_the_serializer_for_openai_s_protocol() -> None:
    assert type(RequestBuilder().serializer) is OpenAIChatMessageSerializer
    assert OpenAIChatMessageSerializer().formatter().wire.room.protocol == "openai-chat"


@pytest.mark.demand("S179", "S180", "S181", "S183", "S186", "S187", "S188")
def test_the_four_classes_of_messages() -> None:
    assert SERIALIZER.serialize_messages(history(), CONFIG) == [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "How is Beijing?"},
        {"role": "assistant", "content": "", "tool_calls": [CALL_JSON]},
        {"role": "tool", "content": "Sunny.", "tool_call_id": "call_123"},
    ]


@pytest.mark.demand("S186")
def test_an_assistant_message_has_its_content_and_its_calls() -> None:
    """Both where the protocol is spoken as today; the serializer empties the one (S193)."""
    assert SERIALIZER.serialize_messages([Msg.assistant("...")], CONFIG) == [
        {"role": "assistant", "content": "..."}
    ]
    both = [Msg.assistant([TextBlock("..."), CALL])]
    assert Formatter("openai").format_sync(both)[0] == {
        "role": "assistant", "content": "...", "tool_calls": [CALL_JSON],
    }  # fmt: skip
    emptied = SERIALIZER.serialize_messages(both, CONFIG)[0]
    assert emptied == {"role": "assistant", "content": "", "tool_calls": [CALL_JSON]}


MEDIA = [
    (ImageBlock, {"type": "image_url", "image_url": {"url": "https://example.com/a"}}),
    (AudioBlock, {"type": "audio_url", "audio_url": {"url": "https://example.com/a"}}),
    (VideoBlock, {"type": "video_url", "video_url": {"url": "https://example.com/a"}}),
]


@pytest.mark.demand("S182", "S190")
@pytest.mark.parametrize(("block", "part"), MEDIA, ids=["image", "audio", "video"])
def test_media_by_url(block: Any, part: dict[str, Any]) -> None:
    shown = [TextBlock("Describe this image"), block(URLSource("https://example.com/a"))]
    assert SERIALIZER.serialize_messages([Msg.user(shown)], CONFIG) == [
        {"role": "user", "content": [{"type": "text", "text": "Describe this image"}, part]}
    ]


@pytest.mark.demand("S182", "S190")
def test_the_message_of_the_document() -> None:
    shown = [
        TextBlock("Describe this image"),
        ImageBlock(URLSource("https://...")),
        AudioBlock(URLSource("https://...")),
    ]
    [message] = SERIALIZER.serialize_messages([Msg.user(shown)], CONFIG)
    assert message["content"] == [
        {"type": "text", "text": "Describe this image"},
        {"type": "image_url", "image_url": {"url": "https://..."}},
        {"type": "audio_url", "audio_url": {"url": "https://..."}},
    ]


@pytest.mark.demand("S190")
def test_openai_s_own_api_takes_audio_as_base64_alone() -> None:
    """There `input_audio` holds the bytes; `audio_url` is what hosts that copy it take, by URL."""
    sound = AudioBlock(Base64Source("audio/wav", "UklGRg=="))
    own = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    openai = Formatter("openai", model="gpt-audio")
    for written in (
        openai.format_sync([Msg.user([sound])]),
        SERIALIZER.serialize_messages([Msg.user([sound])], CONFIG),
    ):
        assert written == [{"role": "user", "content": [own]}]
    told = openai.write([Msg.user([AudioBlock(URLSource("https://example.com/a"))])])
    assert [loss.code for loss in told.losses] == ["media.not_fetched"]
    assert "audio_url" not in json.dumps(told.messages)


@pytest.mark.demand("S189")
@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
@pytest.mark.parametrize(("block", "part"), MEDIA, ids=["image", "audio", "video"])
def test_media_stand_in_user_messages_alone(block: Any, part: dict[str, Any], role: str) -> None:
    """Those of other messages, and of results, follow in one; that they moved is a loss."""
    shown = [TextBlock("Here."), block(URLSource("https://example.com/a"))]
    last = Msg.tool("call_123", shown) if role == "tool" else Msg("", shown, role)
    before = history()[:3] if role == "tool" else history()
    written = RequestBuilder(model="m").write([*before, last])
    holding = [
        message["role"]
        for message in written.body["messages"]
        if isinstance(message["content"], list) and part in message["content"]
    ]
    assert holding == ["user"]
    assert [(loss.kind, loss.code) for loss in written.losses] == [("moved", "media.moved")]


@pytest.mark.demand("S184", "S196")
def test_objects_nest_through_their_children() -> None:
    street = Parameter("street", "string", "Street name", required=True)
    address = Parameter("address", "object", children=[street, Parameter("floor", "integer")])
    person = Parameter("person", "object", "Who", required=True, children=[address])
    assert parameters(person) == {
        "type": "object",
        "properties": {
            "person": {
                "type": "object",
                "description": "Who",
                "properties": {
                    "address": {
                        "type": "object",
                        "properties": {
                            "street": {"type": "string", "description": "Street name"},
                            "floor": {"type": "integer"},
                        },
                        "required": ["street"],
                    }
                },
            }
        },
        "required": ["person"],
    }


@pytest.mark.demand("S184", "S197")
def test_arrays_hold_values_or_objects() -> None:
    point = [Parameter("lat", "number", required=True), Parameter("lon", "number")]
    made = parameters(Parameter("tags", "string[]"), Parameter("points", "array", children=point))
    assert made["properties"] == {
        "tags": {"type": "array", "items": {"type": "string"}},
        "points": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
                "required": ["lat"],
            },
        },
    }
    assert parameters(Parameter("points", "object[]", children=point))["properties"] == {
        "points": made["properties"]["points"]
    }


@pytest.mark.demand("S184", "S198", "S199")
def test_required_parameters_are_listed_and_enums_limit_values() -> None:
    made = parameters(LOCATION, Parameter("unit", "string", enum=["C", "F"]), Parameter("days"))
    assert made["required"] == ["location"]
    assert made["properties"]["unit"] == {"type": "string", "enum": ["C", "F"]}
    assert "enum" not in made["properties"]["days"]
    assert "required" not in parameters(Parameter("days"))


@pytest.mark.demand("S193", "S194")
def test_text_beside_a_call_is_emptied() -> None:
    turn = Msg.assistant([TextBlock("I had better look."), CALL])
    written = SERIALIZER.serialize_messages([Msg.user("Well?"), turn], CONFIG)
    assert written[1] == {"role": "assistant", "content": "", "tool_calls": [CALL_JSON]}
    losses = RequestBuilder(model="m").write([Msg.user("Well?"), turn]).losses
    assert [(loss.kind, loss.code) for loss in losses] == [("dropped", "call.text_dropped")]


@pytest.mark.demand("S200", "S205", "S206")
def test_a_model_without_tools_is_sent_none() -> None:
    without = ChatConfig(support_tool=False)
    assert SERIALIZER.serialize_tools([WEATHER], without) is None
    builder = RequestBuilder(model="m")
    told = builder.write([Msg.user("Hi")], tools=[WEATHER], config=without)
    assert set(told.body) == {"model", "messages"}
    assert [loss.code for loss in told.losses] == ["tools.unsupported"]
    assert builder.build(history(), tools=[WEATHER])["tools"] == [WEATHER_JSON]


@pytest.mark.demand("S205", "S206")
@pytest.mark.parametrize(("block", "part"), MEDIA, ids=["image", "audio", "video"])
def test_the_configuration_decides_what_is_rendered(block: Any, part: dict[str, Any]) -> None:
    shown = block(URLSource("https://example.com/a"))
    msgs = [Msg.user([TextBlock("Look"), shown])]
    without: Any = {f"support_{shown.type}": False}
    blind = SERIALIZER.serialize_messages(msgs, ChatConfig(**without))
    assert blind == [{"role": "user", "content": "Look"}]
    [message] = SERIALIZER.serialize_messages(msgs, CONFIG)
    assert message["content"] == [{"type": "text", "text": "Look"}, part]


class ClaudeMessageSerializer(ChatMessageSerializer):
    """The document's example: the system prompt is a field, and tools have another form."""

    def serialize_messages(self, messages: list[Msg], config: ChatConfig) -> list[dict[str, Any]]:
        return [{"role": m.role, "content": m.text} for m in messages if m.role != "system"]

    def serialize_tools(
        self, tools: list[Tool] | None, config: ChatConfig
    ) -> list[dict[str, Any]] | None:
        return [{"name": tool.name, "input_schema": tool.schema} for tool in tools or []]

    def further_fields(self, messages: list[Msg], config: ChatConfig) -> dict[str, Any]:
        return {"system": "\n".join(m.text for m in messages if m.role == "system")}


@pytest.mark.demand("S201", "S202")
def test_a_protocol_of_ones_own_is_injected() -> None:
    builder = RequestBuilder(ClaudeMessageSerializer(), model="claude-opus-5-5")
    assert builder.build(history()[:2], tools=[WEATHER]) == {
        "model": "claude-opus-5-5",
        "system": "You help.",
        "messages": [{"role": "user", "content": "How is Beijing?"}],
        "tools": [{"name": "get_weather", "input_schema": WEATHER_JSON["function"]["parameters"]}],
    }


@pytest.mark.demand("S202")
@pytest.mark.parametrize("theirs", ["OpenAIChatRequestSpecBuilder", "ChatRequestSpecBuilder"])
def test_the_document_s_name_of_the_builder_says_ours(theirs: str) -> None:
    with pytest.raises(ImportError, match=r"RequestBuilder\(serializer\)"):
        exec(f"from dragoman.toolkit import {theirs}", {})


@pytest.mark.demand("S201", "S202")
def test_any_formatter_is_injected_in_the_same_way() -> None:
    """Claude and Gemini, which the document names, need no class of one's own."""
    body = RequestBuilder(Formatter("anthropic")).build(history(), tools=[WEATHER])
    assert body["system"] == "You help."
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    schema = WEATHER_JSON["function"]["parameters"]
    [claude] = body["tools"]
    assert (claude["name"], claude["input_schema"]) == ("get_weather", schema)
    body = RequestBuilder(Formatter("gemini")).build(history(), tools=[WEATHER])
    assert body["systemInstruction"] == {"parts": [{"text": "You help."}]}
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]
    [[gemini]] = [one["functionDeclarations"] for one in body["tools"]]
    assert (gemini["name"], gemini["parametersJsonSchema"]) == ("get_weather", schema)


@pytest.mark.demand("S203")
def test_the_builder_asks_the_serializer_for_messages_and_leaves_empty_tools_out() -> None:
    builder = RequestBuilder(ClaudeMessageSerializer())
    assert ClaudeMessageSerializer().serialize_tools(None, CONFIG) == []
    assert builder.build([Msg.user("Hi")]) == {
        "messages": [{"role": "user", "content": "Hi"}],
        "system": "",
    }


@pytest.mark.demand("S203")
def test_the_builder_sets_tools_only_if_there_are_any() -> None:
    builder = RequestBuilder(model="m")
    assert builder.build([Msg.user("Hi")], tools=[]) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    assert builder.build([Msg.user("Hi")], tools=[WEATHER])["tools"] == [WEATHER_JSON]


@pytest.mark.demand("S207")
def test_for_openai_compatible_models_the_default_is_enough() -> None:
    """Every such host that we know takes what the default serializer writes, unasked."""
    hosts = [name for name in VENDORS if "openai-chat" in vendor(name).wires]
    assert len(hosts) > 30
    for name in hosts:
        there = wire(f"{name}/openai-chat", policy="ignore")
        model = there.room.model
        config = ChatConfig(support_tool=there.can(model).tools)
        body = RequestBuilder(model=model, config=config).build(history(), tools=[WEATHER])
        assert check(body, there, model) == [], name
        assert there.read_request(body).messages[1].text == "How is Beijing?"


@pytest.mark.demand("S179")
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("UserMessage", Msg.user("?")),
        ("AiMessage", Msg.assistant("!")),
        ("SystemMessage", Msg.system("Be brief.")),
        ("ToolMessage", Msg.tool("call_123", "Sunny.")),
    ],
)
def test_each_class_of_messages_has_a_maker_and_its_name_says_which(theirs: str, ours: Msg) -> None:
    with pytest.raises(ImportError, match=rf"Msg\.{ours.role}\("):
        exec(f"from dragoman.message import {theirs}", {})
    *_, message = SERIALIZER.serialize_messages(
        [Msg.assistant([CALL]), ours] if ours.role == "tool" else [ours], CONFIG
    )
    assert message["role"] == ours.role


@pytest.mark.demand("S204")
@pytest.mark.parametrize("server", ["openai-chat", "vllm/openai-chat"])
def test_a_client_gets_finished_json_that_its_server_takes(server: str) -> None:
    def client(text: str) -> list[str]:
        """A chat client: it knows JSON and its server, and neither messages nor serializers."""
        return judge_request(server, json.loads(text))

    body = RequestBuilder(model="glm-5").build(history(), tools=[WEATHER], stream=True)
    assert set(body) == {"model", "messages", "tools", "stream", "stream_options"}
    assert client(json.dumps(body, ensure_ascii=False)) == []
    assert client(json.dumps({**body, "messages": "?"})) != []
