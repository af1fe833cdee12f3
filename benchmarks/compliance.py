"""Gateways before judges that others have written, in front of one reference provider.

    make comply
    python -m benchmarks.compliance --page docs/gateway-compliance.md --open-responses DIR

Each gateway gets each of four wires as its provider (`benchmarks/reference.py`), and each judge
asks through it, as it comes: `llm-comply` for five APIs, `compatcanary` for two, and the acceptance
tests of Open Responses, for which DIR is a clone of its repository with its dependencies. The
provider itself is judged over its own wires: where it scores below the full number, the judge asks
for what the provider does not have.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path

from benchmarks.gateways import BIN, DRAGOMAN, LITELLM, LLM_ROSETTA, ROOT, Gateway, Served

ALIAS = "gpt-5-claude-opus"  # some tests are for models of these names alone
UPSTREAMS = {
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-opus-4-5",
    "gemini": "gemini-2.5-pro",
}
GATEWAYS = (DRAGOMAN, LITELLM, LLM_ROSETTA)
MARK = "<!-- scores: written by `make comply` -->"


@dataclass(frozen=True)
class Judge:
    """A judge: the API that it tests, as which wires the reference speaks it."""

    name: str
    api: str
    wires: tuple[str, ...]


@dataclass
class Score:
    """What a judge said: how many tests passed, of how many, and what failed with its reason."""

    passed: int
    total: int
    failed: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.passed}/{self.total}"


JUDGES = (
    Judge("llm-comply", "openai-chat", ("openai-chat",)),
    Judge("llm-comply", "open-responses", ("openai-responses",)),
    Judge("llm-comply", "anthropic", ("anthropic",)),
    Judge("llm-comply", "google-genai", ("gemini",)),
    Judge("llm-comply", "google-interactions", ()),
    Judge("compatcanary", "modern", ("openai-chat", "openai-responses")),
    Judge("Open Responses", "HTTP", ("openai-responses",)),
    Judge("Open Responses", "WebSocket", ("openai-responses",)),
)


class Court:
    """Runs judges against a base URL."""

    def __init__(self, open_responses: Path | None) -> None:
        self._canary = shutil.which("compatcanary", path=str(BIN.parent / "node_modules" / ".bin"))
        self._bun = shutil.which("bun")
        self._suite = open_responses if self._bun else None
        self.judges = [judge for judge in JUDGES if self._can(judge)]

    def _can(self, judge: Judge) -> bool:
        needed = {"llm-comply": BIN / "llm-comply", "compatcanary": self._canary}
        found = needed.get(judge.name, self._suite)
        return found is not None and Path(found).exists()

    def judged(self, judge: Judge, url: str) -> Score:
        """The score of what is at this URL."""
        if judge.name == "llm-comply":
            return self._llm_comply(judge.api, url)
        if judge.name == "compatcanary":
            return self._compatcanary(url)
        return self._open_responses(url, judge.api == "WebSocket")

    def _llm_comply(self, api: str, url: str) -> Score:
        base = url if api.startswith("google") else f"{url}/v1"
        told = _told(
            [str(BIN / "llm-comply"), "--format", api, "-u", base, "-k", "none", "-m", ALIAS,
             "--timeout", "30", "--json"],
        )  # fmt: skip
        return _score((one["id"], one["status"], one.get("errors")) for one in told["results"])

    def _compatcanary(self, url: str) -> Score:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            _run(
                [str(self._canary), "scan", "--base-url", f"{url}/v1", "--model", ALIAS,
                 "--format", "json", "--output", str(report), "--fail-on", "never"],
            )  # fmt: skip
            results = json.loads(report.read_text("utf-8"))["results"]
        return _score(
            (one["id"], "passed" if one["status"] in ("pass", "warn") else one["status"],
             [one["summary"]])
            for one in results
        )  # fmt: skip

    def _open_responses(self, url: str, sockets: bool) -> Score:
        script = Path("bin") / "compliance-test.ts"
        told = _told(
            [str(self._bun), "run", str(script), "-u", f"{url}/v1", "-k", "none", "-m", ALIAS,
             "--json"],
            self._suite,
        )  # fmt: skip
        return _score(
            (one["id"], one["status"], one.get("errors"))
            for one in told["results"]
            if one["id"].startswith("websocket") == sockets
        )


def _score(results: object) -> Score:
    """The score of (id, status, errors)."""
    score = Score(0, 0)
    for name, status, errors in results:  # type: ignore[attr-defined]
        if status == "skipped":
            continue
        score.total += 1
        if status == "passed":
            score.passed += 1
        else:
            score.failed[name] = re.sub(r"\s+", " ", str((errors or ["no reason"])[0]))[:160]
    return score


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    ran = subprocess.run(  # noqa: S603
        command, cwd=folder or ROOT, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "OPENAI_API_KEY": "none", "NO_COLOR": "1"},
    )  # fmt: skip
    return ran.stdout


def _told(command: Sequence[str], folder: Path | None = None) -> dict[str, list[dict[str, object]]]:
    said = _run(command, folder)
    told: dict[str, list[dict[str, object]]] = json.loads(said[said.index("{") :])
    return told


@contextmanager
def reference() -> Iterator[str]:
    """The URL of the reference provider."""
    command = [sys.executable, "-m", "benchmarks.reference"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as server:  # noqa: S603
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


Scores = dict[tuple[str, str, Judge], Score]


def judged_all(court: Court, gateways: Sequence[Gateway], wires: Sequence[str]) -> Scores:
    """The scores of (gateway, upstream, judge); the gateway is empty for the provider itself."""
    scores: Scores = {}
    with reference() as upstream:
        for wire in wires:
            for judge in court.judges:
                if wire in judge.wires:
                    scores["", wire, judge] = court.judged(judge, upstream)
            for gateway in gateways:
                models = [Served(ALIAS, wire, UPSTREAMS[wire])]
                with gateway.running(upstream, models) as running:
                    for judge in court.judges:
                        scores[gateway.name, wire, judge] = court.judged(judge, running.url)
                        print(wire, gateway.name, judge.name, judge.api,
                              scores[gateway.name, wire, judge], flush=True)  # fmt: skip
    return scores


def written(scores: Scores, court: Court, gateways: Sequence[Gateway]) -> str:
    """The tables, and what failed."""
    names = [gateway.name for gateway in gateways]
    versions = {"LiteLLM": "litellm", "dragoman": "dragoman", "llm-rosetta": "llm-rosetta"}
    told = ", ".join(f"{name} {version(versions[name])}" for name in names)
    today = date.today()  # noqa: DTZ011
    parts = [f"Measured on {today:%Y-%m-%d}: {told}; llm-comply {version('llm-comply')}."]
    for wire in UPSTREAMS:
        rows = [
            [f"{judge.name}, {judge.api}",
             *(str(scores.get((name, wire, judge), "")) for name in ["", *names])]
            for judge in court.judges
            if any((name, wire, judge) in scores for name in names)
        ]  # fmt: skip
        if rows:
            head = ["judge, API", "the provider itself", *names]
            lines = [f"## In front of {wire}", "", _row(head), "|" + "---|" * len(head)]
            parts.append("\n".join([*lines, *map(_row, rows)]))
    parts.append("## What failed")
    for name in names:
        lines = [
            f"- {judge.name}, {judge.api}, in front of {wire}: {_failures(score)}"
            for (whose, wire, judge), score in scores.items()
            if whose == name and score.failed
        ]
        parts.append("\n".join([f"### {name}", "", *(lines or ["Nothing."])]))
    return "\n\n".join(parts)


def _failures(score: Score) -> str:
    """Each reason once, with the tests that failed for it."""
    reasons: dict[str, list[str]] = {}
    for name, why in score.failed.items():
        reasons.setdefault(why, []).append(f"`{name}`")
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in reasons.items())


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Judge, print, and write the page where one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--open-responses", type=Path, help="a clone, with its dependencies")
    parser.add_argument("--only", action="append", help="a gateway; all without it")
    parser.add_argument("--upstream", action="append", choices=list(UPSTREAMS))
    given = parser.parse_args()
    court = Court(given.open_responses)
    gateways = [g for g in GATEWAYS if g.installed and (not given.only or g.name in given.only)]
    scores = judged_all(court, gateways, given.upstream or list(UPSTREAMS))
    text = written(scores, court, gateways)
    print(text)
    if given.page is not None:
        head = given.page.read_text("utf-8").partition(MARK)[0] if given.page.exists() else ""
        given.page.write_text(f"{head.rstrip()}\n\n{MARK}\n\n{text}\n", "utf-8")


if __name__ == "__main__":
    main()
