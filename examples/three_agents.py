"""Three agents on three providers talk to one another: each hears what the others say.

Needs the extra `http`, and ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY. A formatter for
many agents tells each model who has said what.
"""

import asyncio

from dragoman import Msg, MsgHub, ReActAgent, sequential_pipeline
from dragoman.formatter import (
    AnthropicMultiAgentFormatter,
    GeminiMultiAgentFormatter,
    OpenAIMultiAgentFormatter,
)
from dragoman.model import AnthropicChatModel, GeminiChatModel, OpenAIChatModel


async def main() -> list[Msg]:
    """Let each speak twice; what was said."""
    prompt = "You are {}, who wants to {}. Answer the others in one sentence."
    ann = ReActAgent(
        "Ann", prompt.format("Ann", "see deserts"),
        AnthropicChatModel("claude-opus-5-5"), AnthropicMultiAgentFormatter(),
    )  # fmt: skip
    bob = ReActAgent(
        "Bob", prompt.format("Bob", "eat well"),
        OpenAIChatModel("gpt-5.6"), OpenAIMultiAgentFormatter(),
    )  # fmt: skip
    cleo = ReActAgent(
        "Cleo", prompt.format("Cleo", "spend little"),
        GeminiChatModel("gemini-3.5-flash"), GeminiMultiAgentFormatter(),
    )  # fmt: skip
    async with MsgHub([ann, bob, cleo], Msg("Host", "Where do you travel together?", "user")):
        for _ in range(2):
            await sequential_pipeline([ann, bob, cleo])
    return ann.messages  # everybody has heard the same


if __name__ == "__main__":
    for msg in asyncio.run(main()):
        print(f"{msg.name}: {msg.text}")
