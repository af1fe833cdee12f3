"""What had another name before 0.1.0: the old one works for one release, and warns.

Modules, what they list, attributes, arguments, codes of losses and values of capabilities: tables,
and what reads them.

`dragoman.token` had the name of a module of the standard library: Python started in the package's
folder imported ours in its place.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field
from functools import wraps
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from inspect import getattr_static
from types import FrameType, MemberDescriptorType, ModuleType
from typing import Any, TypeVar

# old name -> new name, both below `dragoman`
OLD_MODULES = {
    "envelope": "sealed_state",
    "interop": "agent_logs",
    "playground": "page",
    "rewrite": "history",
    "sse": "stream.framing",
    "structured": "structured_output",
    "study": "analysis",
    "token": "tokens",
    "gateway.asgi": "gateway.server.asgi",
    "gateway.keys": "gateway.config.client_keys",
    "gateway.settings": "gateway.config.read_toml",
    "gateway.config.settings": "gateway.config.read_toml",
}


# module -> old name of a function or class in it -> new name
OLD_NAMES: dict[str, dict[str, str]] = {
    "analysis": {"hashed": "hash_conversation"},
    "capabilities": {"changes_of": "read_changes"},
    "formatter": {"Told": "Wording"},
    "history.truncate": {
        "Asked": "StrategyCall",
        "Made": "Replacement",
        "left_out": "find_omitted",
        "replaced": "find_replacements",
        "strategic": "check_strategy",
    },
    "llm": {"llm_of": "to_llm", "pair_of": "to_pair", "request_of": "to_request"},
    "message": {
        "messages_of": "check_messages",
        "request_of": "check_request",
        "tools_of": "to_tools",
    },
    "model": {"paired": "pair_model"},
    "page": {"exported": "export_page"},
    "schema": {
        "Lowered": "LoweredSchema",
        "checked": "check_arguments",
        "lowered": "lower_schema",
        "lowered_once": "lower_once",
        "repaired": "repair_arguments",
    },
    "sealed_state": {
        "Made": "OnCopy",
        "borne": "find_envelope",
        "opened": "open_messages",
        "sealed": "seal_message",
    },
    "toolkit": {"toolkit_of": "to_toolkit"},
}

# class -> old name of a method, a property or a field -> new name
OLD_ATTRIBUTES: dict[str, dict[str, str]] = {
    "About": {"listed": "lists", "named": "mentions"},
    "AnswerFormatter": {"named": "name_answer"},
    "AsRead": {"grown": "has_grown", "kept": "list_unchanged"},
    "Change": {"told": "is_described"},
    "Code": {"weight_of": "weigh"},
    "Config": {"route_of": "find_route"},
    "Cut": {"made": "replacements"},
    "Dialect": {"issuers": "reads_items_of", "said": "assistant_text"},
    "DropOldest": {"dropped": "plan_cut"},
    "Exchange": {"rendered": "render"},
    "Fact": {"source_of": "find_source"},
    "Facts": {"pinned": "at_date", "source_of": "find_source"},
    "IdRule": {"formed": "matches_form"},
    "Judgement": {"told": "format_faults"},
    "Keeping": {"pinned": "find_pinned"},
    "ModelFacts": {"known": "list_facts"},
    "Msg": {"trusted": "create_unchecked"},
    "NamedFormatter": {"told": "wording"},
    "Options": {"given": "list_values"},
    "Receipt": {"told": "summarized"},
    "Replacement": {"of": "originals"},
    "Replay": {"left": "remaining"},
    "Report": {
        "derive": "record_copy",
        "each": "add_losses",
        "foreign": "add_extras_losses",
        "lost": "add_loss",
        "made": "record_copy",
        "place": "locate_loss",
        "placed": "set_place",
        "take": "include_new",
        "touched": "note_edit",
    },
    "SchemaDialect": {"allowed": "allows"},
    "Scripted": {"left": "remaining"},
    "ServerTool": {"given": "list_values"},
    "Timeouts": {"left": "remaining"},
    "TruncatedFormatterBase": {"limited": "with_limit"},
    "Vendor": {"auth_of": "find_auth"},
    "Written": {
        "bound": "make_prefix",
        "detached": "detach",
        "left": "make_residue",
        "meant": "original_tools",
        "sourced": "walk_sources",
    },
}

# function, method by its new name, or class that is called -> an argument's old name -> new name
OLD_ARGUMENTS: dict[str, dict[str, str]] = {
    "Cut": {"made": "replacements"},
    "Dialect": {"issuers": "reads_items_of", "said": "assistant_text"},
    "Receipt": {"told": "summarized"},
    "Replacement": {"of": "originals"},
    "WireFormatter": {"told": "wording"},
    "LLM": {"told": "wording"},
    "include_new": {"but": "baseline"},
    "open_messages": {"made": "on_copy"},
    "record_copy": {"of": "original"},
    "seal_message": {"made": "on_copy"},
}

# code of losses -> new code; policies, options and pages take both
OLD_CODES: dict[str, str] = {
    "answer.unsaid": "answer.unsupported",
    "block.unsaid": "block.unsupported",
    "cache.unsaid": "cache.unsupported",
    "citations.unsaid": "citations.unsupported",
    "extras.foreign": "extras.other_provider",
    "extras.unsaid": "extras.unsupported",
    "format.unsaid": "format.unsupported",
    "history.told": "history.summarized",
    "id.unsaid": "id.unsupported",
    "media.type_unsaid": "media.type_unsupported",
    "model.foreign": "model.other_provider",
    "name.unsaid": "name.unsupported",
    "option.unsaid": "option.unsupported",
    "raw.foreign": "raw.other_provider",
    "schema.told": "schema.described",
    "server_tool.unsaid": "server_tool.unsupported",
    "speaker.untold": "speaker.unnamed",
    "thinking.foreign": "thinking.other_provider",
    "thinking.unsaid": "thinking.unsupported",
    "tool.foreign": "tool.other_provider",
    "tool_choice.unsaid": "tool_choice.unsupported",
    "tools.unsaid": "tools.unsupported",
    "usage.asked": "usage.requested",
    "word.foreign": "word.other_provider",
}

# code of errors -> new code; no program gives one, so that there is nothing to take
OLD_ERROR_CODES = {"seat.unsaid": "placement.unsupported"}

# key of fallbacks by kind of failure -> new key
OLD_FALLBACKS = {"untold": "unsent"}

# field of Capabilities -> old value -> new value; code, files of facts and gateway.toml take both
OLD_VALUES: dict[str, dict[str, str]] = {"thinks": {"asked": "on_request"}}

_T = TypeVar("_T")
_TEXT = "{} is {} now; the old name goes with the next release"

# they stand between us and the line of the program that used an old name
_BETWEEN = (
    f"{__package__}.", "importlib.", "dataclasses.", "functools.", "contextlib.",
    "concurrent.futures.", "types.", "typer.", "click.",
)  # fmt: skip


def warn_of_old_name(old: str, new: str) -> None:
    """Warn of an old name, on the line outside of this package that used it.

    Args:
        old: What was used.
        new: What it is called now.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_between(frame):
        frame = frame.f_back
    names = frame.f_globals
    warnings.warn_explicit(
        _TEXT.format(old, new),
        DeprecationWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__", "<string>"),
        names.setdefault("__warningregistry__", {}),
    )


def rename_value(field: str, value: Any) -> Any:
    """The value that a capability has today for one of `OLD_VALUES`, with a warning.

    Args:
        field: The name of the capability.
        value: What a program or a file gave.

    Returns:
        The value itself where it has no other name.
    """
    new = OLD_VALUES.get(field, {}).get(value) if isinstance(value, str) else None
    if new is None:
        return value
    warn_of_old_name(f"{field}={value!r}", f"{field}={new!r}")
    return new


def _is_between(frame: FrameType) -> bool:
    """Whether a frame is this package's, or of what calls it for a program's line."""
    module: str = frame.f_globals.get("__name__", "")
    code = frame.f_code.co_filename
    return f"{module}.".startswith(_BETWEEN) or code.startswith("<frozen ")


def _is_looked_for() -> bool:
    """Whether the import system asks if a package has a name, before it imports it from there."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and f"{frame.f_globals.get('__name__')}.".startswith(_BETWEEN[0]):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "importlib._bootstrap"


def renamed_module(name: str) -> ModuleType:
    """The module that `dragoman.NAME` was, with a warning where it is used.

    Args:
        name: A key of `OLD_MODULES`.

    Returns:
        The module of the new name.
    """
    new = f"{__package__}.{OLD_MODULES[name]}"
    if not _is_looked_for():
        warn_of_old_name(f"{__package__}.{name}", new)
    return import_module(new)


def find_renamed(module: str, name: str) -> Any:
    """What a public module had under an old name, with a warning where it is used.

    Args:
        module: The full name of the module.
        name: The name that it does not have.

    Returns:
        The function or class of the new name, which takes the old names of its arguments; None
        where the name is none of `OLD_NAMES`.
    """
    new = OLD_NAMES.get(module.removeprefix(f"{__package__}."), {}).get(name)
    if new is None:
        return None
    if not _is_looked_for():
        warn_of_old_name(f"{module}.{name}", f"{module}.{new}")
    value = getattr(import_module(module), new)
    return _take_old_arguments(value) if new in OLD_ARGUMENTS and new[0].islower() else value


def rename_arguments(owner: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords under the names that arguments have now, with a warning for each old one.

    Args:
        owner: A key of `OLD_ARGUMENTS`.
        keywords: What a program gave.

    Returns:
        A new dict; what is no old name stays.

    Raises:
        TypeError: Both names of one argument were given.
    """
    names = OLD_ARGUMENTS[owner]
    if names.keys().isdisjoint(keywords):
        return dict(keywords)
    renamed: dict[str, Any] = {}
    for name, value in keywords.items():
        new = names.get(name, name)
        if new != name:
            warn_of_old_name(f"{owner}({name}=)", f"{owner}({new}=)")
            if new in keywords:
                raise TypeError(f"{owner} got {new} twice: {name} is its old name")
        renamed[new] = value
    return renamed


def _take_old_arguments(function: Callable[..., _T]) -> Callable[..., _T]:
    @wraps(function)
    def call(*args: Any, **keywords: Any) -> _T:
        return function(*args, **rename_arguments(function.__name__, keywords))

    return call


class HiddenAttribute:
    """Stands in a class where `dir` lists no attribute."""


class _OldAttribute(HiddenAttribute):
    """Stands in a class under an old name; costs nothing until somebody asks for it.

    Args:
        owner: The class.
        old: The old name.
        new: The new one.
        start: Where a call of this object looks up the new name; None for the class.
    """

    def __init__(self, owner: type[object], old: str, new: str, start: object = None) -> None:
        self.owner, self.old, self.new = owner, old, new
        self.start = owner if start is None else start
        self.__doc__ = f"The old name of `{new}`."

    def __get__(self, instance: object, owner: type[object]) -> Any:
        if instance is None:  # whoever lists a class uses nothing of it
            if sys._getframe(1).f_globals.get("__name__") == "dataclasses":
                raise AttributeError(self.old)  # it would be the default of a subclass's own field
            start = self._start(owner, owner)
            return (
                self if start is self.start else type(self)(self.owner, self.old, self.new, start)
            )
        self._warn()
        return self._find(self._start(instance, owner))

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Call what the class has under the new name: a method that is not bound, or a class's."""
        self._warn()
        return self._find(self.start)(*args, **keywords)

    def _find(self, start: Any) -> Any:
        """Return what there is under the new name; a method takes the old names of arguments."""
        value = getattr(start, self.new)
        return _take_old_arguments(value) if self.new in OLD_ARGUMENTS else value

    def _start(self, asked: object, owner: type[object]) -> Any:
        """Return what was asked, or its `super()`: that alone passes an override over."""
        before = owner.__mro__[: owner.__mro__.index(self.owner)]
        if any(self.old in vars(one) for one in before):
            return super(before[-1], asked)
        return asked

    def _warn(self) -> None:
        warn_of_old_name(f"{self.owner.__name__}.{self.old}", self.new)


class _OldField(_OldAttribute):
    """The old name of a field that can be set; a subclass may have such a field of its own."""

    def __get__(self, instance: object, owner: type[object]) -> Any:
        if instance is None or not self._is_own(instance):
            return super().__get__(instance, owner)
        try:
            return vars(instance)[self.old]
        except KeyError:
            raise AttributeError(self.old) from None

    def __set__(self, instance: object, value: object) -> None:
        if self._is_own(instance):
            vars(instance)[self.old] = value
            return
        self._warn()
        setattr(instance, self.new, value)

    def _is_own(self, instance: object) -> bool:
        return self.old in getattr(type(instance), "__dataclass_fields__", ())


def keeps_old_names(cls: type[_T]) -> type[_T]:
    """Have a class answer to `OLD_ATTRIBUTES`, and take `OLD_ARGUMENTS`.

    What a subclass sets under an old name counts under the new one, with a warning. Of several
    classes of one name, such as the dialects, an old name is in those that have the new one.
    """
    name = cls.__name__
    fields: Mapping[str, object] = getattr(cls, "__dataclass_fields__", {})
    listed = {*dir(cls), *fields}
    names = {old: new for old, new in OLD_ATTRIBUTES.get(name, {}).items() if new in listed}
    for old, new in names.items():
        setattr(cls, old, _stand_in(cls, old, new))
    if names:
        _watch_subclasses(cls, names)
        _hide(cls, names)
    if name in OLD_ARGUMENTS:
        made_by = "__new__" if issubclass(cls, tuple) else "__init__"
        function: Callable[..., Any] = getattr(cls, made_by)

        @wraps(function)
        def make(self: Any, *args: Any, **keywords: Any) -> Any:
            return function(self, *args, **rename_arguments(name, keywords))

        setattr(cls, made_by, staticmethod(make) if made_by == "__new__" else make)
    return cls


def list_current_names(cls: type[object], names: Iterable[str]) -> list[str]:
    """The names of a class without those that stand for another one.

    Args:
        cls: The class.
        names: What `dir` has of it, or of an instance.
    """
    return [one for one in names if not isinstance(getattr_static(cls, one, None), HiddenAttribute)]


def _stand_in(cls: type[object], old: str, new: str) -> _OldAttribute:
    parameters = getattr(cls, "__dataclass_params__", None)
    is_fixed = issubclass(cls, tuple) or (parameters is not None and parameters.frozen)
    can_be_set = _kind(getattr_static(cls, new, MISSING)) == "field" and not is_fixed
    return (_OldField if can_be_set else _OldAttribute)(cls, old, new)


def _kind(value: object) -> str:
    """What stands in a class: a `method` or property, a `field` of instances, or a `value`."""
    if value is MISSING or isinstance(value, (MemberDescriptorType, Field)):
        return "field"
    return "method" if callable(value) or hasattr(type(value), "__get__") else "value"


def _watch_subclasses(cls: Any, names: Mapping[str, str]) -> None:
    own = vars(cls).get("__init_subclass__")

    def prepare(subclass: type[object], /, **keywords: Any) -> None:
        for old, new in names.items():
            _move_override(cls, subclass, old, new)
        if own is None:
            super(cls, subclass).__init_subclass__(**keywords)
        else:
            own.__func__(subclass, **keywords)

    cls.__init_subclass__ = classmethod(prepare)


def _move_override(cls: type[object], subclass: type[object], old: str, new: str) -> None:
    """Put what a subclass sets under an old name under the new one, with a warning."""
    found = vars(subclass).get(old, MISSING)
    if found is MISSING:
        if new not in vars(subclass):
            return
    elif not isinstance(found, _OldAttribute):  # one is, where a dataclass is built anew with slots
        kind = _kind(found)
        if kind == "field" or kind != _kind(getattr_static(cls, new, MISSING)):
            return  # something of its own
        if new not in vars(subclass):
            warn_of_old_name(f"{subclass.__name__}.{old}", new)
            setattr(subclass, new, found)
    setattr(subclass, old, _stand_in(subclass, old, new))  # `super()` can be told from `self`


def _hide(cls: Any, names: Mapping[str, str]) -> None:
    list_all = cls.__dir__

    def list_names(self: object) -> list[str]:
        listed = list(list_all(self))
        own = getattr(self, "__dict__", {})
        current = {*list_current_names(type(self), names.keys() - own.keys()), *own}
        return [one for one in listed if one not in names or one in current]

    list_names.__doc__ = "The names of an instance, but for old ones."
    cls.__dir__ = list_names


class _Alias(Loader):
    """Loads the module of the new name in place of one that is imported by its old name."""

    def __init__(self, new: str) -> None:
        self.new = new

    def exec_module(self, module: ModuleType) -> None:
        """Import the module of the new name, warn, and register it under the old name.

        Args:
            module: The empty module that the import system created; it is not used.
        """
        warn_of_old_name(module.__name__, self.new)
        sys.modules[module.__name__] = import_module(self.new)


class OldNames(MetaPathFinder):
    """Finds the modules of `OLD_MODULES`, and the modules below them.

    This finder comes first in `sys.meta_path`. A later one would load the files of a new folder a
    second time, under the old name.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of an old name, or None for any other name.

        Args:
            fullname: The dotted name of the module that is imported.
            path: Where the parent package looks; not used.
            target: A module that is reloaded; not used.

        Returns:
            A spec whose loader imports the module of the new name, or None.
        """
        package, _, name = fullname.partition(".")
        if package != __package__:
            return None
        old = next((one for one in OLD_MODULES if f"{name}.".startswith(f"{one}.")), None)
        if old is None:
            return None
        new = f"{package}.{OLD_MODULES[old]}{name.removeprefix(old)}"
        return ModuleSpec(fullname, _Alias(new))
