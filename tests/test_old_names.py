"""What had another name before 0.1.0 works under the old one, and says what it is called."""

from __future__ import annotations

import inspect
import subprocess
import sys
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
from dragoman.formatter.agentscope.base import NamedFormatter
from dragoman.formatter.wire_formatter import AnswerFormatter
from dragoman.gateway.config.settings import Judgement
from dragoman.history import truncate
from dragoman.losses.codes.code import Code
from dragoman.model import Timeouts
from dragoman.protocols import openai_responses

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


@pytest.mark.parametrize(("module", "old", "new"), RENAMED)
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


@pytest.mark.parametrize(
    ("owner", "old", "new"),
    [(owner, *names) for owner, table in OLD_ATTRIBUTES.items() for names in table.items()],
)
def test_an_old_attribute_leads_to_one_that_there_is(owner: str, old: str, new: str) -> None:
    cls = CLASSES[owner]
    assert new in dir(cls) or new in cls.__annotations__
    assert owner == "Msg" or isinstance(vars(cls)[old], type(vars(losses.Report)["lost"]))


def test_old_attributes_warn_where_they_are_used() -> None:
    report = losses.Report()
    node = object()
    with pytest.warns(DeprecationWarning, match=r"Report\.lost is add_loss now") as caught:
        report.lost("extras.empty", node)  # type: ignore[attr-defined]
    assert [one.filename for one in caught] == [__file__]
    assert report.codes == {"extras.empty"}
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
