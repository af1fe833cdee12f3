"""Page: the open exchanges, and the answers to all questions of the page.

A key names an answer: `wire/3/gemini/role/0` is request 3 on Gemini, with roles deciding who
speaks, uncut. The live page asks a server for keys, an exported one has all answers in itself.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, TypeAlias

from ..errors import DragomanError, ReadError
from ..tokens import CachedTokenCounter
from ..vendors import PROTOCOLS, wires
from .changes import changes, link
from .chat import conversation
from .cuts import cuts
from .exchange import PageExchange
from .long_texts import LongTexts
from .open_file import read_exchanges
from .replay import replay
from .tokens import LengthEstimate, tokens
from .wire_view import SPEAKERS, answer_on, counts, recorded_on, request_on

Shown: TypeAlias = dict[str, Any]


class Page:
    """The open exchanges, and what the page shows of them.

    Args:
        counter: A token counter of `dragoman.tokens`; None: figures are estimates by length.
        counted_by: The name of the counter, which the page shows.
    """

    def __init__(self, counter: Any = None, counted_by: str = "") -> None:
        self.counter = CachedTokenCounter(counter or LengthEstimate())
        self.counted_by = counted_by if counter is not None else "estimated by length"
        self.exchanges: list[PageExchange] = []
        self.texts = LongTexts()
        self._files: list[Shown] = []
        self._positions: dict[tuple[int, str], Shown] = {}  # positions of the slider

    def open(self, data: bytes, name: str) -> list[int]:
        """Open a file.

        Args:
            data: The bytes of the file.
            name: Its name, which the page shows.

        Returns:
            The ids of its exchanges.

        Raises:
            ReadError: There are none in it.
        """
        return self._add(read_exchanges(data, name), name)

    def fail(self, name: str, error: DragomanError) -> None:
        """Add an entry for a file that cannot be opened.

        Args:
            name: The name of the file.
            error: The reason, which the page shows.
        """
        self._add([PageExchange(name, fault=str(error))], name)

    def _add(self, exchanges: list[PageExchange], name: str) -> list[int]:
        start = len(self.exchanges)
        for id, exchange in enumerate(exchanges, start):
            exchange.id = id
        link(exchanges)
        self.exchanges += exchanges
        ids = [exchange.id for exchange in exchanges]
        self._files.append({"name": PurePath(name).name, "exchanges": ids})
        return ids

    def answer(self, key: str) -> Any:
        """The JSON for a key of the page.

        Args:
            key: A key such as `wire/3/gemini/role/0`.

        Raises:
            ReadError: The key is unknown, or its exchange cannot be read.
        """
        try:
            return self._answer_to(key)
        except RecursionError as error:
            text = "nested too deeply to be shown"
            raise ReadError(
                text, hint="agents write fewer than 100 levels", code="json.deep"
            ) from error

    def _answer_to(self, key: str) -> Any:
        match key.split("/"):
            case ["contents"]:
                return self._contents()
            case ["conversation" | "tokens" | "stream" | "changes" as name, id]:
                return self._of_one(name, self.exchange(id))
            case ["losses", id, how] if how in SPEAKERS:
                return self._losses(self.exchange(id), how)
            case ["wire", id, *target, how, cut] if how in SPEAKERS and cut.isdecimal():
                return self._wire(self.exchange(id), "/".join(target), how, int(cut))
            case ["answer", id, *target]:
                return self._answer(self.exchange(id), "/".join(target))
            case ["recorded", id, "client" | "upstream" as side]:
                return recorded_on(self.exchange(id), side, self.texts)
            case ["cuts", id, *target]:
                return self._cuts(self.exchange(id), "/".join(target))
            case ["text", name] if name in self.texts:
                return self.texts[name]
            case _:
                raise _no_key(key)

    def exchange(self, id: str | int) -> PageExchange:
        """The exchange with an id.

        Args:
            id: The id, as a number or as a text of digits.

        Raises:
            ReadError: There is no such exchange.
        """
        number = int(id) if isinstance(id, int) or id.isdecimal() else -1
        if not 0 <= number < len(self.exchanges):
            raise _no_key(f"exchange {id}")
        return self.exchanges[number]

    # -- the answers by key ----------------------------------------------------------------------

    def _contents(self) -> Shown:
        return {
            "files": self._files,
            "exchanges": [_summary(exchange) for exchange in self.exchanges],
            "protocols": list(PROTOCOLS),
            "vendors": [name for name in wires() if name not in PROTOCOLS],
            "speakers": SPEAKERS,
            "counted_by": self.counted_by,
        }

    def _of_one(self, name: str, exchange: PageExchange) -> Any:
        match name:
            case "conversation":
                return conversation(exchange, self.texts)
            case "tokens":
                return tokens(exchange, self.counter)
            case "stream":
                return replay(exchange, self.texts)
            case _:
                return self._changes(exchange)

    def _losses(self, exchange: PageExchange, how: str) -> list[Shown]:
        if not readable(exchange):
            return []
        own = [exchange.wire] if exchange.wire not in (*PROTOCOLS, "") else []
        return list(counts(exchange, (*own, *PROTOCOLS), how))

    def _wire(self, exchange: PageExchange, target: str, how: str, cut: int) -> Shown:
        if not readable(exchange):
            raise ReadError("there is no request here", code="page.request")
        limit = self._limit(exchange, target, cut) if cut else None
        return request_on(exchange, target, how, self.texts, self.counter, limit)

    def _limit(self, exchange: PageExchange, target: str, cut: int) -> int:
        """The limit in tokens of a position of the slider."""
        positions = self._cuts(exchange, target)["positions"]
        if cut >= len(positions):
            raise _no_key(f"position {cut} of the slider")
        limit: int = positions[cut]["limit"]
        return limit

    def _answer(self, exchange: PageExchange, target: str) -> Shown:
        if exchange.answer is None:
            raise ReadError("there is no answer here", code="page.answer")
        return answer_on(exchange, target, self.texts)

    def _cuts(self, exchange: PageExchange, target: str) -> Shown:
        if not readable(exchange):
            return {"positions": []}
        key = (exchange.id, target)
        if key not in self._positions:
            self._positions[key] = cuts(exchange, target, self.counter)
        return self._positions[key]

    def _changes(self, exchange: PageExchange) -> Shown:
        if exchange.previous is None:
            raise ReadError("nothing stands before this request", code="page.changes")
        return changes(self.exchange(exchange.previous), exchange, self.texts)


def readable(exchange: PageExchange) -> bool:
    """Whether the exchange has a request that can be read."""
    try:
        return exchange.request is not None
    except DragomanError:
        return False


def _no_key(key: str) -> ReadError:
    return ReadError(f"the page has nothing under {key}", code="page.key")


def _summary(exchange: PageExchange) -> Shown:
    """The entry of an exchange in the list; its request is not parsed for it."""
    status = exchange.answer.status if exchange.answer is not None else None
    return {
        "id": exchange.id,
        "place": exchange.place,
        "wire": exchange.wire,
        "model": exchange.model,
        "session": exchange.session,
        "agent": exchange.agent,
        "when": exchange.when,
        "status": status,
        "request": exchange.body is not None or exchange.own is not None,
        "answer": exchange.shape,
        "previous": exchange.previous,
        "upstream": exchange.upstream.wire or "upstream" if exchange.upstream else "",
        "losses": len(exchange.losses),
        "fault": exchange.fault,
    }
