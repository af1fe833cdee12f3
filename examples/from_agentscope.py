"""A script for AgentScope 1.0's formatter and model, with the imports changed.

Needs the extra `http` and OPENAI_API_KEY. Two other lines differ: they say what was there.
"""

import asyncio

from dragoman.formatter import OpenAIChatFormatter
from dragoman.message import Msg
from dragoman.model import OpenAIChatModel


async def main() -> list[Msg]:
    """Ask twice; the answer to the first question is in the memory of the second."""
    formatter = OpenAIChatFormatter()
    model = OpenAIChatModel(model_name="gpt-5.6", stream=False, generate_kwargs={"seed": 7})
    memory = [Msg("system", "You are a helpful assistant named Friday.", "system")]
    for question in ("Where is Samarkand?", "Which river is near?"):
        memory.append(Msg("Tony", question, "user"))
        response = await model(await formatter.format(memory))
        memory.append(Msg("Friday", response.msg.content, "assistant"))  # was response.content
        print(f"Friday: {memory[-1].get_text_content()}")

    streaming = OpenAIChatModel("gpt-5.6", stream=True)
    memory.append(Msg("Tony", "Say it in one word.", "user"))
    text = ""
    async for part in await streaming(await formatter.format(memory)):
        text = part.text  # of all that has come so far; was part.content[0]["text"]
    print(f"Friday: {text}")
    return memory


if __name__ == "__main__":
    asyncio.run(main())
