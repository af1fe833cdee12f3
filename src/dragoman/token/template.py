"""One chat template: what it reads, learned by trying it, and the text that it writes.

Templates differ in silence: one given parts where it reads strings writes their Python form, one
given a string where it reads parts writes nothing. So each is tried once with a known word.
"""

from __future__ import annotations

from typing import Any

from ..errors import ConfigError
from .chat import Style, styled
from .hub import library

__all__ = ["Template"]

_WORD = "dragoman"
# What a template's expressions raise besides jinja2's own errors.
_FAULTS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


class Template:
    """A tokenizer's template, with the style of messages that it reads."""

    def __init__(self, tokenizer: Any, text: str) -> None:
        self._tokenizer = tokenizer
        self._text = text
        self._errors: tuple[type[Exception], ...] = (
            library("jinja2").TemplateError,
            *_FAULTS,
        )
        parts = self._reads([{"type": "text", "text": _WORD}])
        self.style = Style(strings=self._reads(_WORD) or not parts, parts=parts)

    def _reads(self, content: Any) -> bool:
        try:
            text = self._render([{"role": "user", "content": content}], None, {})
        except self._errors:
            return False
        return _WORD in text and "'text'" not in text and '"text"' not in text

    def _render(self, messages: list[dict[str, Any]], tools: Any, options: dict[str, Any]) -> str:
        wanted = {"add_generation_prompt": False, **options, "tokenize": False}
        text: str = self._tokenizer.apply_chat_template(
            messages, tools=tools, chat_template=self._text, **wanted
        )
        return text

    def write(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
        options: dict[str, Any],
    ) -> tuple[str, list[dict[str, Any]] | None]:
        """The text of the messages and tools, and the tools again if the template left them out.

        Call arguments are given as objects, or, where the template fails on these, as text.
        """
        try:
            return self._write(styled(messages, self.style), tools, options)
        except self._errors as error:
            as_text = Style(self.style.strings, self.style.parts, objects=False)
            try:
                return self._write(styled(messages, as_text), tools, options)
            except self._errors:
                raise _refused(error) from error

    def _write(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None,
        options: dict[str, Any],
    ) -> tuple[str, list[dict[str, Any]] | None]:
        text = self._render(messages, tools, options)
        unsaid = tools is not None and text == self._render(messages, None, options)
        return text, tools if unsaid else None


def _refused(error: Exception) -> ConfigError:
    return ConfigError(
        f"the chat template refuses these messages: {error}",
        hint="many templates want the system message first and user and assistant in turn; "
        "merge neighbours, or pass a chat_template= that takes them",
        code="token.template",
    )
