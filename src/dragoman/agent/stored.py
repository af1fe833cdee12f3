"""The state of an agent as plain JSON, and the reader that checks every value of it.

A stored state may be damaged, or written by an attacker: it is taken only if all of it has the
right shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from hashlib import blake2b
from json import dumps
from typing import Any, TypeAlias, get_args

from ..errors import InvalidMessage
from ..message import Msg, ToolResultBlock, ToolUseBlock, Usage
from ..model import Cost
from .run import Finish, Reason, Run, build_error_result

STATE_VERSION = 2
_MOST = 2**53  # far above any real count, and exact in every JSON library
_UNKNOWN = "which of several calls with this id had this result is not known"
_USAGE = (
    "input",
    "cache_read",
    "cache_write",
    "output",
    "reasoning",
    "audio_in",
    "audio_out",
    "total",
)
_DOLLARS = ("input", "output", "other")

State: TypeAlias = tuple[str, str | None, list[Msg], Run | None]


def dump_state(
    name: str, sys_prompt: str | None, messages: Sequence[Msg], run: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return a state of the current version."""
    value = {
        "name": name,
        "sys_prompt": sys_prompt,
        "messages": [msg.to_dict() for msg in messages],
        "run": run,
    }
    return {"dragoman": STATE_VERSION, "kind": "agent", "value": value}


def load_state(state: Any) -> State:
    """Read what `dump_state` returned, in this version or an earlier one.

    Raises:
        InvalidMessage: It is not a state, or one of a newer version.
    """
    if not isinstance(state, Mapping) or state.get("kind") != "agent":
        raise _wrong("this is no state of an agent", "$")
    version = _count(state.get("dragoman"), "$.dragoman")
    if version not in range(1, STATE_VERSION + 1):
        fault, hint = "this version of a state is not known", "read it with a newer release"
        raise InvalidMessage(fault, path="$.dragoman", hint=hint, code="stored.version")
    _fields(state, "$", {"dragoman", "kind", "value"})
    value = state["value"]
    _fields(value, "$.value", {"name", "sys_prompt", "messages", "run"})
    messages = _messages(value["messages"], "$.value.messages")
    calls = messages[-1].calls if messages and messages[-1].role == "assistant" else []
    sys_prompt = value["sys_prompt"]
    return (
        _text(value["name"], "$.value.name"),
        None if sys_prompt is None else _text(sys_prompt, "$.value.sys_prompt"),
        messages,
        load_run(value["run"], calls, "$.value.run"),
    )


def dump_run(run: Run, calls: Sequence[ToolUseBlock]) -> dict[str, Any]:
    """Return a run as plain JSON; `calls` are the open ones."""
    keys = run.key_calls(calls)
    usage = {name: getattr(run.usage, name) for name in _USAGE}
    return {
        "id": run.id,
        "steps": run.steps,
        "seconds": run.seconds,
        "repairs": run.repairs,
        "estimated": run.estimated,
        "done": run.done,
        "finish": run.finish,
        "cost": None if run.cost is None else _cost_parts(run.cost),
        "usage": {name: value for name, value in usage.items() if value is not None},
        "started": [key for key in run.started if key in keys],
        "allowed": [key for key in run.allowed if key in keys],
        "ended": [key for key in run.ended if key in keys],
        "results": {key: msg.to_dict() for key, msg in run.results.items() if key in keys},
        "later": [msg.to_dict() for msg in run.later],
    }


def load_run(data: Any, calls: Sequence[ToolUseBlock], path: str = "$.run") -> Run | None:
    """Read the run that `dump_run` returned; None is no run.

    Raises:
        InvalidMessage: It is not a run, or not one of these calls.
    """
    if data is None:
        return None
    old = isinstance(data, Mapping) and "id" not in data
    if old:
        data = {**data, "ended": [], "estimated": 0}
    if isinstance(data, Mapping) and "finish" not in data:  # of an older release
        data = {**data, "finish": "done"}
    _fields(data, path, {*_READERS} if old else {"id", *_READERS})
    read = {name: reader(data[name], f"{path}.{name}") for name, reader in _READERS.items()}
    if old:  # version 1 used the model's own ids as keys
        seed = dumps([data["steps"], [[call.id, call.name, call.raw_input] for call in calls]])
        run = Run(id=blake2b(seed.encode("utf-8", "replace"), digest_size=4).hexdigest(), **read)
        _rename(run, calls)
    else:
        run = Run(id=_text(data["id"], f"{path}.id"), **read)
    keys = run.key_calls(calls)
    for name in ("started", "allowed", "ended", "results"):
        if strange := [key for key in getattr(run, name) if key not in keys]:
            raise _wrong(f"no open call has the key {strange[0]!r}", f"{path}.{name}")
    for key, msg in run.results.items():
        if [block.id for block in msg.blocks if isinstance(block, ToolResultBlock)] != [
            keys[key].id
        ]:
            raise _wrong("this is not the result of its call", f"{path}.results")
    return run


def _rename(run: Run, calls: Sequence[ToolUseBlock]) -> None:
    """Replace the ids of calls by keys.

    Where several calls have one id, none of them is allowed, and none gets the result of another.
    """
    ids = [call.id for call in calls]
    for name in ("started", "allowed", "results"):
        if strange := [id for id in getattr(run, name) if id not in ids]:
            raise _wrong(f"no open call has the id {strange[0]!r}", f"$.run.{name}")
    keys = run.key_calls(calls)
    alone = {key: ids.count(call.id) == 1 for key, call in keys.items()}
    run.started = [key for key, call in keys.items() if call.id in run.started]
    run.allowed = [key for key, call in keys.items() if call.id in run.allowed and alone[key]]
    run.results = {
        key: run.results[call.id] if alone[key] else build_error_result(call, _UNKNOWN)
        for key, call in keys.items()
        if call.id in run.results
    }


# -- single values ---------------------------------------------------------------------------------


def _wrong(fault: str, path: str) -> InvalidMessage:
    hint = "give what agent.state() gave, as it was"
    return InvalidMessage(fault, path=path, hint=hint, code="stored.type")


def _fields(value: Any, path: str, names: set[str]) -> None:
    if not isinstance(value, Mapping):
        raise _wrong(f"must be an object, not {type(value).__name__}", path)
    if missing := sorted(names - set(value)):
        raise _wrong(f"{missing[0]} is missing: this is no state of an agent, or part of one", path)
    if len(value) != len(names):
        raise _wrong("has a field that no state has", path)


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise _wrong(f"must be text, not {type(value).__name__}", path)
    return value


def _count(value: Any, path: str) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise _wrong("must be a count: a whole number, not below 0", path)
    return value


def _seconds(value: Any, path: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise _wrong("must be a number of seconds, not below 0", path)
    return float(value)


def _flag(value: Any, path: str) -> bool:
    if type(value) is not bool:
        raise _wrong("must be true or false", path)
    return value


def _cost_parts(cost: Cost) -> dict[str, str]:
    return {**{name: str(getattr(cost, name)) for name in _DOLLARS}, "source": cost.source}


def _finish(value: Any, path: str) -> Finish:
    known = ("done", *get_args(Reason))
    if value not in known:
        raise _wrong(f"must be one of {', '.join(known)}", path)
    finish: Finish = value
    return finish


def _cost(value: Any, path: str) -> Cost | None:
    if value is None:
        return None
    if isinstance(value, str):  # version 1
        return Cost(other=_dollars(value, path))
    _fields(value, path, {*_DOLLARS, "source"})
    dollars: dict[str, Any] = {name: _dollars(value[name], f"{path}.{name}") for name in _DOLLARS}
    return Cost(source=_text(value["source"], f"{path}.source"), **dollars)


def _dollars(value: Any, path: str) -> Decimal:
    try:
        dollars = Decimal(_text(value, path))
    except InvalidOperation:
        dollars = Decimal("NaN")
    if not dollars.is_finite() or dollars < 0:
        raise _wrong("must be US dollars as text, not below 0", path)
    return dollars


def _usage(value: Any, path: str) -> Usage:
    if not isinstance(value, Mapping) or not set(value) <= {*_USAGE}:
        raise _wrong(f"must be an object with some of {', '.join(_USAGE)}", path)
    counts: dict[str, Any] = {name: _count(one, f"{path}.{name}") for name, one in value.items()}
    return Usage(**counts)


def _list(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(f"must be a list, not {type(value).__name__}", path)
    return value


def _texts(value: Any, path: str) -> list[str]:
    return [_text(one, f"{path}[{nth}]") for nth, one in enumerate(_list(value, path))]


def _message(value: Any, path: str) -> Msg:
    try:
        return Msg.from_dict(value, path)
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _wrong("this is no message", path) from error


def _messages(value: Any, path: str) -> list[Msg]:
    return [_message(one, f"{path}[{nth}]") for nth, one in enumerate(_list(value, path))]


def _results(value: Any, path: str) -> dict[str, Msg]:
    if not isinstance(value, Mapping):
        raise _wrong(f"must be an object, not {type(value).__name__}", path)
    return {_text(key, path): _message(one, f"{path}.{key}") for key, one in value.items()}


_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "steps": _count,
    "seconds": _seconds,
    "repairs": _count,
    "estimated": _count,
    "done": _flag,
    "finish": _finish,
    "usage": _usage,
    "cost": _cost,
    "started": _texts,
    "allowed": _texts,
    "ended": _texts,
    "results": _results,
    "later": _messages,
}
