"""A hostile hour: 64 streams beside requests that cost out of proportion; gaps and memory.

    python -m tests.gateway.hostile --seconds 60

reads 64 paced streams through a gateway, first alone and then while another process sends 20 MB of
small values, 100,000 blocks, compressed bombs, keys that are spelled twice, and wrong client keys.
It prints the longest gap in any stream of both times and the most memory of the gateway, and ends
with 1 if an event was lost or memory grew beyond its bound. Gaps are told and never judged: they
are as much the machine's as the gateway's.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, cycle

import aiohttp

from dragoman.gateway.config.client_keys import NewKey, new_key
from tests.gateway.asking import PATHS, request, session_for
from tests.gateway.load import MODELS, Served, serving
from tests.gateway.numbered import ROOT, asked, missed, numbered

STREAMS, PACE = 64, 0.02
MEMORY = 900 * 2**20  # bytes that a gateway may have under all of this
AT_ONCE = 4  # hostile requests under way
_KEY = """
[[keys]]
name = "{name}"
hash = "{hash}"
"""


def bodies(small: bool = False) -> dict[str, tuple[str, bytes, dict[str, str]]]:
    """The hostile requests by name: the client's wire, the body, headers.

    `small`: a tenth of each, for a test.
    """
    many = 10**6 if small else 10**7
    chat, claude = MODELS["openai-chat"], MODELS["anthropic"]
    block = b'{"type":"text","text":"x"}'
    blocks = b'{"max_tokens":9,"model":"%b","messages":[{"role":"user","content":[%b]}]}'
    packed = {"content-encoding": "gzip"}
    values = b'{"model":"%b","messages":[],"x":[%b]}'
    return {
        "small values": ("openai-chat", values % (chat.encode(), b",".join([b"1"] * many)), {}),
        "empty objects": ("openai-chat", values % (chat.encode(), b",".join([b"{}"] * (many // 2))),
                          {}),
        "100,000 blocks": ("anthropic", blocks % (chat.encode(), b",".join([block] * 10**5)), {}),
        "as many as may be": ("anthropic", blocks % (chat.encode(), b",".join([block] * 33_000)),
                              {}),
        "300 KB of nothing": ("anthropic", blocks % (chat.encode(), b",".join([b"{}"] * 10**5)),
                              {}),
        "a long text": ("openai-chat", request("openai-chat", claude, "a, {b" * (many // 3),
                                               stream=False), {}),
        "half a pair": ("openai-chat", request("openai-chat", claude, "?" * 2 * many, stream=False)
                        .replace(b"??", b"\\ud800", 1), {}),
        "quoted quotes": ("openai-chat", request("openai-chat", claude, '"' * many, stream=False),
                          {}),
        "a bomb": ("openai-chat", gzip.compress(bytes(20 * many)), packed),
        "a bomb of values": ("openai-chat", gzip.compress(
            values % (chat.encode(), b",".join([b"1"] * many))), packed),
        "a second model": ("openai-chat", b'{"model":"%b","x":"%b","messages":[],"model":"%b"}'
                           % (chat.encode(), b"\\n" * many, chat.encode()), {}),
        "keys": ("openai-chat", b'{%b"model":"%b","messages":[]}'
                 % (b'"model":"x",' * (many // 10), chat.encode()), {}),
        "a wrong key": ("openai-chat", request("openai-chat", chat, "Hi", stream=True),
                        {"authorization": "Bearer dg_0123456789abcdef_" + "x" * 43}),
    }  # fmt: skip


@dataclass(slots=True)
class Seen:
    """What the streams of one time saw: the longest gap, in seconds, and what was wrong."""

    gap: float = 0.0
    events: int = 0
    faults: list[str] = field(default_factory=list)


async def read_streams(url: str, key: str, until: float) -> Seen:
    """Read 64 paced streams again and again until a time of the monotonic clock."""
    seen, numbers = Seen(), count()
    async with session_for(STREAMS) as session:

        async def some(client: str, model: str) -> None:
            while time.monotonic() < until:
                number, events = next(numbers) % 10**4, 100
                body = request(client, model, asked(number, events, PACE), stream=True)
                came = await _timed(session, url + PATHS[client], key, body, seen)
                if fault := missed(came, number, events):
                    seen.faults.append(fault)
                seen.events += events

        pairs = cycle([(one, MODELS[other]) for one in MODELS for other in MODELS])
        await asyncio.gather(*(some(*next(pairs)) for _ in range(STREAMS)))
    return seen


async def _timed(
    session: aiohttp.ClientSession, url: str, key: str, body: bytes, seen: Seen
) -> bytes:
    pieces: list[bytes] = []
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    async with session.post(url, data=body, headers=headers) as response:
        last = None
        async for piece in response.content.iter_any():
            now = time.monotonic()
            seen.gap = max(seen.gap, now - last if last is not None else 0.0)
            last = now
            pieces.append(piece)
    return b"".join(pieces)


async def attack(url: str, key: str, seconds: float, small: bool) -> Counter[str]:
    """Send all hostile requests in turn; how often each got which status."""
    came: Counter[str] = Counter()
    kinds = cycle(bodies(small).items())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    until, unsent = time.monotonic() + seconds, len(bodies(small))
    async with session_for(AT_ONCE) as session:

        async def some() -> None:
            nonlocal unsent
            for name, (client, body, headers) in kinds:
                if time.monotonic() > until and unsent <= 0:
                    return
                unsent -= 1
                own = {"authorization": f"Bearer {key}", "content-type": "application/json"}
                try:
                    async with session.post(
                        url + PATHS[client], data=body, headers={**own, **headers}
                    ) as response:
                        await response.read()
                        came[f"{name}: {response.status}"] += 1
                except aiohttp.ClientError as error:  # a body that nobody reads to its end
                    came[f"{name}: {type(error).__name__}"] += 1

        await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    return came


@contextmanager
def guarded(upstream: str) -> Iterator[tuple[Served, NewKey]]:
    """A gateway with one client key."""
    key = new_key("tenant")
    with serving(upstream, _KEY.format(name="tenant", hash=key.entry.hash)) as served:
        yield served, key


async def hour(
    served: Served, key: str, seconds: float, small: bool = False
) -> tuple[Seen, Seen, int, dict[str, int]]:
    """(what was seen alone, what beside the attack, the most memory, the statuses)."""
    calm = await read_streams(served.url, key, time.monotonic() + seconds / 4)
    command = [sys.executable, "-m", "tests.gateway.hostile", "--attack", served.url, key]
    command += ["--small"] if small else []
    most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, served.memory())
            await asyncio.sleep(0.05)

    watching = asyncio.ensure_future(watch())
    attacker = await asyncio.create_subprocess_exec(
        *command, "--seconds", str(seconds), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert attacker.stdout is not None
        await attacker.stdout.readline()  # its bodies are made
        seen = await read_streams(served.url, key, time.monotonic() + seconds)
        statuses: dict[str, int] = json.loads(await attacker.stdout.read())
    finally:
        watching.cancel()
        if attacker.returncode is None:
            attacker.kill()
        await attacker.wait()
    return calm, seen, most, statuses


def main() -> int:
    """Run the hour as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--attack", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--small", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.attack:
        url, key = given.attack
        statuses = asyncio.run(attack(url, key, given.seconds, given.small))
        sys.stdout.write(json.dumps(statuses))
        return 0
    gc.freeze()
    gc.disable()  # a pause of this process would look like one of the gateway
    with numbered() as upstream, guarded(upstream) as (served, made):
        calm, seen, most, came = asyncio.run(hour(served, made.key, given.seconds))
    lines = [f"{name} ({times} times)" for name, times in sorted(came.items())]
    lines += [
        f"alone: {calm.events} events, {len(calm.faults)} faults, longest gap {calm.gap:.3f} s",
        f"beside: {seen.events} events, {len(seen.faults)} faults, longest gap {seen.gap:.3f} s",
        f"memory of the gateway: at most {most / 2**20:.0f} MiB",
        *calm.faults[:3], *seen.faults[:3],
    ]  # fmt: skip
    sys.stdout.write("\n".join([*lines, ""]))
    return int(bool(calm.faults or seen.faults) or most > MEMORY)


if __name__ == "__main__":
    sys.exit(main())
