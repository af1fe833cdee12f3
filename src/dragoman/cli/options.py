"""The options of the commands, and the values that they give. Independent of single commands.

An option that several commands have means the same in each.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from ..capabilities import Facts as FactsValue
from ..capabilities.families.earlier_facts import PROFILES
from ..errors import ReadError
from ..history.speakers import ByName, ByRole, NameField, Rewrite, Tagged
from ..llm.facts_file import facts as read_facts
from ..losses import Policy
from ..losses import policy as policy_of
from ..message import Options
from ..message.options import OPTIONS
from ..suggestions.keywords import advise, nearest_vendor
from ..text.json_text import loads
from ..tokens import TokenCounterBase
from ..vendors import PROTOCOLS, VENDORS, wires
from .output import CommandError, errors_at


class LossOptions(StrEnum):
    """What happens to losses."""

    log = "log"
    ignore = "ignore"
    refuse = "refuse"


def beginning(incomplete: str) -> list[str]:
    """The wires whose names begin like this, for completion in shells."""
    return [name for name in wires() if name.startswith(incomplete)]


Json: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")]

Model: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", metavar="MODEL", help="The model, which decides what can be sent."
    ),
]

Facts: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--facts",
        metavar="FACTS",
        help="Facts of your own, a TOML or JSON file; or a profile such as documents-2025.",
    ),
]


def file(help: str, metavar: str = "FILE") -> Any:
    """The argument that names the input."""
    return typer.Argument(metavar=metavar, help=help)


File: TypeAlias = Annotated[str, file("JSON or JSONL of our messages; - is stdin.")]

Bodies: TypeAlias = Annotated[str, file("Requests to a provider, JSON or JSONL; - is stdin.")]


def wire_option(*names: str, help: str, metavar: str = "WIRE") -> Any:
    """An option that names wires, which shells complete."""
    return typer.Option(*names, metavar=metavar, help=help, autocompletion=beginning)


From: TypeAlias = Annotated[
    str, wire_option("--from", "-f", help="The format of the input; auto: detected.")
]

To: TypeAlias = Annotated[str, wire_option("--to", "-t", help="See `dragoman wires`.")]

_TARGETS = "A wire, and whom to ask there; repeatable. All wires without it."
Targets: TypeAlias = Annotated[
    list[str] | None, wire_option("--to", "-t", metavar="WIRE[=MODEL]", help=_TARGETS)
]

MultiAgent: TypeAlias = Annotated[
    bool, typer.Option("--multi-agent", help="Merge many speakers, as --speakers name.")
]

Speakers: TypeAlias = Annotated[
    str | None,
    typer.Option("--speakers", metavar="HOW", help="role, name (merged), tagged:ME, or namefield."),
]

Budget: TypeAlias = Annotated[
    int | None,
    typer.Option("--max-tokens", min=1, metavar="N", help="Leave out the oldest beyond this."),
]

Counter: TypeAlias = Annotated[
    str,
    typer.Option(
        "--counter",
        metavar="WHAT",
        help="What counts: char, hf:NAME_OR_FOLDER (tokenizer), or openai:MODEL; so mistral: "
        "and, by their APIs, anthropic: and gemini:.",
    ),
]

Request: TypeAlias = Annotated[
    bool, typer.Option("--request", help="Write the whole request: path, headers, body.")
]

Output: TypeAlias = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="A file instead of stdout.")
]

Each: TypeAlias = Annotated[
    bool, typer.Option("--losses", help="Of many, list each loss and not sums by code.")
]

Jobs: TypeAlias = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        max=256,
        metavar="N",
        help="Processes that share the work; the order of the output stays.",
    ),
]

PolicyName: TypeAlias = Annotated[
    LossOptions,
    typer.Option("--policy", help="List losses, ignore them, or refuse them (exit code 1)."),
]

Refuse: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--refuse", metavar="CODE", help="Refuse a kind or code (media.*); repeatable."),
]

Allow: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="CODE", help="Allow it all the same; repeatable."),
]

_ASKED = "vendor/model, vendor/wire/model, a model whose maker serves it, or a profile."
Asked: TypeAlias = Annotated[str, typer.Argument(metavar="MODEL", help=_ASKED)]

System: TypeAlias = Annotated[
    str | None, typer.Option("--system", "-s", metavar="TEXT", help="The system prompt.")
]

Settings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="Of the request (temperature=0.2, max_tokens=500, reasoning=high), or timeout and "
        "retries; repeatable.",
    ),
]

AllowPartial: TypeAlias = Annotated[
    bool, typer.Option("--allow-partial", help="Accept an answer that broke off.")
]
BaseUrl: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--base-url", metavar="URL", help="The address of the provider, if not the usual one."
    ),
]


def check_wire_name(to: str) -> str:
    """The wire's name. Raises CommandError if there is no such wire or vendor."""
    vendor = to.partition("/")[0]
    if vendor not in PROTOCOLS and vendor not in VENDORS and vendor not in (names := wires()):
        raise CommandError(f"unknown wire {to!r}", nearest_vendor(vendor, names))
    return to


def known_source(source: str) -> None:
    """Raise CommandError for a name after --from that is neither a wire nor `auto`."""
    if source != "auto":
        check_wire_name(source)


def targets(names: list[str] | None) -> dict[str, str | None]:
    """The wires of these options, each with its model if it has one; empty means all wires."""
    parts = (name.partition("=") for name in names or ())
    return {check_wire_name(name): model or None for name, _, model in parts}


def facts(name: str | None) -> FactsValue | str | None:
    """The name of a profile unchanged, or the facts of a file, whose wires must exist."""
    if name is None or name in PROFILES:
        return name
    if not Path(name).exists():
        profiles = ", ".join(sorted(PROFILES))
        raise CommandError(f"{name!r} is no file and no profile of facts", f"profiles: {profiles}")
    with errors_at(name):
        rows = read_facts(name)
    for fact in rows.rows:
        if fact.wire:
            check_wire_name(fact.wire)
    return rows


_CONNECTION = ("timeout", "retries")


def settings(values: list[str] | None) -> dict[str, Any]:
    """The values of `--option`, by name: each is JSON, or else text."""
    found: dict[str, Any] = {}
    for text in values or ():
        name, equals, value = text.partition("=")
        if name not in OPTIONS and name not in _CONNECTION:
            hint = advise(name, sorted((*OPTIONS, *_CONNECTION)))
            raise CommandError(f"--option {name}: there is no such option", hint)
        if not equals:
            raise CommandError(f"--option {name} has no value", f"{name}=VALUE")
        try:
            found[name] = loads(value)
        except ReadError:
            found[name] = value
    with errors_at("--option"):
        Options.of({name: value for name, value in found.items() if name in OPTIONS})
    return found


_SPEAKERS: dict[str, type[Rewrite]] = {"role": ByRole, "name": ByName, "namefield": NameField}


def speakers(how: str | None, multi_agent: bool) -> Rewrite:
    """How speakers are handled, by the two options for it."""
    if multi_agent and how not in (None, "name"):
        raise CommandError(f"--multi-agent contradicts --speakers {how}", "give one of them")
    way, _, me = (how or ("name" if multi_agent else "role")).partition(":")
    if way == "tagged" and me:
        return Tagged(me=me)
    if way in _SPEAKERS and not me:
        return _SPEAKERS[way]()
    raise CommandError(f"unknown --speakers {how}", "role, name, tagged:ME or namefield")


_COUNTERS = {
    "hf": "HuggingFaceTokenCounter",
    "openai": "OpenAITokenCounter",
    "mistral": "MistralTokenCounter",
    "anthropic": "AnthropicTokenCounter",
    "gemini": "GeminiTokenCounter",
}


def counter(name: str) -> TokenCounterBase:
    """The token counter for a value of `--counter`."""
    from .. import tokens

    kind, _, model = name.partition(":")
    if kind == "char" and not model:
        return tokens.CharTokenCounter()
    if kind in _COUNTERS and model:
        result: TokenCounterBase = getattr(tokens, _COUNTERS[kind])(model)
        return result
    models = ", ".join(f"{kind}:MODEL" for kind in list(_COUNTERS)[1:])
    raise CommandError(f"unknown --counter {name}", f"char, hf:NAME_OR_FOLDER, {models}")


def policy(name: LossOptions, refuse: list[str] | None, allow: list[str] | None) -> Policy:
    """The policy; it logs nothing, as the command itself reports losses."""
    base = policy_of(name.value)
    refused = (*base.refuse, *(refuse or ()))
    return replace(base, refuse=refused, allow=tuple(allow or ()), log=False)
