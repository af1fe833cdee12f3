"""One agent with a tool on four providers: the code is the same, and each loss is named.

Needs the extra `http`, and ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY and DEEPSEEK_API_KEY.
"""

from dragoman import AsyncLLM, ReActAgent, tool
from dragoman.agent import Reply

MODELS = (
    "anthropic/claude-opus-5-5",
    "openai/gpt-5.6",
    "gemini/gemini-3.5-flash",
    "deepseek/deepseek-v4-flash",
)


@tool
def warmth(city: str) -> str:
    """How warm it is in a city, in degrees Celsius."""
    return f"{city}: 31"


def ask(model: str, question: str) -> Reply:
    """The answer of an agent on this model."""
    llm = AsyncLLM(model, policy="ignore")  # losses are printed below, not logged
    options = {"max_tokens": 2_000, "seed": 7}
    return ReActAgent("Friday", "Be brief.", llm, toolkit=[warmth], options=options).run(question)


if __name__ == "__main__":
    for model in MODELS:
        reply = ask(model, "Is it warmer in Samarkand or in Bukhara?")
        print(f"{model}: {reply.msg.text if reply.msg else reply.finish}")
        for loss in reply.losses:
            print(f"  {loss.kind} {loss.code} {loss.where}")
