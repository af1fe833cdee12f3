"""What an answer says, as parts and fields of a GenerateContentResponse; the rest is a loss.

Shared by the whole answer and the stream. Reference: Gemini API, "Candidate" and "Part".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...envelope import borne
from ...jsontext import Json, JsonObject
from ...losses import Report
from ...message import (
    Finish,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ANSWER, MEDIA_KINDS, NOTES, ContentBlock, noted
from ...message.heal import HEALED
from ...pieces.arguments import partial
from .again import part_as_read
from .parts import TEXT
from .reasons import fits, word_for
from .usage import TOOLS, figures

__all__ = ["Sayer"]


class Sayer:
    """Says blocks and fields; `own`: the answer was read from this wire, and its notes hold."""

    __slots__ = ("_halved", "_once", "issuers", "own", "report")

    def __init__(
        self, report: Report, issuers: Sequence[str], own: bool, streamed: bool = False
    ) -> None:
        self.report = report
        self.issuers = issuers
        self.own = own
        self._halved = False  # whether a call was said less than whole
        # a block of a stream comes in many pieces, each of which may lose the same
        self._once: set[str] | None = set() if streamed else None

    def beside(self, node: Any) -> JsonObject:
        """The fields of this wire that nobody models; those of others are losses."""
        made: JsonObject = {}
        for issuer, told in (node.extras or {}).items():
            if issuer.removesuffix(ANSWER) in self.issuers:
                made.update(told)
            elif not issuer.endswith(NOTES) and issuer != HEALED:
                self.foreign(node, issuer, told)
        return made

    def foreign(self, node: object, issuer: str, told: JsonObject) -> None:
        """Name the fields of another issuer, those of a stream once."""
        if self._first(issuer, told):
            self.report.foreign(node, issuer, told)

    def _first(self, name: str, told: Iterable[str] = ("",)) -> bool:
        """Whether a loss of this name is to be told."""
        if self._once is None:
            return True
        new = {f"{name} {key}" for key in told} - self._once
        self._once |= new
        return bool(new)

    def parts(
        self, blocks: Sequence[ContentBlock], open_end: bool = False
    ) -> tuple[list[Any], list[TextBlock]]:
        """(the parts of a candidate, the texts in them with what they cite).

        Neighbouring texts are cut as they were when they were read.
        """
        made: list[Any] = []
        texts: list[TextBlock] = []
        for block in blocks:
            if type(block) is TextBlock or type(block) is RefusalBlock:
                texts.append(block if type(block) is TextBlock else TextBlock(block.text))
            parts = (self.part(one, open_end) for one in self._pieces(block))
            made += (part for part in parts if part is not None)
        return made, texts

    def _pieces(self, block: ContentBlock) -> Iterator[ContentBlock]:
        kind = type(block)
        if (
            not self.own
            or block.spelling is None
            or not (kind is TextBlock or kind is ThinkingBlock)
        ):
            yield block
            return
        words = block.spelling.split()
        text = block.text if type(block) is TextBlock else block.thinking  # type: ignore[union-attr]  # one of the two
        lengths = [int(word) for word in words] if all(map(str.isdecimal, words)) else []
        if not lengths:
            yield block
        elif sum(lengths) != len(text):
            yield replace(block, spelling=None)
        else:
            at = 0
            name = "text" if type(block) is TextBlock else "thinking"
            for length in lengths:
                said: dict[str, Any] = {name: text[at : at + length], "spelling": None}
                yield replace(block, **said)
                at += length

    def part(self, block: ContentBlock, open_end: bool = False) -> Any:
        """The part that says the block; None, and a loss, for what no part says.

        `open_end`: the answer broke off, so that half of a call may be the last of it.
        """
        if type(block) is RawBlock:
            return block.data if block.issuer in self.issuers else self._unsaid(block)
        self.beside(block)
        for source in (type(block) is TextBlock and block.citations) or ():
            self.beside(source)
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return {"text": block.text}
        local = block.type in MEDIA_KINDS and block.source.type == "local"  # type: ignore[union-attr]  # a medium
        if local or type(block) is ToolResultBlock:
            return self._unsaid(block)
        if type(block) is ThinkingBlock and not self._readable(block):
            return None
        if type(block) is ToolUseBlock and not (
            isinstance(block.input, dict) or self._as_text(block)
        ):
            return self._half(block, open_end)
        return part_as_read(block, self.issuers[0], self.own)

    def _unsaid(self, block: ContentBlock) -> None:
        self.report.lost("answer.unsaid", block)

    def _readable(self, block: ThinkingBlock) -> bool:
        """Whether there is more to a thought than what only another provider can read in it."""
        if borne(block) is not None:
            return True
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None and self._first(name):
                self.report.lost("answer.unsaid", block, name)
        return self.own or bool(block.thinking)

    def _as_text(self, block: ToolUseBlock) -> bool:
        """Whether the arguments of the call stood as text."""
        return self.own and TEXT in (block.spelling or "").split()

    def _half(self, block: ToolUseBlock, open_end: bool) -> Json:
        """A call without an object for its arguments; one that an answer broke off in goes on."""
        self.report.lost("answer.unsaid", block, "input", what="arguments that are no object")
        self._halved = True
        told = partial(block.raw_input or "") if block.raw_input and not open_end else {}
        made: Any = replace(block, input=told if isinstance(told, dict) else {}, raw_input=None)
        part: Any = part_as_read(made, self.issuers[0], self.own)
        if open_end:
            part["functionCall"] = {**part["functionCall"], "willContinue": True}
            part["functionCall"].pop("args", None)
        return part

    def reason(self, finish: Finish, node: object, broken: bool = False) -> str | None:
        """The word for why it ended; None where nobody told.

        If a call is `broken` off, nobody must take the answer for whole.
        """
        if self.own and not self._halved and (finish.raw is None or fits(finish)):
            return finish.raw
        word, exact = word_for(finish, broken)
        if not exact:
            self.report.lost("answer.finish", node, "finish", what=finish.reason, did=word)
        return word

    def usage(self, usage: Usage) -> JsonObject:
        """`usageMetadata`: the cache is inside of the prompt, thoughts stand beside candidates."""
        own = self.beside(usage)
        tools = own.get(TOOLS)
        made = figures(usage, tools if type(tools) is int else None)
        for key in (usage.extras or {}).get(noted(self.issuers[0]), {}).get("absent", ()):
            made.pop(key, None)
        if not self.own:
            self._filled(made, usage)
        return {**made, **own}

    def _filled(self, made: JsonObject, usage: Usage) -> None:
        """What other wires leave to be summed up, and the sound among the tokens."""
        if usage.cache_write:
            self.report.lost("answer.usage", usage, "cache_write", did="told as prompt")
        if "totalTokenCount" not in made and made:
            names = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
            made["totalTokenCount"] = sum(made.get(name, 0) for name in names)
        for name, count in (("prompt", usage.audio_in), ("candidates", usage.audio_out)):
            if count:
                rest = made.get(f"{name}TokenCount", 0) - count
                told = [{"modality": "TEXT", "tokenCount": rest}] if rest > 0 else []
                sound = {"modality": "AUDIO", "tokenCount": count}
                made[f"{name}TokensDetails"] = [*told, sound]
