"""toolConfig of a request, read as a choice among the tools, and said again.

Reference: Gemini API, "FunctionCallingConfig".
"""

from __future__ import annotations

from ...jsontext import JsonObject
from ...message import ToolChoice
from .config import calling_config

__all__ = ["CALLING", "read_choice", "say_choice"]

CALLING = "functionCallingConfig"
_MODES = {"AUTO": "auto", "NONE": "none", "ANY": "required", "VALIDATED": "auto"}
_NAMES = "allowedFunctionNames"


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """The choice that the body asks for; what it does not say stays in the body."""
    config = rest.get("toolConfig")
    calling = config.get(CALLING) if isinstance(config, dict) else None
    told = calling.get("mode") if isinstance(calling, dict) else None
    mode = _MODES.get(told.upper()) if isinstance(told, str) else None
    if mode is None or calling is None or not isinstance(told, str):
        return None
    listed = calling.get(_NAMES)
    named = isinstance(listed, list) and all(isinstance(one, str) and one for one in listed)
    names = tuple(listed) if named and told.upper() in ("ANY", "VALIDATED") else ()
    del calling["mode"]
    if names:
        del calling[_NAMES]
    made = ToolChoice("tool", names[0]) if mode == "required" and len(names) == 1 else None
    made = made or ToolChoice(mode, allowed=names)  # type: ignore[arg-type]  # one of the modes
    if told != calling_config(made)["mode"]:
        notes["mode"] = told
        if told.upper() == "VALIDATED":  # calls that keep to their schemas, where there are any
            notes["words"] = [f"toolConfig.{CALLING}.mode"]
    return made


def say_choice(body: JsonObject, choice: ToolChoice, mode: str | None) -> None:
    """Put the choice where it stood, under the `mode` as it was spelled."""
    said = calling_config(choice)
    if mode is not None:
        said["mode"] = mode
    config = body.get("toolConfig") or {}
    body["toolConfig"] = {**config, CALLING: {**(config.get(CALLING) or {}), **said}}
