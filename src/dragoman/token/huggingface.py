"""Tokens as a model's own tokenizer and chat template make them, without the model.

The tokenizer is loaded when it is first used, never at import, and needs no PyTorch, TensorFlow
or Flax. Knows formatted messages by shape only.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from .base import TokenCounterBase
from .chat import Style, as_json, styled, turns
from .hub import MIRROR, library, mirrored, require
from .loading import Loading
from .media import Kind, estimates
from .schemas import function_tools
from .segments import Segments
from .template import Template

__all__ = ["HuggingFaceTokenCounter"]

# What a template writes around a message (`<|im_start|>role\n ... <|im_end|>\n`), for tokenizers
# that have none.
_PER_MESSAGE = 4


class HuggingFaceTokenCounter(Loading, TokenCounterBase):
    """Counts with the tokenizer of a Hugging Face model, by its name or a local folder.

    `use_mirror` downloads from `mirror` (https://hf-mirror.com), for this counter only. Further
    keywords go to the tokenizer (`revision`, `cache_dir`, `chat_template`, ...).

    What is counted: the messages as the chat template writes them, with `tools`. Without a
    template, an estimate: the text of each message plus four tokens. What a template has written
    between two special tokens is tokenized once, however often it is counted. Tools that it does
    not write are counted by their JSON text. Media are never tokenised: each costs the flat
    figure of its kind, which `media_tokens` replaces, e.g. `{"image": 800}`.
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
        self.media_tokens = estimates(media_tokens)
        self.tokenizer_kwargs = tokenizer_kwargs
        self._forget()

    _aside = (*Loading._aside, "_templates", "_segments")

    def _forget(self) -> None:
        super()._forget()
        self._templates: dict[str, Template] = {}
        self._segments: Segments | None = None

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
                name, options = mirrored(name, self.mirror, options, self.trust_remote_code)
            return transformers.AutoTokenizer.from_pretrained(
                name,
                use_fast=self.use_fast,
                trust_remote_code=self.trust_remote_code,
                **options,
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

    async def count(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """The same as `count_sync`, in a worker thread: the first use may download."""
        return await asyncio.to_thread(self.count_sync, messages, tools, **kwargs)

    def count_sync(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """Tokens of the messages and tools; keywords go to the template (`chat_template` too).

        Raises ConfigError if the tokenizer cannot be loaded or the template refuses the messages.
        """
        said, media = turns(messages)
        total = sum(self.media_tokens[medium.kind] for medium in media)
        functions = function_tools(tools) if tools else None
        template = self._template(functions, kwargs.pop("chat_template", None))
        if said and template is not None:
            text, rest = template.write(said, functions, kwargs)
            return total + self._written(text) + self._schemas(rest)
        return total + sum(map(self._plain, said)) + self._schemas(functions)

    @property
    def decomposes(self) -> bool:  # type: ignore[override]  # it depends on the tokenizer
        """Whether the count is a sum: without a chat template, and once the tokenizer is loaded.

        A template writes what it likes between messages, so with one only whole lists count.
        """
        return self._loaded is not None and not self._loaded.chat_template

    def count_message(self, message: dict[str, Any]) -> int:
        """The tokens of one message by a tokenizer without a template."""
        said, media = turns([message])
        return sum(self.media_tokens[medium.kind] for medium in media) + sum(map(self._plain, said))

    def overhead(self, tools: list[dict[str, Any]] | None = None) -> int:
        """The tokens of tool schemas by a tokenizer without a template."""
        return self._schemas(function_tools(tools) if tools else None)

    def _plain(self, turn: dict[str, Any]) -> int:
        return _PER_MESSAGE + sum(
            self._tokens(text) for view in styled([turn], Style()) for text in _texts(view)
        )

    def _schemas(self, functions: list[dict[str, Any]] | None) -> int:
        return self._tokens(as_json(functions)) if functions else 0

    def _template(self, tools: list[dict[str, Any]] | None, given: str | None) -> Template | None:
        """The template for these tools: a tokenizer may hold one for tools and one without."""
        if given is None and not self.tokenizer.chat_template:
            return None
        try:
            text = self.tokenizer.get_chat_template(given, tools)
        except ValueError as error:  # several templates and none by default
            raise ConfigError(
                str(error), hint="choose one with chat_template=", code="token.template"
            ) from error
        if text not in self._templates:
            self._templates[text] = Template(self.tokenizer, text)
        return self._templates[text]

    def _written(self, text: str) -> int:
        """The tokens of a template's text, of which the segments seen before cost nothing."""
        if self._segments is None:
            self._segments = Segments(self.tokenizer, self._tokens)
        return self._segments.tokens(text)

    def _tokens(self, text: str) -> int:
        if not text.isascii():  # a lone surrogate has no UTF-8 form, and no tokenizer takes it
            text = text.encode("utf-8", "replace").decode("utf-8")
        found = self.tokenizer(text, add_special_tokens=False, verbose=False)
        return len(found["input_ids"])


def _texts(message: dict[str, Any]) -> list[str]:
    """All text of a turn, for a tokenizer that has no template."""
    texts = [message["content"], message.get("reasoning_content")]
    texts += [
        as_json(call.get("function", call) if isinstance(call, dict) else call)
        for call in message.get("tool_calls") or ()
    ]
    return [text for text in texts if isinstance(text, str) and text]
