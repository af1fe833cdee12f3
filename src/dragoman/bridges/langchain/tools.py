"""LangChain's tools as ours: a model is offered the same, and a call runs the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...errors import InvalidMessage
from ...text.redaction import show
from ...toolkit.functions import FunctionTool
from ..results import load_package
from .names import PACKAGE

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def read_tools(tools: Iterable[BaseTool] | BaseTool) -> list[FunctionTool[..., Any]]:
    """Return tools of LangChain as tools for an LLM, a Toolkit or an agent.

        LLM("anthropic/claude-opus-5-5", tools=langchain.read_tools([search, fetch]))

    Args:
        tools: What LangChain's `@tool`, `StructuredTool` and the like make. Injected arguments are
            not offered to the model, as with LangChain.

    Returns:
        For each one a tool that calls its `invoke`, or its `ainvoke` if it is asynchronous only.

    Raises:
        InvalidMessage: Something is no tool of LangChain; `path` names it.
        ConfigError: `langchain-core` is not installed.
    """
    core = load_package("langchain_core.tools", PACKAGE)
    convert = load_package("langchain_core.utils.function_calling", PACKAGE).convert_to_openai_tool
    given: list[Any] = [tools] if isinstance(tools, core.BaseTool) else [*tools]
    found = []
    for i, one in enumerate(given):
        if not isinstance(one, core.BaseTool):
            fault = f"{show(one)} is no tool of LangChain"
            hint = "our own tools need no bridge"
            raise InvalidMessage(fault, path=f"$[{i}]", hint=hint, code="tool.type")
        offered = convert(one)["function"]
        found.append(
            FunctionTool(
                _run(one),
                name=offered["name"],
                description=offered.get("description"),
                parameters=offered.get("parameters") or {"type": "object", "properties": {}},
            )
        )
    return found


def _run(tool: Any) -> Any:
    """Return the function that runs a tool with its arguments."""
    is_async = getattr(tool, "coroutine", None) is not None and getattr(tool, "func", 0) is None

    def run(**arguments: Any) -> Any:
        return tool.invoke(arguments)

    async def arun(**arguments: Any) -> Any:
        return await tool.ainvoke(arguments)

    return arun if is_async else run
