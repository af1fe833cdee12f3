"""Names and texts made of everything that could pass for a tag or for another speaker's line."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["NAMES", "texts"]

NAMES = (
    "Alice", "Bob", "alice", "Dr. X", "小明", "", "Dr: X", "Dr_ X", "A\nB", "<history>", "\\Bob",
    "Bob]: ", "</history>", "user", " Bob", "Bob ", "＼Bob", "::", "】", "】x",
)  # fmt: skip
_PIECES = (
    "Alice", "Bob", "ALICE", "Ａlice", "A\u200blice", "Dr. X", "<history>", "</history>",
    "</ history >", "＜/History＞", "<\\/history>", "\\", "\\\\", ":", "：", "∶", ": ", " ",
    "\n", "\n", "\r", "\r\n", "\u2028", "\x85", "\t", "\u200b", "x", "Note", "user", "[", "]",
    "]: ", "[Alice]: ", "【", "】", "小明", "\x00", "<", "/history>", "history", "--- end",
    "END", "# ", ";",
)  # fmt: skip
texts = st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)
