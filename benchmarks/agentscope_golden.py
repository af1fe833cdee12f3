"""Writes what AgentScope 1.0.21's formatters answer into tests/golden/agentscope/*.json.

Run it where agentscope 1.0.21 is installed (the extra `bench`):

    python benchmarks/agentscope_golden.py            # ask AgentScope, rewrite `expected`
    python benchmarks/agentscope_golden.py --check    # exit 1 if a file would change

A golden file holds conversations (`cases`), each with `runs`: a formatter, its options, and what
AgentScope made of the messages. People write the messages, the verdicts, `because` and `right`;
this script writes `expected` (or `raises`) and nothing else. A new run needs a formatter only and
gets the verdict "same". It must not know dragoman: what it writes is the other side's word.

The same files come out each time: media that AgentScope saves go to the paths that `saved` names,
local files are made in an empty folder that is {cwd} in the messages, and the network is cut.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import logging
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden" / "agentscope"
VERSION = "1.0.21"
WIDTH = 120


class NetworkNeeded(Exception):
    """The run cannot be golden: its answer would come from the network."""


def main() -> int:
    """Ask AgentScope again, for the files named or for all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 on a change")
    parser.add_argument("files", nargs="*", type=Path, help="default: every golden file")
    args = parser.parse_args()
    if version("agentscope") != VERSION:
        sys.exit(f"agentscope {VERSION} is wanted, {version('agentscope')} is installed")
    logging.disable(logging.CRITICAL)  # a warning for every block that a formatter skips
    changed = 0
    for path in args.files or sorted(FOLDER.glob("*.json")):
        if (text := asked(path)) is None:
            continue
        changed += 1
        print(path.name, "differs" if args.check else "rewritten")
        if not args.check:
            path.write_text(text, encoding="utf-8")
    return 1 if args.check and changed else 0


def asked(path: Path) -> str | None:
    """The file's text with AgentScope's answers of now, or None if they are the same."""
    before = path.read_text(encoding="utf-8")
    topic = json.loads(before)
    with world(topic) as cwd:
        for case in topic["cases"]:
            msgs = json.loads(json.dumps(case["msgs"]).replace("{cwd}", cwd.as_posix()))
            case["runs"] = [answered(run, msgs, f"{path.stem}: {case['name']}")
                            for run in case["runs"]]  # fmt: skip
    after = pretty(topic) + "\n"
    return None if after == before else after


def answered(run: dict[str, Any], msgs: list[dict[str, Any]], where: str) -> dict[str, Any]:
    """The run with `expected`, or with `raises` where AgentScope refuses."""
    made = {"formatter": run["formatter"], "options": run.get("options"),
            "verdict": run.get("verdict", "same"), "because": run.get("because")}  # fmt: skip
    try:
        made["expected"] = formatted(run["formatter"], run.get("options", {}), msgs)
    except NetworkNeeded:
        sys.exit(f"{where}, {run['formatter']}: needs the network, take the run out")
    except (TypeError, ValueError) as error:
        made["raises"] = type(error).__name__
    made = {key: value for key, value in made.items() if value is not None}
    return made | {key: run[key] for key in ("right", "question") if key in run}


def formatted(name: str, options: dict[str, Any], msgs: list[dict[str, Any]]) -> Any:
    """What AgentScope's formatter `name` makes of the messages, as JSON."""
    msg = import_module("agentscope.message").Msg
    formatter = getattr(import_module("agentscope.formatter"), name)(**options)
    given = json.loads(json.dumps(msgs))
    wire = asyncio.run(formatter.format([msg(m["name"], m["content"], m["role"]) for m in given]))
    return plain(wire)


def plain(value: Any) -> Any:
    """The value as JSON; the bytes of Gemini's signatures become {"bytes": base64 text}."""
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


@contextlib.contextmanager
def world(topic: dict[str, Any]) -> Iterator[Path]:
    """An empty working folder with the topic's files, its saver of media, and no network."""

    def save(media_type: str, data: str) -> str:
        del media_type
        place(topic["saved"][data], data)
        return str(topic["saved"][data])

    def cut(*args: object, **kwargs: object) -> None:
        raise NetworkNeeded(args, kwargs)

    base = "agentscope.formatter."
    with (
        tempfile.TemporaryDirectory() as cwd,
        contextlib.chdir(cwd),
        patch(base + "_formatter_base._save_base64_data", save),
        patch(base + "_gemini_formatter._get_bytes_from_web_url", cut),
        patch(base + "_ollama_formatter._get_bytes_from_web_url", cut),
        patch("requests.get", cut),
    ):
        for path, data in topic.get("files", {}).items():
            place(path, data)
        yield Path(cwd)


def place(path: str, data: str) -> None:
    """A file of the base64 `data`, below the working folder."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(base64.b64decode(data))


def pretty(value: Any, depth: int = 0, lead: int = 0) -> str:
    """JSON indented by one space; what fits on a line stands on one, so that diffs can be read."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, (dict, list)) or depth + lead + len(line) <= WIDTH:
        return line
    pad, end = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, dict):
        keys = [(json.dumps(key, ensure_ascii=False), inner) for key, inner in value.items()]
        items = [f"{key}: {pretty(inner, depth + 1, len(key) + 2)}" for key, inner in keys]
        return "{" + pad + f",{pad}".join(items) + end + "}"
    return "[" + pad + f",{pad}".join(pretty(item, depth + 1) for item in value) + end + "]"


if __name__ == "__main__":
    sys.exit(main())
