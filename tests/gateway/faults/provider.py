"""A provider that does on its socket what a test tells it, byte by byte.

    provider.will([HEAD, b"data: {", CUT])

is what the next connection gets. It runs in a thread; a test reads what was asked of it.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tests.gateway.running import until

Step: TypeAlias = "bytes | float | Literal['cut', 'reset', 'hang', 'wait']"

CUT: Literal["cut"] = "cut"  # close the connection
RESET: Literal["reset"] = "reset"  # break it: whoever reads gets an error
HANG: Literal["hang"] = "hang"  # say nothing more until the other side closes
WAIT: Literal["wait"] = "wait"  # until the test calls `go_on`


def head(status: int = 200, *fields: str, kind: str = "text/event-stream") -> bytes:
    """The head of an answer that ends with its connection, unless a field says otherwise."""
    lines = [f"HTTP/1.1 {status} Whatever", f"content-type: {kind}", *fields]
    if not any(name.lower().startswith(("content-length", "transfer-enc")) for name in fields):
        lines.append("connection: close")
    return "\r\n".join((*lines, "", "")).encode("latin-1")


def answer(body: bytes, status: int = 200, *fields: str, kind: str = "application/json") -> bytes:
    """A whole answer."""
    return head(status, f"content-length: {len(body)}", *fields, kind=kind) + body


def chunked(pieces: Iterable[bytes]) -> list[bytes]:
    """A body in chunks, one for each piece, without its end."""
    return [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces]


CHUNKED = head(200, "transfer-encoding: chunked")
_MARK = re.compile(rb"case-\d{5}")
LAST = b"0\r\n\r\n"


@dataclass(slots=True)
class Asked:
    """A request as it came: the first line, the fields with small names, the body."""

    line: str
    fields: list[tuple[str, str]]
    body: bytes
    raw: bytes = field(repr=False, default=b"")
    closed: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.fields}


class Case:
    """What requests get that say `mark`, and those that did: so that many can be made at once."""

    def __init__(self, mark: str, plans: Iterable[Iterable[Step]]) -> None:
        self.mark = mark
        self.plans = deque(list(plan) for plan in plans)
        self.asked: list[Asked] = []


class Provider:
    """The server. `asked` are the requests that came, in their order."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.connections = 0  # that were ever made
        self._plans: deque[list[Step]] = deque()
        self._cases: dict[bytes, Case] = {}
        self._loop = asyncio.new_event_loop()
        self._go_on = asyncio.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._started.wait()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0)
        )
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self._started.set()
        self._loop.run_forever()

    def will(self, *plans: Iterable[Step]) -> None:
        """What the next requests get, one after the other; forgets what was planned and asked."""
        self._plans.clear()
        self.asked.clear()
        self._loop.call_soon_threadsafe(self._go_on.clear)
        self._plans.extend(list(plan) for plan in plans)

    def case(self, *plans: Iterable[Step]) -> Case:
        """What the requests get whose text is the mark of the case."""
        case = Case(f"case-{len(self._cases):05}", plans)
        self._cases[case.mark.encode()] = case
        return case

    def go_on(self) -> None:
        """Let whoever waits go on."""
        self._loop.call_soon_threadsafe(self._go_on.set)

    def was_asked(self, times: int = 1) -> Asked:
        """The last of so many requests, once all of them have come."""
        until(lambda: len(self.asked) >= times)
        return self.asked[times - 1]

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            async for asked in _requests(reader):
                mark = _MARK.search(asked.body)
                case: Provider | Case = self._cases[mark[0]] if mark else self
                plans = case.plans if isinstance(case, Case) else self._plans
                plan: list[Step] = [answer(b"{}", 500), CUT]
                plan = plans.popleft() if plans else plan
                case.asked.append(asked)
                if not await self._do(plan, reader, writer, asked):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _do(
        self, plan: list[Step], reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
        asked: Asked,
    ) -> bool:  # fmt: skip
        """Whether the connection stays."""
        try:
            for step in plan:
                if isinstance(step, bytes):
                    writer.write(step)
                    await writer.drain()
                elif isinstance(step, float):
                    await asyncio.sleep(step)
                elif step == HANG:
                    await reader.read(1)
                    return False
                elif step == WAIT:
                    await self._go_on.wait()
                elif step == RESET:
                    writer.transport.abort()
                    return False
                else:
                    return False
        except ConnectionError:
            return False
        finally:
            if reader.at_eof() or writer.is_closing():
                asked.closed.set()
        return True


async def _requests(reader: asyncio.StreamReader) -> AsyncIterator[Asked]:
    while True:
        try:
            top = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return
        line, *lines = top.decode("latin-1").rstrip("\r\n").split("\r\n")
        pairs = [(name.lower(), text.strip()) for name, _, text in
                 (one.partition(":") for one in lines)]  # fmt: skip
        length = next((int(text) for name, text in pairs if name == "content-length"), 0)
        body = await reader.readexactly(length)
        yield Asked(line, pairs, body, top + body)
