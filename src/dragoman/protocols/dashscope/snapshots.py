"""Whether the events of a stream add to each other, or each repeats everything so far.

`incremental_output` in the request decides it, and no answer says which it was; so the events are
compared. Reference: Model Studio, "Qwen API via DashScope", incremental_output; recorded streams
of both kinds. Knows texts and token counts, no blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from ...jsontext import JsonObject

__all__ = ["Growth", "Judge"]

Growth: TypeAlias = Literal["", "deltas", "snapshots"]
_Track: TypeAlias = tuple[int, str, int]

_SIGNS = 4  # so many different characters are not said again by chance
_LONG = 16  # nor is a text of this length


class Judge:
    """Looks at the events until one of them can be explained in one way only.

    A snapshot begins with what was said before it. So does a delta now and then ("ha", "ha"; "1",
    "10"), but only behind a short text: there the answer waits for the next event, and at the end
    for the token counts, which grow with the text in both kinds of stream.
    """

    def __init__(self) -> None:
        self._last: dict[_Track, str] = {}
        self._tokens: dict[int, int] = {}  # of each choice, for its events bill it alone
        self._rate: float | None = None  # characters a token in the first event that said some
        self._chars = 0  # of all texts of all events
        self._grew = False
        self.doubtful = False  # something was said that can be explained in both ways

    def see(self, payload: JsonObject) -> Growth:
        """What this event proves; empty if nothing."""
        at, rose = self._spent(payload)
        fresh = same = False
        for track, text, proof in _texts(payload["output"]):
            before = self._last.get(track, "").rstrip("\ufffd")  # half of a character
            self._chars += len(text)
            if before and (not text or not text.startswith(before)):
                return "deltas"
            if proof and track in self._last:
                return "deltas"
            fresh = fresh or len(text) > len(before)
            strong = len(set(before)) >= _SIGNS
            if before and text != before:
                if strong:
                    return "snapshots"
                self._grew = self.doubtful = True
            elif before:
                if (strong and rose is False) or len(before) >= _LONG:
                    return "snapshots"
                same = self.doubtful = True
            self._last[track] = text
        if same and fresh:
            return "snapshots"  # a delta adds to one text at a time
        if self._rate is None and self._chars and self._tokens.get(at):
            self._rate = self._chars / self._tokens[at]
        return ""

    def _spent(self, payload: JsonObject) -> tuple[int, bool | None]:
        """(whose event it is, whether it cost more than the last of them, if that is known)."""
        choices = payload["output"].get("choices") or [{}]
        at = _index(choices[0], 0)
        usage = payload.get("usage")
        count = usage.get("output_tokens") if isinstance(usage, dict) else None
        if type(count) is not int:
            return at, None
        rose = count > self._tokens.get(at, count)
        self._tokens[at] = count
        return at, rose

    def guess(self) -> Growth:
        """What is likelier where nothing proves it: the kind whose text grows as its tokens do."""
        said = sum(len(text) for text in self._last.values())
        spent = sum(self._tokens.values())
        if self._rate and spent:
            snapshots = abs(said / spent - self._rate)
            return "snapshots" if snapshots < abs(self._chars / spent - self._rate) else "deltas"
        # without counts: a text that only came again is a delta, one that grew is none
        return "snapshots" if self._grew else "deltas"


def _texts(output: JsonObject) -> Iterator[tuple[_Track, str, bool]]:
    """(which text, its content, whether a fragment without id shows that it only adds)."""
    if isinstance(output.get("text"), str):
        yield (0, "content", 0), output["text"], False
    for nth, choice in enumerate(output.get("choices") or ()):
        at = _index(choice, nth)
        message = choice.get("message") or {}
        for name in ("reasoning_content", "content"):
            said = message.get(name)
            if isinstance(said, list):
                said = "".join(part["text"] for part in said if isinstance(part.get("text"), str))
            if isinstance(said, str):
                yield (at, name, 0), said, False
        for place, call in enumerate(message.get("tool_calls") or ()):
            function = call.get("function") or {}
            said = function.get("arguments")
            track = (at, "call", _index(call, place))
            bare = call.get("id") == "" and not function.get("name")
            yield track, said if isinstance(said, str) else "", bare


def _index(told: JsonObject, nth: int) -> int:
    index = told.get("index")
    return index if type(index) is int and index >= 0 else nth
