"""Speech beside the choices: `output.audio`, in pieces of base64 or as a link to the whole of it.

Reference: Model Studio, "Qwen-TTS" and "Qwen-Omni", `output.audio`.
"""

from __future__ import annotations

from ...jsontext import JsonObject
from ...message import AudioBlock, Base64Source, URLSource
from ...message.blocks import answered
from ...pieces import Part, Piece

__all__ = ["SOUND_FIELD", "Sound"]

SOUND = 2  # behind the content
SOUND_FIELD = "sound"  # the spelling of sound that stands beside the choices, not in a part


class Sound:
    """The sound of one answer."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._streamed = False  # it comes in pieces; a link behind them is kept beside them

    def read(self, told: JsonObject, made: list[Piece]) -> None:
        """Append the piece of one event."""
        data, url = told.get("data"), told.get("url")
        block: AudioBlock | None = None
        if isinstance(data, str) and data:
            block, self._streamed = (
                AudioBlock(Base64Source("audio/wav", data), spelling=SOUND_FIELD),
                True,
            )
        elif isinstance(url, str) and url and not self._streamed:
            block = AudioBlock(URLSource(url), spelling=SOUND_FIELD)
        else:
            block = AudioBlock(Base64Source("audio/wav", ""), spelling=SOUND_FIELD)
        used = "url" if type(block.source) is URLSource else "data" if data else ""
        rest = {k: v for k, v in told.items() if k != used}
        if rest:
            block.extras = {answered(self._issuer): rest}
        made.append(Part((0, SOUND, 0), block))
