"""The part that LLM and AsyncLLM share: building requests, trying models, checking answers.

`FrontDoor.asking` is a generator that yields what is to be sent and receives what came back, so
that LLM and AsyncLLM differ only in how they wait.
"""

from __future__ import annotations

from collections.abc import Generator, KeysView, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from .._old_names import rename_arguments
from ..errors import ConfigError, LossRefused, ProviderError, WriteError
from ..losses.codes.code import Weight
from ..message import ChatRequest, Options, ResponseFormat, ToolChoice, Written
from ..message.options import OPTIONS
from ..model.answer import Answer
from ..model.endpoint import CallOptions, ConnectionOptions
from ..model.received import Received
from ..observe.channel import CHANNEL, ObservedOperation
from ..structured_output import Structured
from ..suggestions.keywords import refuse_unknown, rename_keywords
from ..suggestions.response_formats import read_form
from ..text.redaction import show
from ..tokens.cached import default_counter
from ..toolkit import to_toolkit
from ..vendors import Vendor
from .fallbacks import Fallbacks, has_no_key
from .inputs import to_request, with_files
from .models import ModelLike, TargetMaker, find_profile, list_models
from .output_repairs import DEFAULT_REPAIRS, check_repairs, read_answer
from .question import Attempt, Question
from .settings import AskSettings, Input, LLMSettings, Way
from .targets import FORMATTER_OPTIONS, ModelTarget, with_defaults

_FIELDS = ("system", "tools", "tool_choice", "agent_name", "memories", "extras", "metadata")


_LLM_KEYWORDS = dict.fromkeys(LLMSettings.__annotations__).keys()
_CALL_KEYWORDS = dict.fromkeys((*AskSettings.__annotations__, "response_format")).keys()


# marks a first argument that is given by keyword, under the name that another library uses
GIVEN_BY_NAME: Any = object()


def _first(
    owner: str, value: Any, settings: dict[str, Any], names: tuple[str, ...]
) -> tuple[Any, dict[str, Any]]:
    """Return the first argument, also if given by one of these names, and the other keywords."""
    if value is not GIVEN_BY_NAME:
        return value, settings
    for name in names:
        if name in settings:
            return settings[name], {key: item for key, item in settings.items() if key != name}
    text = f"{owner} was given nothing to begin with"
    hint = 'LLM("vendor/model")' if owner == "LLM" else "ask(text), or ask(messages)"
    raise ConfigError(text, path="$", hint=hint, code="llm.name")


def _rename_settings(given: Mapping[str, Any], known: KeysView[str], owner: str) -> dict[str, Any]:
    """Return the keywords under our names.

    Raises:
        UnknownKeyword: There is no such keyword.
        ConfigError: One is given twice.
    """
    given = rename_arguments("LLM", given) if known is _LLM_KEYWORDS else given
    settings = rename_keywords(given, known)
    for name in ("stream", "streaming"):
        if settings.get(name) in (False, None):
            settings.pop(name, None)  # False is the only mode; `stream` is a method
    refuse_unknown(owner, settings, known)
    return settings


class FrontDoor:
    """The settings of an LLM; `LLM` describes them."""

    def __init__(self, name: ModelLike, settings: dict[str, Any]) -> None:
        name, settings = _first("LLM", name, settings, ("model", "model_name"))
        models, settings, file = _parse_models(
            name, _rename_settings(settings, _LLM_KEYWORDS, "LLM")
        )
        fallbacks = settings.pop("fallbacks", ())
        self.order: str = settings.pop("order", "given")
        if self.order not in ("given", "losses"):
            text = f"unknown order {show(self.order)}"
            raise ConfigError(text, path="$.order", hint="given or losses", code="llm.order")
        self.repairs = check_repairs(settings.pop("repairs", DEFAULT_REPAIRS))
        self.allow_partial = _flag(settings.pop("allow_partial", False), "$.allow_partial")
        self.follow_pauses = _follows(settings.pop("follow_pauses", None))
        self.way = _way(settings.pop("way", "auto"))
        self.listener = CHANNEL.own(settings.pop("on_event", None))
        form = settings.pop("response_format", None)
        self.structured = None if form is None else _parse_format(form)
        self._plain_format = _plain_format(form)
        connection: ConnectionOptions = {}
        for option in ConnectionOptions.__annotations__:
            if option in settings:
                connection[option] = settings.pop(option)  # type: ignore[literal-required]
        key, formatter = settings.pop("key", None), settings.pop("formatter", None)
        facts = settings.pop("facts", None)
        formatting = {name: settings.pop(name) for name in FORMATTER_OPTIONS if name in settings}
        if "history_tokens" in settings:
            formatting["max_tokens"] = settings.pop("history_tokens")
        if formatter is not None and formatting:
            text = f"a formatter is given, and so is {next(iter(formatting))}"
            raise ConfigError(text, hint="say it to the formatter", code="llm.formatter")
        self._counters: dict[str, Any] = {}  # by model; created on use, if none is given
        self.toolkit, served = to_toolkit(settings.pop("tools", ()))
        settings["tools"] = [*self.toolkit.tools, *served]
        self.defaults = ChatRequest([], response_format=self._plain_format, **_fields(settings))
        self._maker = TargetMaker(connection, key, formatting, formatter, facts, file)
        self.targets, self.by_kind = self._maker.all(models, fallbacks)
        self._renamed: dict[str, ModelTarget] = {}

    @property
    def target(self) -> ModelTarget:
        """The model that is asked first."""
        return self.targets[0]

    @property
    def names(self) -> str:
        """The models that are asked, as a program would write them."""
        names = [target.name for target in self.every_target]
        return repr(names[0] if len(names) == 1 else names)

    @property
    def every_target(self) -> list[ModelTarget]:
        """Every model that may be asked."""
        return [*self.targets, *(one for group in self.by_kind.values() for one in group)]

    # -- the request -------------------------------------------------------------------------------

    def parse_call(self, x: Input, form: Any, given: Mapping[str, Any]) -> Question:
        """Return the question of a call of `ask` or `stream`; `form` is its `response_format`."""
        if form is None and not given and x is not GIVEN_BY_NAME:  # the usual call
            return Question(
                self._request(to_request(x), self.defaults),
                self.structured,
                self.way,
                self.repairs,
                {},
                None,
                self.allow_partial,
                self.follow_pauses,
            )
        settings = dict(given)
        if x is GIVEN_BY_NAME or not settings.keys() <= _CALL_KEYWORDS:
            x, settings = _first("ask", x, settings, ("messages", "prompt", "input", "contents"))
            settings = _rename_settings(settings, _CALL_KEYWORDS, "ask")
        form = settings.pop("response_format", form)
        structured = self.structured if form is None else _parse_format(form)
        way = _way(settings.pop("way", self.way))
        repairs = check_repairs(settings.pop("repairs", self.repairs))
        call: CallOptions = {}
        for name in CallOptions.__annotations__:
            if (value := settings.pop(name, None)) is not None:
                call[name] = value  # type: ignore[literal-required]
        model = settings.pop("model", None)
        partial = _flag(settings.pop("allow_partial", self.allow_partial), "$.allow_partial")
        follows = _follows(settings.pop("follow_pauses", self.follow_pauses))
        request = to_request(x)
        if (files := settings.pop("files", None)) is not None:
            request = with_files(request, files)
        has_tools = "tools" in settings
        if has_tools:
            toolkit, served = to_toolkit(settings["tools"])
            settings["tools"] = [*toolkit.tools, *served]
        if settings:
            fields = _fields(settings)
            options = fields.pop("options", Options())
            merged = replace(request.options, **dict(options.list_values()))
            request = replace(request, options=merged, **fields)
        defaults = replace(self.defaults, tools=[]) if has_tools else self.defaults
        request = self._request(request, defaults)
        if form is not None and (plain := _plain_format(form)) is not None:
            says_nothing = plain.kind == "text" and request.response_format is None
            request = replace(request, response_format=None if says_nothing else plain)
        return Question(request, structured, way, repairs, call, model, partial, follows)

    @staticmethod
    def _request(request: ChatRequest, defaults: ChatRequest) -> ChatRequest:
        """Return the request with the defaults; `ask` and `stream` decide whether it streams."""
        if request.stream:  # read from a body that asks for a stream
            request = replace(request, stream=False)
        return with_defaults(request, defaults)

    def write_first(self, question: Question, stream: bool = False) -> Written:
        """Write the request for the first model."""
        request = replace(question.request, stream=stream)
        return self.first_target(question).write(request, question.structured, question.way)

    def first_target(self, question: Question) -> ModelTarget:
        """Return the model that is asked first, over the wire that the request needs."""
        return self._first_model(question).for_request(question.request)

    def prepare_count(self, question: Question) -> tuple[Any, list[Any], list[Any]]:
        """Return (counter, formatted messages, tools) of a request to the first model."""
        target = self._first_model(question).for_request(question.request)
        formatter, name = target.formatter, target.model.model_name
        counter = formatter.token_counter or self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = default_counter(name)
        messages = formatter.write(question.request).messages
        return counter, messages, formatter.format_tools(question.request.tools)

    @property
    def counts(self) -> bool:
        """Whether tokens are counted while a request is written, which may need the network."""
        for target in self.targets:  # noqa: SIM110 - asked twice for each call
            if target.formatter.max_tokens is not None:
                return True
        return False

    def fallbacks(self, question: Question) -> Fallbacks:
        """Return the models in the order in which they are asked, with fallbacks by failure."""
        targets = self.in_order(question)
        if not self.by_kind and not question.call:
            return Fallbacks(targets, {})
        by_kind = {
            kind: [target.for_request(question.request) for target in group]
            for kind, group in self.by_kind.items()
        }
        if call := question.call:
            targets = [target.for_call(call) for target in targets]
            by_kind = {
                kind: [target.for_call(call) for target in group] for kind, group in by_kind.items()
            }
        return Fallbacks(targets, by_kind)

    def _first_model(self, question: Question) -> ModelTarget:
        """Return the model that is asked first: the LLM's, or the one that the call names."""
        name = question.model
        if name is None:
            return self.target
        if name not in self._renamed:
            self._renamed[name] = self._maker.other_model(self.target, name)
        return self._renamed[name]

    def in_order(self, question: Question) -> list[ModelTarget]:
        """Return the models in the order in which they are asked."""
        every = [self._first_model(question), *self.targets[1:]]
        targets = [target.for_request(question.request) for target in every]
        if self.order == "given" or len(targets) == 1:
            return targets
        return sorted(targets, key=lambda target: _weight(target, question))

    def observe(self, question: Question, stream: bool = False) -> ObservedOperation | None:
        """Report that a question is asked; return None without a listener."""
        from .observed import begin_call

        names = (self._first_model(question).name, *[one.name for one in self.every_target[1:]])
        return begin_call(self.listener, question, names, stream=stream)

    # -- one answer --------------------------------------------------------------------------------

    def asking(self, question: Question) -> Generator[Attempt, Received, Answer[Any]]:
        """Yield what is to be sent until an answer is good; the caller throws failures in.

        The next model is asked at once if one fails for a reason that another may not have, or if
        the request cannot be written for it.
        """
        order = self.fallbacks(question)
        target = order.first
        while True:
            try:
                out = target.write(question.request, question.structured, question.way)
            except (WriteError, LossRefused) as error:
                target = order.after(target, error)
                continue
            try:
                return (yield from read_answer(target, out, question))
            except ProviderError as error:
                target = order.after(target, target.place_error(error, out))
            except ConfigError as error:
                if not has_no_key(error):
                    raise
                target = order.after(target, error)


def _parse_models(
    name: ModelLike, settings: dict[str, Any]
) -> tuple[list[Any], dict[str, Any], str | Path | None]:
    """Return (the named models, the settings with those of a profile, the file of profiles)."""
    models = list_models(name, "$.name")
    if not models:
        raise ConfigError("an LLM needs a model", path="$.name", code="llm.name")
    # a file may redefine a name, but not send the key of a known model to another address
    file = settings.pop("profiles", None)
    if len(models) == 1 and (found := find_profile(models[0], file)) is not None:
        models = [found.pop("model")]
        settings = {
            **_rename_settings(found, _LLM_KEYWORDS, f"the profile {show(name)}"),
            **settings,
        }
    if (own := settings.pop("model", None)) is not None:
        if len(models) != 1 or not isinstance(models[0], Vendor):
            text = "a model is named twice"
            hint = "model= names one of a Vendor: LLM(row, model=...)"
            raise ConfigError(text, path="$.model", hint=hint, code="llm.name")
        models = [{"vendor": models[0], "model": own}]
    return models, settings, file


def _way(value: Any) -> Way:
    if value not in get_args(Way):
        hint = f"one of {', '.join(get_args(Way))}"
        text = f"there is no way {show(value)}"
        raise ConfigError(text, path="$.way", hint=hint, code="llm.way")
    way: Way = value
    return way


def _flag(value: Any, path: str) -> bool:
    if type(value) is not bool:
        raise ConfigError(f"must be True or False, not {show(value)}", path=path, code="llm.flag")
    return value


def _follows(value: Any) -> bool | None:
    return None if value is None else _flag(value, "$.follow_pauses")


def _plain_format(form: Any) -> ResponseFormat | None:
    """Return the format of text or of any JSON if that is meant, None for a type or schema."""
    if isinstance(form, (str, Mapping, ResponseFormat)):
        if isinstance(form, Mapping) and read_form(form) is None:
            return None  # a mapping that is a JSON Schema
        known = ResponseFormat.of(form)
        return known if known.kind != "schema" else None
    return None


def _parse_format(form: Any) -> Structured[Any] | None:
    """Return what reads the answer as a type; None if no type is meant."""
    if isinstance(form, Structured):
        return form
    if _plain_format(form) is not None:
        return None
    if isinstance(form, ResponseFormat):
        return Structured(
            form.schema, name=form.name, description=form.description, strict=form.strict
        )
    return Structured(form)


def _fields(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the request fields among keywords, with all options in one."""
    fields = {name: settings[name] for name in _FIELDS if name in settings}
    options = {name: value for name, value in settings.items() if name in OPTIONS}
    if options:
        fields["options"] = Options.of(options)
    if "tool_choice" in fields:
        fields["tool_choice"] = ToolChoice.of(fields["tool_choice"])
    return fields


def _weight(target: ModelTarget, question: Question) -> float:
    """Return how much is lost with this model; inf if the request cannot be written for it."""
    try:
        out = target.write(question.request, question.structured, question.way)
    except WriteError:
        return float("inf")
    return float(sum(_COSTS[loss.weight] for loss in out.losses))


_COSTS: dict[Weight, int] = {"trivial": 0, "minor": 1, "major": 100}
