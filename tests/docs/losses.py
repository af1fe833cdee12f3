"""docs/losses.md: every loss code with its meaning, an example and what to do about it.

    python -m tests.docs.losses --write

Made of the table of codes and of their examples, which are run. Knows no test.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator

from dragoman.cli.examples import WireExample, examples
from dragoman.cli.output import excerpt
from dragoman.losses import Loss
from dragoman.losses.codes import CODES
from dragoman.losses.codes.code import KINDS, Code, Kind

from .pages import DOCS

__all__ = ["PAGE", "page"]

PAGE = DOCS / "losses.md"
_WIDTH, _LINES = 120, 16  # of an example on either side

_KINDS: dict[Kind, str] = {
    "dropped": "part of the input is not in the output",
    "degraded": "it is sent in another form, which holds less or is worded differently",
    "moved": "it is sent unchanged, in another place",
    "repaired": "it would have been refused; it was corrected or left out",
    "added": "the output has something that you did not write",
    "expected": "the wire has no use for it, and leaving it out changes nothing",
}

_HEAD = """\
# What may be lost, and what to do about it

Everything that a provider does not get exactly as you wrote it is reported as a loss, and so is
everything that was added. Each loss has a code, a kind, and a path, `where`. To look up one code,
search this page for it, or run `dragoman explain CODE`.

```python
import dragoman
from dragoman import ChatRequest, LossRefused, Msg, Policy

request = ChatRequest([Msg("Bob", "Count to three.", "user"), Msg("", "One, two,", "assistant")])
out = dragoman.wire("anthropic").write_request(request, model="claude-opus-5-5")
for loss in out.losses:
    print(loss.kind, loss.code, loss.where)
print([loss.code for loss in out.added])
```

```output
added turn.last $.messages[1]
added max_tokens.default $.options.max_tokens
dropped name.unsupported $.messages[0].name
['turn.last', 'max_tokens.default']
```

If the request was read from a provider's body, as `convert` does, `where` is a path into that
body.

A loss also has `what` (a word or a name), `did` (what was done instead), `rule` (the rule that
decided it, with its source and date), `target` (the wire), `meaning` and `fix`. None of them holds
more than a line of a message's text, and none holds base64.

The code also decides the weight of a loss. `loss.weight` is `major` if the model gets less
information or can do less, `minor` if it may answer differently or cost more, and `trivial` if the
answer should not change, as with ids that came back with an answer. `out.losses` are in the order
in which they were found; `dragoman.losses.by_weight(out.losses)` sorts them by weight and then by
kind, the most important first. The log, `LossRefused` and the command line use this order.

## Policies

A policy decides what happens with losses before anything is returned:

| policy | what it does |
|---|---|
| `"log"` | logs each code once an hour for each wire or formatter (the default) |
| `"ignore"` | does nothing |
| `"refuse"` | refuses losses of the kinds dropped, degraded and repaired |
| `"append_only"` | logs, and refuses a change of a history that signed thinking depends on |
| `Policy(refuse=..., allow=...)` | refuses kinds and codes (`*` is a wildcard); `allow` wins |

To refuse is to raise `LossRefused`. In addition to any policy, `strict=True` of `dragoman.wire`,
of every formatter and of `convert` refuses a history that would need repair: calls and results
that do not belong together, missing ids, blank texts, turns that would have to be added. Other
histories are sent as without `strict`.

```python
policy = Policy(refuse=("dropped", "added"), allow=("name.*", "max_tokens.default"))
try:
    dragoman.wire("anthropic", policy=policy).write_request(request, model="claude-opus-5-5")
except LossRefused as error:
    print([loss.code for loss in error.losses])
```

```output
['turn.last']
```

On the command line:

```sh
dragoman format chat.json --to anthropic --refuse dropped --allow 'name.*'
dragoman explain thinking.unsigned
```

## What stays stable

- The kind and meaning of a code do not change; another meaning gets another code. Before version
  1.0 a code may be renamed or removed, with a line in the changelog; from 1.0 on only with a new
  major version. [Versions](versions.md) says which codes 0.1.0 renames, and what takes the old
  ones.
- Every release may add codes. A program can treat an unknown code by its kind; there are no kinds
  but these.
- `meaning`, `fix`, `what`, `did` and `rule` are for people; their words may change at any time.
- The log level of a code may become lower, never higher.

| kind | meaning | logged as | weight, unless the code has another |
|---|---|---|---|
"""


def page() -> str:
    """The text of the page."""
    kinds = [kind for kind in KINDS if any(row.kind == kind for row in CODES.values())]
    rows = [
        f"| {kind} | {_KINDS[kind]} | {_level(Code('', '', kind=kind))} |"
        f" {Code('', '', kind=kind).weigh('')} |"
        for kind in KINDS
    ]
    parts = [_HEAD + "\n".join(rows)]
    for kind in kinds:
        found = [row for row in CODES.values() if row.kind == kind]
        table = [f"| [{row.name}](#{row.name.replace('.', '')}) | {row.meaning} |" for row in found]
        parts.append("\n".join([f"## {kind.capitalize()}", "", "| code | meaning |", "|---|---|",
                                *table]))  # fmt: skip
        parts += ["\n".join(_explained(row)) for row in found]
    parts.append(
        "This page is generated (`python -m tests.docs.losses --write`); a test fails when it is"
        " out of date.\n"
    )
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _level(row: Code) -> str:
    return logging.getLevelName(row.level).lower()


def _explained(row: Code) -> Iterator[str]:
    usual = Code("", "", kind=row.kind).level
    asks = ", ".join(f"`{name}`" for name in row.asks)
    said = [f"{row.meaning[0].upper()}{row.meaning[1:]}."]
    said += [f"Decided by {asks}."] if asks else []
    said += [f"Logged as {_level(row)}."] if row.level != usual else []
    said += [f"Its weight is {row.weight}."] if row.weight else []
    yield f"### {row.name}"
    yield ""
    yield " ".join(said)
    yield ""
    yield f"**What to do:** {row.fix}"
    example = examples().get(row.name)
    if example is not None:
        yield ""
        yield from _shown(row, example)


def _shown(row: Code, example: WireExample) -> Iterator[str]:
    out = example.run()
    yield f"`{example.call()}` with"
    yield from _fenced(excerpt(example.describe_source(), width=_WIDTH, lines=_LINES))
    yield "gives"
    lost = [_line(loss) for loss in out.losses if loss.code == row.name]
    yield from _fenced(excerpt(out.written, width=_WIDTH, lines=_LINES), *lost)
    mended = example.apply_fix()
    if mended is not None and mended.given == example.given:
        yield f"Instead: `{mended.call()}`."
    elif mended is not None:
        yield "Instead:"
        yield from _fenced(excerpt(mended.describe_source(), width=_WIDTH, lines=_LINES))


def _line(loss: Loss) -> str:
    did = f" -> {loss.did}" if loss.did else ""
    return f"{loss.kind} {loss.code} at {loss.where}: {loss.what}{did}"


def _fenced(*texts: str) -> list[str]:
    return ["", "```text", *texts, "```", ""]


def main(arguments: list[str]) -> int:
    """Write or print the page."""
    parser = argparse.ArgumentParser(description="Every loss code, explained.")
    parser.add_argument("--write", action="store_true", help="write docs/losses.md")
    if parser.parse_args(arguments).write:
        PAGE.write_text(page(), "utf-8")
    else:
        sys.stdout.write(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
