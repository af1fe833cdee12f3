"""Typed output of a ChatModel: the schema for an LLM, and what reads the messages."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, Literal, TypeAlias, get_args

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import BaseCumulativeTransformOutputParser
from langchain_core.outputs import ChatGeneration, Generation
from langchain_core.runnables import Runnable, RunnableMap, RunnablePassthrough
from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel
from pydantic.v1 import BaseModel as OldBaseModel

from ...errors import ConfigError, InvalidOutput
from ...message import Candidate, ChatResponse, Finish
from ...structured_output import Structured
from ...text.redaction import show
from .reading import read_messages

Method: TypeAlias = Literal["auto", "json_schema", "function_calling", "json_mode"]
_WAYS = {"auto": "auto", "json_schema": "schema", "function_calling": "tool", "json_mode": "json"}


def as_structured(schema: Any, strict: bool | None) -> Structured[Any]:
    """Return what asks for a schema in any of LangChain's forms, and reads the answers.

    Args:
        schema: A pydantic model, a TypedDict, a JSON Schema, or the schema of a function.
        strict: Whether the provider is asked to keep to it; None: where it can.

    Raises:
        InvalidMessage: There is no schema of that.
    """
    if isinstance(schema, Structured):
        return schema
    wish: dict[str, Any] = {} if strict is None else {"strict": strict}
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return Structured(schema, **wish)
    if isinstance(schema, Mapping) and schema.get("type") in ("json_schema", "json_object"):
        return Structured(schema, **wish)  # as OpenAI spells a format
    made = convert_to_json_schema(schema)
    return Structured(made, name=made.get("title"), description=made.get("description"), **wish)


def bind_structured(
    model: BaseChatModel,
    schema: Any,
    include_raw: bool,
    method: str,
    strict: bool | None,
    more: Mapping[str, Any],
) -> Runnable[Any, Any]:
    """Return a runnable that asks a model for values of a type; `ChatModel` describes it."""
    if method not in get_args(Method):
        hint = f"one of {', '.join(get_args(Method))}"
        text = f"there is no method {show(method)}"
        raise ConfigError(text, path="$.method", hint=hint, code="llm.way")
    structured = as_structured(schema, strict)
    shown = {"kwargs": {"method": method, "strict": strict}, "schema": schema}
    bound = model.bind(
        response_format=structured,
        way=_WAYS[method],
        include_raw=include_raw,
        ls_structured_output_format=shown,
        **more,
    )
    parser = AnswerParser(structured=structured, of=schema)
    if not include_raw:
        return bound | parser
    parsed = RunnablePassthrough.assign(
        parsed=itemgetter("raw") | parser, parsing_error=lambda _: None
    )
    failed = RunnablePassthrough.assign(parsed=lambda _: None)
    return RunnableMap(raw=bound) | parsed.with_fallbacks([failed], exception_key="parsing_error")


class AnswerParser(BaseCumulativeTransformOutputParser[Any]):
    """Reads messages of a ChatModel as values.

    Attributes:
        structured: Reads the text.
        of: The type that was asked for; instances of a pydantic model are made of it.
    """

    structured: Any
    of: Any

    @property
    def _type(self) -> str:
        return "dragoman"

    def parse(self, text: str) -> Any:
        """Read a text.

        Args:
            text: The text of an answer.

        Returns:
            The value.

        Raises:
            InvalidOutput: It does not fit.
        """
        return self._typed(self.structured.parse(text))

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Read an answer.

        Args:
            result: The answer.
            partial: Whether it is still arriving: what does not fit yet is None.

        Returns:
            The value; of a stream as far as it has arrived.

        Raises:
            InvalidOutput: It does not fit, was cut, or was refused.
        """
        first = result[0]
        message = first.message if isinstance(first, ChatGeneration) else None
        if partial:
            value = self.structured.partial(first.text)
            try:
                return None if value is None else self._so_far(value)
            except (ValueError, TypeError, InvalidOutput):
                return None
        if not isinstance(message, AIMessage):
            return self.parse(first.text)
        [msg] = read_messages([message]).messages
        found = msg.metadata.get("finish")
        finish = Finish(found["reason"], found["raw"]) if isinstance(found, Mapping) else Finish()
        # how an answer ended decides whether it is one
        whole = ChatResponse([Candidate(msg, finish)], status="complete")
        return self._typed(self.structured.parse(whole))

    def _so_far(self, value: Any) -> Any:
        """Return a value that is still arriving; a model whose fields are not all there is none."""
        if isinstance(self.of, type) and issubclass(self.of, BaseModel):
            return self.of.model_validate(value)
        return self._typed(value)

    def _typed(self, value: Any) -> Any:
        if isinstance(self.of, type) and issubclass(self.of, OldBaseModel):
            return self.of.parse_obj(value)
        return value
