"""Python that a model may call: functions, and types whose fields are the arguments.

The schema comes from signature and docstring (`message.python_types`); pydantic converts what the
model wrote into the types that the function declares. Only `Toolkit` runs calls.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, update_wrapper
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeVar,
    get_type_hints,
    overload,
)

from ..errors import InvalidMessage, InvalidOutput
from ..message import Msg, Parameter, Tool, ToolUseBlock, Usage
from ..message.python_types import context_parameter, function_schema, type_schema
from ..schema import check_arguments, repair_arguments
from ..schema.typed import keep_to_schema, type_adapter, typed_value
from ..suggestions.import_names import OF_FUNCTIONS, explains_attributes
from ..text.json_text import Json, JsonObject
from ..text.redaction import show

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D")
Errors: TypeAlias = Literal["report", "hide", "raise"]


@dataclass(frozen=True, slots=True)
class ToolContext(Generic[D]):
    """What a tool can know of the program and the run that its call belongs to.

        @tool
        def balance(ctx: ToolContext[Bank]) -> int:
            return ctx.deps.balance(ctx.call.id)

    A parameter with this annotation is filled in by the program, and is not part of the schema for
    the model.

    Attributes:
        deps: What the program provides: a database, the user who is logged in.
        call: The call that runs. Its `id` is chosen by the model and may occur twice.
        messages: The conversation so far, the message with the call last.
        agent: The name of the agent; empty if a Toolkit runs without one.
        step: How many answers the model has given in this run.
        usage: The tokens of this run so far.
    """

    IS_CONTEXT: ClassVar[bool] = True  # for `message.python_types.context_parameter`

    deps: D
    call: ToolUseBlock
    messages: Sequence[Msg] = ()
    agent: str = ""
    step: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def message(self) -> Msg | None:
        """The newest message of the user, None if there is none."""
        return next((msg for msg in reversed(self.messages) if msg.role == "user"), None)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> dict[str, Any]:
        """Accept any value, as none of them comes from a model."""
        return {"type": "any"}


@explains_attributes(OF_FUNCTIONS)
class FunctionTool(Generic[P, R]):
    """A function that a model may call. It can still be called as the function.

    The attribute `tool` is the description for the model. It is computed at the first access, which
    raises InvalidMessage for a parameter without a schema, and ConfigError if a library is missing.

    Args:
        function: The function, sync or async, or another FunctionTool.
        name: The name; None is the function's.
        description: What it does; None is the function's docstring.
        parameters: A JSON Schema or a list of Parameter; None derives it from the signature. A
            parameter that is annotated as `ToolContext` is never part of it.
        strict: Whether the provider enforces the schema; None uses its default.
        timeout: Seconds that a call may take; None is the Toolkit's.
        preset: Arguments that the model neither sees nor sets.
        errors: What happens with an exception: the model gets it (`report`), the model gets no
            details (`hide`), or it ends the run as a ToolFailed (`raise`); None is the Toolkit's.
        max_output: The most characters of a result; None is the Toolkit's.
        ends_turn: Whether the result is the reply of the agent, without another call of the model.
    """

    __name__: str
    function: Callable[P, R]
    timeout: float | None
    errors: Errors | None
    max_output: int | None
    ends_turn: bool
    preset: dict[str, Any]
    _given: dict[str, Any]  # settings that replace those derived from the function

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: JsonObject | Sequence[Parameter] | None = None,
        strict: bool | None = None,
        timeout: float | None = None,
        preset: Mapping[str, Any] | None = None,
        errors: Errors | None = None,
        max_output: int | None = None,
        ends_turn: bool | None = None,
    ) -> None:
        if not callable(function):
            name = show(function) if isinstance(function, str) else "..."
            hint = f"@tool(name={name}), or @tool alone, in front of a function"
            fault = f"{type(function).__name__} is no function"
            raise InvalidMessage(fault, path="$.tools", code="tool.type", hint=hint)
        said = {
            "name": name,
            "description": description,
            "parameters": parameters,
            "strict": strict,
        }
        given = {key: value for key, value in said.items() if value is not None}
        if isinstance(function, FunctionTool):  # the same function with other settings
            given = {**function._given, **given}
            timeout = function.timeout if timeout is None else timeout
            errors = function.errors if errors is None else errors
            max_output = function.max_output if max_output is None else max_output
            ends_turn = function.ends_turn if ends_turn is None else ends_turn
            preset = {**function.preset, **(preset or {})}
            function = function.function
        self.function = function
        self.timeout = timeout
        self.errors = errors
        self.max_output = max_output
        self.ends_turn = bool(ends_turn)
        self.preset = dict(preset or {})
        self._given = given
        update_wrapper(self, function, updated=())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself, without checks."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> FunctionTool[..., R]:
        """Return the tool of an object, if the function is a method."""
        if instance is None:
            return self
        bound: Callable[..., R] = partial(self.function, instance)  # type: ignore[arg-type]  # self
        if hasattr(self.function, "__get__"):
            bound = self.function.__get__(instance, owner)
        return FunctionTool(bound, **self._settings)

    @property
    def _settings(self) -> dict[str, Any]:
        return {
            **self._given,
            "timeout": self.timeout,
            "preset": self.preset,
            "errors": self.errors,
            "max_output": self.max_output,
            "ends_turn": self.ends_turn,
        }

    def __repr__(self) -> str:
        return f"FunctionTool({getattr(self.function, '__qualname__', self.function)!s})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle by name if a module has it under its name, as functions are; else by its state."""
        found: Any = sys.modules.get(getattr(self, "__module__", None) or "")
        name = getattr(self, "__qualname__", "")
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return name
        create = partial(FunctionTool, **self._settings)
        return create, (self.function,)

    @property
    def is_async(self) -> bool:
        """Whether calling it returns an awaitable."""
        function: Any = self.function
        while isinstance(function, partial):
            function = function.func
        call = getattr(function, "__call__", None)  # noqa: B004  # of an object
        return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)

    @cached_property
    def tool(self) -> Tool:
        """The description for the model."""
        given = self._given
        if "parameters" in given:
            own: Any = getattr(self.function, "__name__", type(self.function).__name__)
            about = inspect.getdoc(self.function) or ""
            made = Tool(**{"name": own, "description": about, **given})
            check_arguments(
                made, {}
            )  # reports now, and not at the first call, what is wrong or missing
            return made
        described = function_schema(self._stand_in, "$.tools")
        said = {"name": described.name, "description": described.description, **given}
        return Tool(**said, parameters=described.schema)

    @cached_property
    def context(self) -> str | None:
        """The parameter that takes a ToolContext, if there is one."""
        return context_parameter(self.function)

    @cached_property
    def _adapter(self) -> Any:
        return type_adapter(self._stand_in)

    @cached_property
    def _stand_in(self) -> Callable[..., dict[str, Any]]:
        """Return a function with the parameters that a model sets, which returns its arguments."""
        hidden = {*self.preset, self.context}
        return _stand_in(self.function, self._given.get("name"), hidden)

    def parse(self, call: ToolUseBlock) -> dict[str, Any]:
        """Return the keyword arguments of a call, converted to the types of the function.

        Args:
            call: The call.

        Returns:
            The arguments by name.

        Raises:
            InvalidOutput: Arguments do not fit; the error has the path of each.
        """
        values = read_arguments(call, self.tool)
        if "parameters" in self._given:
            keep_to_schema(self.tool, values, _what(call), call.raw_input or "")
            return {**values, **self.preset}
        typed: dict[str, Any] = typed_value(
            self._adapter, values, _what(call), call.raw_input or ""
        )
        return {**typed, **self.preset}


class TypeTool:
    """A type as a tool: a call of it is its arguments, as an instance of the type.

    It takes a pydantic model, a dataclass or a TypedDict.
    """

    timeout: float | None = None
    errors: Errors | None = None
    max_output: int | None = None
    ends_turn = False

    def __init__(self, of: type[Any]) -> None:
        self.type = of
        self.tool = Tool(*type_schema(of, "$.tools"))
        self._adapter = type_adapter(of)

    def __reduce__(self) -> tuple[Any, ...]:
        return TypeTool, (self.type,)

    def parse(self, call: ToolUseBlock) -> Any:
        """Return the instance that a call describes.

        Args:
            call: The call.

        Returns:
            An instance of the type.

        Raises:
            InvalidOutput: Arguments do not fit; the error has the path of each.
        """
        values = read_arguments(call, self.tool)
        return typed_value(self._adapter, values, _what(call), call.raw_input or "")


def read_arguments(call: ToolUseBlock, tool: Tool) -> dict[str, Any]:
    """Return the arguments of a complete call, with obvious slips repaired.

    Raises:
        InvalidOutput: The answer broke off in the call, or the arguments are not a JSON object.
    """
    text = call.raw_input or ""
    values: Json = call.input
    if call.unfinished:
        fault = f"{_what(call)} is not whole: the answer ended inside it, and nothing was run"
        raise InvalidOutput(fault, text=text, code="output.unfinished", hint="call it again")
    values, _ = repair_arguments(tool, values)
    if not isinstance(values, dict):
        fault = f"{_what(call)} is no JSON object"
        raise InvalidOutput(fault, text=text, code="output.json", hint="call it again with one")
    return values


def _what(call: ToolUseBlock) -> str:
    return f"the input of {call.name}"


def _stand_in(
    function: Callable[..., Any], name: str | None, hidden: Collection[str | None]
) -> Callable[..., dict[str, Any]]:
    named: Any = function.func if isinstance(function, partial) else function
    title = getattr(named, "__name__", "") or type(named).__name__
    if not inspect.isroutine(named):
        function = named = named.__call__  # of a callable object
    if name is not None and not title.isidentifier():
        title = "function"  # a lambda with an explicit name

    def record(**arguments: Any) -> dict[str, Any]:
        return arguments

    try:
        hints = get_type_hints(named, include_extras=True)
        signature = inspect.signature(function)
    except (NameError, TypeError, ValueError) as error:
        fault = f"the parameters of {title} cannot be read: {error}"
        hint = "annotate with names of the module, or give `parameters`"
        raise InvalidMessage(fault, path="$.tools", code="tool.type", hint=hint) from error
    parameters = [
        parameter.replace(annotation=hints.get(parameter.name, parameter.annotation))
        for parameter in signature.parameters.values()
        if parameter.name not in hidden
    ]
    record.__name__ = record.__qualname__ = title
    record.__doc__ = inspect.getdoc(named)
    record.__module__ = getattr(named, "__module__", None) or __name__
    record.__annotations__ = {
        parameter.name: parameter.annotation
        for parameter in parameters
        if parameter.annotation is not parameter.empty
    }
    record.__dict__["__signature__"] = inspect.Signature(parameters)
    return record


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: JsonObject | Sequence[Parameter] | None = None,
    strict: bool | None = None,
    timeout: float | None = None,
    errors: Errors | None = None,
    max_output: int | None = None,
    ends_turn: bool | None = None,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    parameters: JsonObject | Sequence[Parameter] | None = None,
    strict: bool | None = None,
    timeout: float | None = None,
    errors: Errors | None = None,
    max_output: int | None = None,
    ends_turn: bool | None = None,
) -> Any:
    """Turn a function, sync or async, into a tool: `@tool`, or `@tool(name=..., timeout=...)`.

    >>> @tool
    ... def double(n: int) -> int:
    ...     '''Twice the number.'''
    ...     return 2 * n
    >>> double(4), double.tool.description
    (8, 'Twice the number.')

    Args:
        function: The function; None returns a decorator.
        name: The name; None is the function's.
        description: What it does; None is the function's docstring.
        parameters: A JSON Schema or a list of Parameter; None derives it from the signature.
        strict: Whether the provider enforces the schema; None uses its default.
        timeout: Seconds that a call may take; None is the Toolkit's.
        errors: What happens with an exception: `report`, `hide` or `raise`; None is the Toolkit's.
        max_output: The most characters of a result; None is the Toolkit's.
        ends_turn: Whether the result is the reply of the agent, without another call of the model.

    Returns:
        The tool, or a decorator.
    """
    if function is not None:
        return FunctionTool(function)
    return partial(
        FunctionTool,
        name=name,
        description=description,
        parameters=parameters,
        strict=strict,
        timeout=timeout,
        errors=errors,
        max_output=max_output,
        ends_turn=ends_turn,
    )
