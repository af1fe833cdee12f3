"""The system prompt: base prompt, tool list, long-term memories, always in that order.

Every heading is replaceable, in any language.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..errors import ConfigError
from ..message import Tool
from ..text.redaction import show

_WHEN = ("never", "unsupported", "always")


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """How a system prompt is built.

    Args:
        describe_tools: Whether the text lists the tools: `always`, only where the model takes no
            tools (`unsupported`), or `never`. The request's own field has them in any case.
        tools_heading: The text before the list of tools.
        tool_line: The template of a tool's line, with the fields `{name}` and `{description}`.
        memories_opening: The text before the long-term memories.
        memories_closing: The text after them.

    Raises:
        ConfigError: `describe_tools` is none of the three.

    >>> print(SystemPrompt(describe_tools="always").build("You help.", [Tool("now", "the time")]))
    You help.
    <BLANKLINE>
    You have the following tools available:
    - now: the time
    <BLANKLINE>
    """

    describe_tools: Literal["never", "unsupported", "always"] = "never"
    tools_heading: str = "\n\nYou have the following tools available:\n"
    tool_line: str = "- {name}: {description}\n"
    memories_opening: str = "\n\n<long_term_memory>\n"
    memories_closing: str = "\n</long_term_memory>"

    def __post_init__(self) -> None:
        if self.describe_tools not in _WHEN:
            text = f"describe_tools is one of {', '.join(_WHEN)}, not {show(self.describe_tools)}"
            raise ConfigError(text, code="prompt.describe_tools")

    def build(
        self, base: str | None, tools: Iterable[Tool] = (), memories: str | None = None
    ) -> str:
        """Build the text of a system prompt.

        Args:
            base: The text that comes first; None for no text.
            tools: The tools that the text lists, whatever the value of `describe_tools`.
            memories: The long-term memories, last of all; None leaves their frame out too.

        Returns:
            The text.
        """
        text = base or ""
        line = self.tool_line
        lines = [line.format(name=tool.name, description=tool.description) for tool in tools]
        if lines:
            text += self.tools_heading + "".join(lines)
        if memories is not None:
            text += f"{self.memories_opening}{memories}{self.memories_closing}"
        return text

    def describes(self, supported: bool) -> bool:
        """Decide whether the text lists the tools.

        Args:
            supported: Whether the model takes tools in the request's own field.

        Returns:
            True if the tools belong in the text.
        """
        return self.describe_tools in (("always",) if supported else ("always", "unsupported"))
