"""What had another name before 0.1.0 works under the old one, and says what it is called."""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, make_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import (
    capabilities,
    formatter,
    gateway,
    losses,
    message,
    schema,
    sealed_state,
    testing,
    vendors,
)
from dragoman._old_names import OLD_ATTRIBUTES, OLD_MODULES, OLD_NAMES
from dragoman.codec.model_facts import ModelFacts
from dragoman.errors import UnknownKeyword
from dragoman.formatter.agentscope.base import NamedFormatter
from dragoman.formatter.wire_formatter import AnswerFormatter
from dragoman.gateway.config.read_toml import Judgement
from dragoman.history import truncate
from dragoman.losses.codes.code import Code
from dragoman.model import Timeouts
from dragoman.protocols import openai_responses
from tests.each_case import each_case

ROOT = Path(dragoman.__file__).parent


@pytest.mark.parametrize(
    ("old", "new"), [*OLD_MODULES.items(), ("rewrite.truncate", "history.truncate")]
)
def test_an_old_module_is_the_new_one(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"dragoman.{old}", raising=False)
    if old.startswith("rewrite."):
        monkeypatch.setitem(sys.modules, "dragoman.rewrite", import_module("dragoman.history"))
    with pytest.warns(DeprecationWarning, match=f"dragoman.{old} is dragoman.{new} now"):
        module = import_module(f"dragoman.{old}")
    assert module is import_module(f"dragoman.{new}")


def test_an_old_name_of_the_package_warns_where_it_is_used() -> None:
    program = "import dragoman\nprint(dragoman.sse.__name__)"
    told = subprocess.run(
        [sys.executable, "-W", "default", "-c", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.strip() == "dragoman.stream.framing"
    assert "<string>:2: DeprecationWarning: dragoman.sse is dragoman.stream.framing" in told.stderr


def test_names_of_an_old_module_can_be_imported() -> None:
    program = "from dragoman.token import CharTokenCounter\nprint(CharTokenCounter.__module__)"
    told = subprocess.run(
        [sys.executable, "-W", "default", "-c", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.strip() == "dragoman.tokens.cached"
    assert "<string>:1: DeprecationWarning" in told.stderr


def test_no_module_shadows_one_of_the_standard_library() -> None:
    program = "import inspect, ssl, sqlite3; print(inspect.__name__)"
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (told.stdout.strip(), told.stderr) == ("inspect", "")


def test_a_name_that_never_was_stays_an_error() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"dragoman\.nothing"):
        import_module("dragoman.nothing")


def _public(module: str, name: str) -> Any:
    return getattr(import_module(f"dragoman.{module}"), name)


RENAMED = [(module, *names) for module, table in OLD_NAMES.items() for names in table.items()]


@each_case(("module", "old", "new"), RENAMED)
def test_an_old_name_in_a_module_works_and_says_the_new_one(
    module: str, old: str, new: str
) -> None:
    with pytest.warns(DeprecationWarning, match=rf"dragoman\.{module}\.{old} is .*\.{new} now"):
        found = _public(module, old)
    assert getattr(found, "__wrapped__", found) is _public(module, new)
    assert old not in import_module(f"dragoman.{module}").__all__


CLASSES: dict[str, Any] = {
    "Dialect": openai_responses.Dialect,
    "Change": schema.Change,
    "Code": Code,
    "Config": gateway.Config,
    "Judgement": Judgement,
    "ModelFacts": ModelFacts,
    "NamedFormatter": NamedFormatter,
    "Receipt": formatter.Receipt,
    "Replacement": truncate.Replacement,
    "Cut": truncate.Cut,
    "Keeping": truncate.Keeping,
    "DropOldest": truncate.DropOldest,
    "TruncatedFormatterBase": formatter.TruncatedFormatterBase,
    **{name: getattr(testing, name) for name in ("Exchange", "Replay", "Scripted")},
    **{name: getattr(capabilities, name) for name in ("About", "Fact", "Facts", "IdRule")},
    **{name: getattr(message, name) for name in ("AsRead", "Msg", "Options", "Written")},
    "ServerTool": message.ServerTool,
    "Report": losses.Report,
    "SchemaDialect": schema.SchemaDialect,
    "Timeouts": Timeouts,
    "AnswerFormatter": AnswerFormatter,
    "Vendor": vendors.Vendor,
}


@each_case(
    ("owner", "old", "new"),
    [(owner, *names) for owner, table in OLD_ATTRIBUTES.items() for names in table.items()],
)
def test_an_old_attribute_leads_to_one_that_there_is(owner: str, old: str, new: str) -> None:
    cls = CLASSES[owner]
    assert new in dir(cls) or new in cls.__annotations__
    assert isinstance(vars(cls)[old], type(vars(losses.Report)["lost"]))


def test_old_attributes_warn_where_they_are_used() -> None:
    report = losses.Report()
    node = object()
    with pytest.warns(DeprecationWarning, match=r"Report\.lost is add_loss now") as caught:
        report.lost("extras.empty", node)  # type: ignore[attr-defined]
    assert [one.filename for one in caught] == [__file__]
    assert report.codes == {"extras.empty"}
    copy, old = message.Msg.user("a"), message.Msg.user("b")
    with pytest.warns(DeprecationWarning, match="record_copy") as caught:
        assert report.made(copy, of=old) is copy  # type: ignore[attr-defined]
    assert [str(one.message).split(";")[0] for one in caught] == [
        "Report.made is record_copy now",
        "record_copy(of=) is record_copy(original=) now",
    ]
    assert report.source(copy) is old
    other, baseline = report.trial(), report.trial()
    other.add_loss("extras.empty", copy)
    with pytest.warns(DeprecationWarning, match="include_new"):
        report.take(other, but=baseline)  # type: ignore[attr-defined]
    assert len(report.losses) == 2
    with pytest.warns(DeprecationWarning, match=r"Msg\.trusted is create_unchecked now"):
        made = message.Msg.trusted("Tony", "Hi", "user")  # type: ignore[attr-defined]
    assert made == message.Msg("Tony", "Hi", "user")
    with pytest.warns(DeprecationWarning, match=r"Options\.given is list_values now"):
        options = message.Options(seed=7).given()  # type: ignore[attr-defined]
    assert options == [("seed", 7)]


def test_old_arguments_are_taken_with_a_warning() -> None:
    words = formatter.Wording(missing="Nothing came.")
    with pytest.warns(DeprecationWarning, match=r"WireFormatter\(told=\) is .*\(wording=\) now"):
        named = formatter.OpenAIChatFormatter(told=words)  # type: ignore[call-arg]
    assert named.style.wording is words
    with pytest.warns(DeprecationWarning, match=r"LLM\(told=\) is LLM\(wording=\) now"):
        dragoman.LLM("gpt-5.6", key="k", told=words)  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="Dialect"):
        dialect = openai_responses.Dialect(said="parts")  # type: ignore[call-arg]
    assert dialect.assistant_text == "parts"
    hello = message.Msg.user("Hi")
    with pytest.warns(DeprecationWarning, match=r"Replacement\(of=\)"):
        one = truncate.Replacement(hello, of=[hello], how="cleared")  # type: ignore[call-arg]
    assert one.originals == [hello]
    twice: dict[str, Any] = {"said": "full", "assistant_text": "full"}
    with (
        pytest.warns(DeprecationWarning, match="assistant_text"),
        pytest.raises(TypeError, match="said is its old name"),
    ):
        openai_responses.Dialect(**twice)
    with pytest.warns(DeprecationWarning, match=r"sealed_state\.opened"):
        opened = _public("sealed_state", "opened")
    with pytest.warns(DeprecationWarning, match=r"open_messages\(made=\)"):
        assert opened([], sealed_state.Envelope(), made=None) == []


def test_what_a_subclass_sets_under_an_old_name_counts() -> None:
    with pytest.warns(DeprecationWarning, match=r"Own\.told is wording now"):

        class Own(formatter.OpenAIChatFormatter):
            told = formatter.Wording(missing="Nothing came.")

    assert Own().style.wording.missing == "Nothing came."


def test_looking_through_a_class_uses_no_old_name() -> None:
    for cls in CLASSES.values():
        inspect.getmembers(cls)


def test_an_override_under_an_old_name_is_called() -> None:
    with pytest.warns(DeprecationWarning, match=r"Mine\.dropped is plan_cut now") as caught:

        @dataclass(frozen=True, kw_only=True)
        class Mine(truncate.DropOldest):
            note: str = ""

            def dropped(self, *args: Any, **keywords: Any) -> Any:
                called.append("dropped")
                return super().dropped(*args, **keywords)  # type: ignore[misc]

    assert {one.filename for one in caught} == {__file__}
    called: list[str] = []
    history = [message.Msg.user(f"{i}. " + "word " * 200) for i in range(9)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        cut = formatter.OpenAIChatFormatter(max_tokens=900, truncate=Mine()).format_sync(history)
    assert "dropped" in called
    assert 0 < len(cut) < 9


@pytest.mark.parametrize(
    ("base", "old", "new"),
    [
        (truncate.DropOldest, "dropped", "plan_cut"),
        (truncate.DropOldest, "pinned", "find_pinned"),
        (formatter.TruncatedFormatterBase, "limited", "with_limit"),
        (formatter.OpenAIChatFormatter, "limited", "with_limit"),
        (AnswerFormatter, "named", "name_answer"),
        (formatter.OpenAIChatFormatter, "named", "name_answer"),
        (schema.SchemaDialect, "allowed", "allows"),
        (vendors.Vendor, "auth_of", "find_auth"),
    ],
)
def test_what_a_subclass_overrides_under_an_old_name_stands_under_the_new_one(
    base: Any, old: str, new: str
) -> None:
    def override(self: object) -> str:
        return "mine"

    with pytest.warns(DeprecationWarning, match=rf"Mine\.{old} is {new} now"):
        mine = type("Mine", (base,), {old: override})
    assert vars(mine)[new] is override
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a program for both releases has both names
        both = type("Both", (base,), {new: override, old: lambda self: "old"})
    assert vars(both)[new] is override


def test_a_class_method_is_overridden_under_its_old_name() -> None:
    with pytest.warns(DeprecationWarning, match=r"Mine\.trusted is create_unchecked now"):

        class Mine(message.Msg):
            @classmethod
            def trusted(cls, *args: Any, **keywords: Any) -> Any:
                made = super().trusted(*args, **keywords)  # type: ignore[misc]
                made.metadata = {"mine": True}
                return made

    with pytest.warns(DeprecationWarning, match=r"Msg\.trusted is create_unchecked now"):
        made = Mine.create_unchecked("Tony", "Hi", "user")
    assert made.metadata == {"mine": True}
    assert isinstance(made, Mine)


def test_a_subclass_has_fields_of_its_own_under_an_old_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        @dataclass(frozen=True, kw_only=True)
        class Bare(Timeouts):
            left: float

        @dataclass(frozen=True, slots=True)
        class Slotted(Timeouts):
            left: float = 3.0

        @dataclass
        class Sent(message.Written):
            meant: str = "mine"

        with pytest.raises(TypeError, match="left"):
            Bare()  # type: ignore[call-arg]
        assert (Bare(left=1.0).left, Slotted().left, Slotted(left=2.0).left) == (1.0, 3.0, 2.0)
        assert Bare(left=1.0) != Bare(left=2.0)
        assert callable(Bare(left=1.0).remaining)
        sent = Sent({})
        assert (sent.meant, sent.original_tools) == ("mine", {})
        sent.meant = "else"
        assert (sent.meant, sent.original_tools) == ("else", {})
        assert "left" in dir(Bare(left=1.0))


def test_a_field_is_set_under_its_old_name() -> None:
    written: Any = message.Written({})
    tools = {"a": object()}
    with pytest.warns(DeprecationWarning, match=r"Written\.meant is original_tools now"):
        written.meant = tools
    assert written.original_tools is tools
    cut: Any = truncate.Cut([], [])
    with pytest.warns(DeprecationWarning, match=r"Cut\.made is replacements now"):
        cut.made = [1]
    assert cut.replacements == [1]


def test_an_old_method_is_called_through_its_class() -> None:
    options = message.Options(seed=7)
    old: Any = message.Options
    with pytest.warns(DeprecationWarning, match=r"Options\.given is list_values now") as caught:
        assert old.given(options) == [("seed", 7)]
    assert {one.filename for one in caught} == {__file__}
    with pytest.warns(DeprecationWarning, match=r"Options\.given is list_values now"):
        assert list(map(old.given, [options])) == [[("seed", 7)]]
    vendor: Any = vendors.Vendor
    host = vendors.vendor("openai")
    with pytest.warns(DeprecationWarning, match=r"Vendor\.auth_of is find_auth now"):
        assert vendor.auth_of(host, "openai_chat") == host.find_auth("openai_chat")
    hello: Any = message.Msg.user("x")
    with pytest.warns(DeprecationWarning, match=r"Msg\.trusted is create_unchecked now"):
        assert hello.trusted("Tony", "Hi", "user") == message.Msg("Tony", "Hi", "user")


def test_an_old_value_of_a_capability_is_taken_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="thinks='on_request'") as seen:
        can = capabilities.Capabilities(thinks="asked")  # type: ignore[arg-type]
    assert can.thinks == "on_request"
    assert seen[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="thinks='on_request'"):
        assert capabilities.override(can, {"thinks": "asked"}).thinks == "on_request"


def test_nobody_gives_the_texts_under_two_names() -> None:
    words = formatter.Wording(missing="Nothing came.")
    both: dict[str, Any] = {"told": words, "wording": words}
    for create in (
        lambda: formatter.OpenAIChatFormatter(**both),
        lambda: formatter.WireFormatter(dragoman.wire("openai"), **both),
        lambda: dragoman.LLM("gpt-5.6", key="k", **both),
    ):
        with (
            pytest.warns(DeprecationWarning, match="wording"),
            pytest.raises(TypeError, match="told is its old name"),
        ):
            create()
    with pytest.warns(DeprecationWarning, match="wording"):
        wire = formatter.WireFormatter(dragoman.wire("openai"), told=words)  # type: ignore[arg-type]
    assert wire.style.wording is words


def test_an_old_argument_of_an_llm_is_none_of_a_question() -> None:
    llm = dragoman.LLM("gpt-5.6", key="k")
    words: Any = {"told": formatter.Wording()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnknownKeyword, match="told"):
            llm.ask("Hi", **words)


def test_what_is_imported_by_an_old_name_warns_once() -> None:
    program = (
        "from dragoman.message import request_of\nfrom dragoman import token\n"
        "from dragoman.llm import llm_of\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, check=True
    )
    lines = [line for line in run.stderr.splitlines() if "DeprecationWarning" in line]
    assert [line.split(" is ")[0] for line in lines] == [
        "<string>:1: DeprecationWarning: dragoman.message.request_of",
        "<string>:2: DeprecationWarning: dragoman.token",
        "<string>:3: DeprecationWarning: dragoman.llm.llm_of",
    ]


def test_an_instance_offers_no_old_name() -> None:
    for one in (
        losses.Report(),
        message.Options(),
        message.Written({}),
        message.Msg.user("x"),
        truncate.DropOldest(),
        formatter.OpenAIChatFormatter(),
    ):
        names = {old for kind in type(one).__mro__ for old in OLD_ATTRIBUTES.get(kind.__name__, ())}
        assert names
        assert names.isdisjoint(dir(one))
    assert "trusted" not in dir(message.Msg)
    assert {"add_loss", "codes"} <= {*dir(losses.Report())}


def test_a_warning_is_on_the_line_of_the_program_behind_other_modules() -> None:
    options, old = message.Options(), message.Options.given  # type: ignore[attr-defined]
    with pytest.warns(DeprecationWarning, match="given") as caught, ExitStack() as stack:
        stack.callback(old, options)
    assert [one.filename for one in caught] == [__file__]
    bases, override = (vendors.Vendor,), {"auth_of": print}
    with pytest.warns(DeprecationWarning, match="auth_of") as caught:
        make_dataclass("Mine", [], bases=bases, namespace=override, frozen=True)
    assert [one.filename for one in caught] == [__file__]
