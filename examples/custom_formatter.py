"""A formatter of your own: each run of conversation becomes a page of a screenplay.

Calls, results and the system prompt are formatted as OpenAI's API takes them.
"""

from typing import Any

from dragoman import Msg
from dragoman.formatter import OpenAIMultiAgentFormatter


class Screenplay(OpenAIMultiAgentFormatter):
    """Bob's "Hi." becomes "BOB. Hi."."""

    async def _format_agent_message(
        self, msgs: list[Msg], is_first: bool = True
    ) -> list[dict[str, Any]]:
        lines = [f"{m.name.upper()}. {m.get_text_content()}" for m in msgs]
        return [{"role": "user", "content": "\n".join(lines)}]


if __name__ == "__main__":
    talk = [Msg("Bob", "Is it far?", "user"), Msg("Alice", "Ten minutes.", "user")]
    print(Screenplay().format_sync(talk))
