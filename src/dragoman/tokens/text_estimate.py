"""About how many tokens a text takes, where its tokenizer is not installed: in one pass over it.

A text is cut into pieces as tokenizers cut it, each character known by its class alone (small and
large letters, digits, signs, white space, and one class for each script). A piece costs what
pieces of its shape cost on average in a vocabulary. The figures were fitted to the real tokenizers
on 1.3 MB of prose in eighteen languages, source code, JSON, tables and ids
(`benchmarks/tokens`); a test holds the estimate within a tenth of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

# Classes of characters by the first byte of their UTF-8; what continues one is left out.
_ASCII = (
    (b"abcdefghijklmnopqrstuvwxyz", b"a"),
    (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"A"),
    (b"0123456789", b"0"),
    (b" ", b" "),
    (b"\n", b"\n"),
    (b"\t", b"\t"),
)
_SCRIPTS = (
    (range(0xC2, 0xC3), b"p"),  # signs such as those of degrees and paragraphs
    (range(0xC3, 0xCC), b"l"),  # Latin letters with accents
    (range(0xCC, 0xD0), b"g"),  # Greek
    (range(0xD0, 0xD5), b"r"),  # Cyrillic
    (range(0xD5, 0xD8), b"h"),  # Armenian, Hebrew
    (range(0xD8, 0xE0), b"b"),  # Arabic, Syriac, Thaana
    (range(0xE0, 0xE1), b"i"),  # the scripts of India, Thai, Lao
    (range(0xE1, 0xE2), b"v"),  # Vietnamese above all
    (range(0xE2, 0xE3), b"p"),  # typographic signs, arrows, currencies
    (range(0xE3, 0xE4), b"k"),  # kana, and the full stops of Chinese
    (range(0xE4, 0xEA), b"z"),  # Han characters
    (range(0xEA, 0xEE), b"o"),  # Hangul
    (range(0xEE, 0xF0), b"f"),  # full-width commas
    (range(0xF0, 0x100), b"m"),  # emoji
)


def _classes() -> bytes:
    table = bytearray(b"." * 256)
    for letters, kind in (*_ASCII, *_SCRIPTS):
        for byte in letters:
            table[byte] = kind[0]
    return bytes(table)


_CLASSES = _classes()
_CONTINUED = bytes(range(0x80, 0xC0)) + b"\r"

# Runs of spaces are marked apart, so that a text falls into words at the others.
_SPACES, _MARKED = b"  ", b"~~"
_PIECES = re.compile(
    rb"[ .]?(?:A?[alv]+|A+)|0+| ?\.+\n*|\n[\n \t~]*|[ \t~]+"
    rb"|z+|k+| ?r+| ?b+| ?h+| ?g+|i+|o+|[pfm]+"
)

VOCABULARIES = ("o200k", "cl100k", "qwen", "tekken", "deepseek", "claude")

# What a feature of a piece costs in each of these vocabularies.
_WEIGHTS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        # words in small letters, of more than 4 and 10; likewise with a capital; in capitals
        "l0": (0.96, 1.00, 0.97, 0.99, 0.94, 1.02),
        "l>4": (0.03, 0.03, 0.04, 0.03, 0.08, 0.02),
        "l>10": (0.13, 0.14, 0.04, 0.14, 0.00, 0.03),
        "C0": (1.26, 1.33, 1.28, 1.26, 1.25, 1.29),
        "C>7": (0.16, 0.25, 0.34, 0.26, 0.24, 0.31),
        "C>10": (0.53, 0.81, 0.55, 0.42, 0.63, 0.98),
        "U0": (0.91, 0.98, 0.72, 0.74, 1.20, 1.32),
        "U>1": (0.16, 0.14, 0.16, 0.34, 0.19, 0.09),
        # a sign before a word; letters with accents
        "dot": (0.43, 0.31, 0.36, 0.49, 0.67, 1.07),
        "ext": (1.26, 2.28, 1.95, 1.39, 2.01, 2.89),
        "viet": (0.09, 0.09, 0.16, 0.00, 0.13, 0.29),
        # digits, by threes and each
        "d3": (1.29, 1.31, 1.57, 1.64, 1.18, 1.15),
        "d1": (0.00, 0.00, 0.28, 0.27, 0.00, 0.00),
        # runs of one to four signs, each further one, lines that end in one, a space before them
        "p1": (0.78, 0.76, 0.88, 0.80, 0.86, 0.90),
        "p2": (0.77, 0.68, 0.85, 0.85, 0.77, 0.68),
        "p3": (1.49, 1.42, 1.07, 1.28, 1.35, 1.55),
        "p4": (1.72, 1.73, 1.82, 1.94, 2.27, 2.15),
        "p+": (0.07, 0.06, 0.05, 0.08, 0.05, 0.08),
        "pn": (0.00, 0.00, 0.00, 0.00, 0.00, 0.30),
        "sp": (0.42, 0.34, 0.26, 0.37, 0.33, 0.28),
        # typographic and full-width signs, emoji
        "pr": (1.26, 1.49, 1.17, 1.46, 1.05, 1.36),
        "fc": (1.80, 2.17, 1.70, 1.98, 1.74, 1.87),
        "mc": (1.11, 1.29, 0.78, 3.47, 1.95, 2.94),
        # spaces, lines, what they are indented by
        "sp1": (0.00, 0.10, 0.27, 0.00, 0.29, 0.00),
        "spn": (1.13, 1.23, 1.01, 1.08, 1.07, 0.57),
        "nl": (0.76, 0.30, 0.98, 0.95, 0.75, 0.34),
        "nl2": (0.95, 0.18, 1.90, 1.42, 1.54, 0.37),
        "ind": (0.98, 0.79, 0.36, 0.96, 0.36, 0.00),
        "ind+": (0.12, 0.14, 0.18, 0.12, 0.14, 0.03),
        # a run in a script, and each character of it
        "zr": (0.54, 0.00, 1.12, 0.87, 0.93, 0.00),
        "zc": (0.64, 1.10, 0.44, 0.77, 0.41, 0.99),
        "kr": (0.20, 0.15, 0.20, 0.00, 0.11, 0.35),
        "kc": (0.60, 0.98, 0.41, 0.51, 0.52, 0.90),
        "rr": (1.28, 1.69, 0.96, 1.03, 0.93, 1.09),
        "rc": (0.07, 0.18, 0.15, 0.15, 0.14, 0.39),
        "gr": (0.82, 0.00, 0.18, 0.93, 0.00, 0.00),
        "gc": (0.28, 1.06, 0.95, 0.28, 0.50, 1.33),
        "hr": (0.00, 0.21, 0.00, 0.00, 0.00, 0.15),
        "hc": (0.50, 1.20, 0.42, 0.57, 0.52, 1.09),
        "br": (0.00, 0.05, 0.00, 0.00, 0.00, 0.75),
        "bc": (0.38, 0.82, 0.39, 0.35, 0.39, 0.94),
        "ir": (0.00, 1.07, 2.29, 0.00, 1.01, 0.00),
        "ic": (0.39, 0.93, 0.50, 0.48, 0.37, 1.46),
        "or": (0.65, 0.64, 0.47, 0.72, 0.45, 0.20),
        "oc": (0.51, 0.91, 0.60, 0.45, 0.61, 1.26),
    }
)

_KEPT = 4096  # shapes whose cost is kept, none longer than this many characters
_LONGEST = 24


class TextEstimate:
    """Estimates the tokens of texts in one vocabulary.

    Args:
        vocabulary: One of `VOCABULARIES`.
        factor: What the figures are multiplied by, for a tokenizer that is known by counts alone.

    >>> round(TextEstimate("o200k").tokens("The quick brown fox jumps over the lazy dog."))
    10
    """

    __slots__ = ("_costs", "_factor", "_weights")

    def __init__(self, vocabulary: str, factor: float = 1.0) -> None:
        column = VOCABULARIES.index(vocabulary)
        self._weights = {name: row[column] for name, row in _WEIGHTS.items()}
        self._factor = factor
        self._costs: dict[bytes, float] = {}

    def tokens(self, text: str) -> float:
        """About how many tokens the text takes; not rounded, so that short texts add up."""
        shaped = text.encode("utf-8", "replace").translate(_CLASSES, _CONTINUED)
        costs, total = self._costs, 0.0
        for word, count in Counter(shaped.replace(_SPACES, _MARKED).split(b" ")).items():
            cost = costs.get(word)
            total += (self._word(word) if cost is None else cost) * count
        return total * self._factor

    def _word(self, word: bytes) -> float:
        """The tokens of a word, with the space before it."""
        pieces = Counter(_PIECES.findall(b" " + word))
        cost = sum(self._piece(shape) * count for shape, count in pieces.items())
        return self._keep(word, cost)

    def _piece(self, shape: bytes) -> float:
        key = b"~" + shape  # no word begins with a single one
        cost = self._costs.get(key)
        if cost is None:
            cost = sum(map(self._weights.__getitem__, _features(shape)))
            self._keep(key, cost := cost + _lengths(shape, self._weights))
        return cost

    def _keep(self, key: bytes, cost: float) -> float:
        if len(self._costs) < _KEPT and len(key) <= _LONGEST:
            self._costs[key] = cost
        return cost


def _features(shape: bytes) -> list[str]:
    """What a piece costs whatever its length."""
    first, body = shape[:1], shape.lstrip(b" ~")
    if first in b" ." and shape[1:2] and shape[1:2] in b"aAlv":
        word = shape[1:]
        features = ["dot"] if first == b"." else []
        return [*features, "U0" if _is_upper(word) else "C0" if word[:1] == b"A" else "l0"]
    if first in b"aAlv":
        return ["U0" if _is_upper(shape) else "C0" if first == b"A" else "l0"]
    if first == b"\n":
        features = ["nl" if shape.count(b"\n") == 1 else "nl2"]
        return [*features, "ind"] if shape[-1:] in b" \t~" else features
    if not body.strip(b" \t~"):
        return ["sp1" if len(shape) == 1 else "spn"]
    if body[:1] == b".":
        signs = body.count(b".")
        features = [f"p{min(signs, 4)}"]
        features += ["pn"] if body[-1:] == b"\n" else []
        return [*features, "sp"] if first == b" " else features
    if (run := f"{chr(body[0])}r") in _WEIGHTS:
        return [run]
    return []


def _lengths(shape: bytes, weights: Mapping[str, float]) -> float:
    """What each further character of a piece costs."""
    body = shape.lstrip(b" ")
    first = body[:1]
    if first == b"." and body[1:2] and body[1:2] in b"aAlv":
        body, first = body[1:], body[1:2]
    size = len(body)
    if first and first in b"aAlv":
        accents = weights["ext"] * body.count(b"l") + weights["viet"] * body.count(b"v")
        if _is_upper(body):
            return accents + weights["U>1"] * (size - 1)
        kind, least = ("C", 7) if first == b"A" else ("l", 4)
        longer = max(0, size - least) * weights[f"{kind}>{least}"]
        return accents + longer + max(0, size - 10) * weights[f"{kind}>10"]
    if first == b"0":
        return weights["d3"] * -(-size // 3) + weights["d1"] * size
    if first == b".":
        return weights["p+"] * max(0, body.count(b".") - 4)
    if first == b"\n":
        return weights["ind+"] * max(0, size - body.count(b"\n") - 8)
    return sum(weights.get(f"{chr(letter)}c", 0.0) * body.count(letter) for letter in set(body))


def _is_upper(word: bytes) -> bool:
    return len(word) > 1 and word.isupper()
