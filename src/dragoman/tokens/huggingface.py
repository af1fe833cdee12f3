"""Tokens of a text that a chat template wrote, counted in segments so that only new ones cost.

A tokenizer takes its special tokens out of a text before it looks at anything else, so the text
between two of them is tokenized alone: the sum over the segments is exact. Where that is
not sure (tokens that reach over their borders, words marked by their place), the text stays whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from ..text.json_text import JsonObject
from . import chat_messages
from .base import Messages, Tools
from .cached import FigureCache
from .chat_messages import Kind, Style
from .loading import MIRROR, Loading, fetch_from_mirror, library, require

_SIZE = 16_384
_TRIES = 4  # texts that are looked at for a border
_LONG = 256  # what is longer is known by its length and hash, so that no long text is kept


class SegmentCounter:
    """Counts the tokens of texts with `count`, and remembers the segments between borders.

    The border is the special token that the first texts have most of.
    """

    def __init__(self, tokenizer: Any, count: Callable[[str], int]) -> None:
        self._count = count
        self._kept = FigureCache(_SIZE)
        self._added, self._clean = _tokens(tokenizer)
        self._border = ""
        self._tries = _TRIES

    def tokens(self, text: str) -> int:
        """The tokens of the whole text, exactly."""
        if not self._border and self._tries:
            self._border = self._find_border(text)
        if not self._border:
            return self._count(text)
        segments = text.split(self._border)
        return len(segments) - 1 + sum(self._one(segment) for segment in segments if segment)

    def _find_border(self, text: str) -> str:
        self._tries -= 1
        counts = {border: text.count(border) for border in self._clean}
        likely = sorted((border for border in counts if counts[border] > 1), key=counts.__getitem__)
        return next((border for border in likely[::-1] if is_border(border, self._added)), "")

    def _one(self, segment: str) -> int:
        size = len(segment)
        key = segment if size <= _LONG else (size, hash(segment), segment[:16])
        tokens = self._kept.get(key)
        return self._kept.put(key, self._count(segment)) if tokens is None else tokens


def _tokens(tokenizer: Any) -> tuple[list[str], list[str]]:
    """(all added tokens, those that are found at any place and take nothing beside them along)."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or backend.truncation or backend.padding or backend.encode_special_tokens:
        return [], []
    # it may mark the beginning of a text, which a segment is not
    if backend.pre_tokenizer is not None and "Metaspace" in repr(backend.pre_tokenizer):
        return [], []
    tokens = list(backend.get_added_tokens_decoder().values())
    clean = [
        token.content
        for token in tokens
        if token.special
        and not (token.normalized or token.lstrip or token.rstrip or token.single_word)
    ]
    return [token.content for token in tokens], clean


def is_border(border: str, others: list[str]) -> bool:
    """Whether no token holds the border or ends in its beginning, and no word reaches over it."""
    if border[0].isalnum() or border[-1].isalnum() or "_" in (border[0], border[-1]):
        return False
    return not any(
        _overlaps(other, border) or (other != border and border in other) for other in others
    )


def _overlaps(other: str, border: str) -> bool:
    """Whether the border can begin inside the other; a word may follow itself."""
    return border[0] in other[1:] and any(
        border.startswith(other[start:]) for start in range(1, len(other))
    )


_WORD = "dragoman"

# What a template's expressions raise besides jinja2's own errors.
_FAULTS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


class Template:
    """A tokenizer's template, with the style of messages that it reads."""

    def __init__(self, tokenizer: Any, text: str) -> None:
        self._tokenizer = tokenizer
        self._text = text
        self._errors: tuple[type[Exception], ...] = (library("jinja2").TemplateError, *_FAULTS)
        parts = self._reads([{"type": "text", "text": _WORD}])
        self.style = Style(strings=self._reads(_WORD) or not parts, parts=parts)

    def _reads(self, content: Any) -> bool:
        try:
            text = self._render([{"role": "user", "content": content}], None, {})
        except self._errors:
            return False
        return _WORD in text and "'text'" not in text and '"text"' not in text

    def _render(self, messages: Messages, tools: Any, options: JsonObject) -> str:
        settings = {"add_generation_prompt": False, **options, "tokenize": False}
        text: str = self._tokenizer.apply_chat_template(
            messages, tools=tools, chat_template=self._text, **settings
        )
        return text

    def write(self, messages: Messages, tools: Tools, options: JsonObject) -> tuple[str, Tools]:
        """The text of the messages and tools, and the tools again if the template left them out.

        Call arguments are given as objects, or, where the template fails on these, as text.
        """
        fault: Exception | None = None
        for objects in (True, False):
            turns = chat_messages.styled_turns(messages, replace(self.style, objects=objects))
            try:
                text = self._render(turns, tools, options)
                left_out = tools is not None and text == self._render(turns, None, options)
            except self._errors as error:
                fault = fault or error
            else:
                return text, tools if left_out else None
        raise ConfigError(
            f"the chat template refuses these messages: {fault}",
            hint="many templates want the system message first and user and assistant in turn; "
            "merge neighbours, or pass a chat_template= that takes them",
            code="token.template",
        ) from fault


# What a template writes around a message (`<|im_start|>role\n ... <|im_end|>\n`), for tokenizers
# that have none.
_PER_MESSAGE = 4


class HuggingFaceTokenCounter(Loading):
    """Counts with the tokenizer of a Hugging Face model, by its name or a local folder.

    What is counted: the messages as the chat template writes them, with `tools`. Without a
    template, an estimate: the text of each message plus four tokens. What a template has written
    between two special tokens is tokenized once, however often it is counted. Tools that it does
    not write are counted by their JSON text. Media are never tokenised: each costs the flat
    figure of its kind.

    Args:
        pretrained_model_name_or_path: The model's name at the hub, or a local folder.
        use_mirror: Whether to download from `mirror`, for this counter only.
        use_fast: Whether to use the tokenizer in Rust, where there is one.
        trust_remote_code: Whether code of the model's repository may run.
        mirror: The address of a mirror of the hub (https://hf-mirror.com).
        media_tokens: Figures by kind of medium that replace the flat ones, e.g. `{"image": 800}`.
        **tokenizer_kwargs: Options of the tokenizer: `revision`, `cache_dir`, `chat_template`, ...
    """

    def __init__(
        self,
        pretrained_model_name_or_path: str | os.PathLike[str],
        use_mirror: bool = False,
        use_fast: bool = True,
        trust_remote_code: bool = False,
        *,
        mirror: str | None = None,
        media_tokens: Mapping[Kind, int] | None = None,
        **tokenizer_kwargs: Any,
    ) -> None:
        require("HuggingFaceTokenCounter", "transformers", "tokenizers", "jinja2")
        self.pretrained_model_name_or_path = os.fspath(pretrained_model_name_or_path)
        self.mirror = (mirror or MIRROR) if use_mirror or mirror else None
        self.use_fast = use_fast
        self.trust_remote_code = trust_remote_code
        self.media_tokens = chat_messages.media_estimates(media_tokens)
        self.tokenizer_kwargs = tokenizer_kwargs
        self._forget()

    _aside = (*Loading._aside, "_templates", "_segments")

    def _forget(self) -> None:
        super()._forget()
        self._templates: dict[str, Template] = {}
        self._segments: SegmentCounter | None = None

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of the transformers library, loaded (and downloaded) at first use."""
        return self._once()

    def _load(self) -> Any:
        transformers = library("transformers")
        name, options = self.pretrained_model_name_or_path, self.tokenizer_kwargs
        try:
            # a name stays as it was given: on Windows a path would turn its slash
            if (folder := Path(name).expanduser()).is_dir():
                name = str(folder)
            elif self.mirror:
                name, options = fetch_from_mirror(
                    name, self.mirror, options, self.trust_remote_code
                )
            return transformers.AutoTokenizer.from_pretrained(
                name, use_fast=self.use_fast, trust_remote_code=self.trust_remote_code, **options
            )
        except ConfigError:
            raise
        except Exception as error:  # the tokenizers library raises bare Exception for bad files
            raise ConfigError(
                f"no tokenizer of {self.pretrained_model_name_or_path!r}: {error}",
                hint="check the name or the folder, and the network; "
                "use_mirror=True downloads from a mirror",
                code="token.not_loaded",
            ) from error

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Tokens of the messages and tools; keywords go to the template (`chat_template` too).

        Raises ConfigError if the tokenizer cannot be loaded or the template refuses the messages.
        """
        turns, media = chat_messages.template_turns(messages)
        total = sum(self.media_tokens[medium.kind] for medium in media)
        functions = chat_messages.function_tools(tools) if tools else None
        template = self._template(functions, kwargs.pop("chat_template", None))
        if turns and template is not None:
            text, left_out = template.write(turns, functions, kwargs)
            return total + self._count_written(text) + self._schemas(left_out)
        return total + sum(map(self._plain, turns)) + self._schemas(functions)

    @property
    def decomposes(self) -> bool:  # type: ignore[override]  # it depends on the tokenizer
        """Whether the count is a sum: without a chat template, and once the tokenizer is loaded.

        A template writes what it likes between messages, so with one only whole lists count.
        """
        return self._loaded is not None and not self._loaded.chat_template

    def count_message(self, message: JsonObject) -> int:
        """The tokens of one message by a tokenizer without a template."""
        turns, media = chat_messages.template_turns([message])
        media_tokens = sum(self.media_tokens[medium.kind] for medium in media)
        return media_tokens + sum(map(self._plain, turns))

    def overhead(self, tools: Tools = None) -> int:
        """Count the tokens of tool schemas, by a tokenizer without a template.

        Args:
            tools: The tool schemas as they go to the provider; None counts no tools.

        Returns:
            The number of tokens.
        """
        return self._schemas(chat_messages.function_tools(tools) if tools else None)

    def _plain(self, turn: JsonObject) -> int:
        return _PER_MESSAGE + sum(
            self._tokens(text)
            for view in chat_messages.styled_turns([turn], Style())
            for text in _texts(view)
        )

    def _schemas(self, functions: Tools) -> int:
        return self._tokens(chat_messages.as_json(functions)) if functions else 0

    def _template(self, tools: Tools, name: str | None) -> Template | None:
        """The template for these tools: a tokenizer may hold one for tools and one without."""
        if name is None and not self.tokenizer.chat_template:
            return None
        try:
            text = self.tokenizer.get_chat_template(name, tools)
        except ValueError as error:  # several templates and none by default
            hint = "choose one with chat_template="
            raise ConfigError(str(error), hint=hint, code="token.template") from error
        if text not in self._templates:
            self._templates[text] = Template(self.tokenizer, text)
        return self._templates[text]

    def _count_written(self, text: str) -> int:
        """The tokens of a template's text, of which the segments seen before cost nothing."""
        if self._segments is None:
            self._segments = SegmentCounter(self.tokenizer, self._tokens)
        return self._segments.tokens(text)

    def _tokens(self, text: str) -> int:
        if not text.isascii():  # a lone surrogate has no UTF-8 form, and no tokenizer takes it
            text = text.encode("utf-8", "replace").decode("utf-8")
        encoding = self.tokenizer(text, add_special_tokens=False, verbose=False)
        return len(encoding["input_ids"])


def _texts(message: JsonObject) -> list[str]:
    """All text of a turn, for a tokenizer that has no template."""
    calls = message.get("tool_calls") or ()
    functions = [call.get("function", call) if isinstance(call, dict) else call for call in calls]
    texts = [
        message["content"],
        message.get("reasoning_content"),
        *map(chat_messages.as_json, functions),
    ]
    return [text for text in texts if isinstance(text, str) and text]
