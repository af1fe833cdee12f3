"""One conversation, begun with Claude, continued by GPT and then by Gemini; with what each loses.

Needs the extra `http`, and ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY.
"""

from dragoman import LLM, Msg, tool

TURNS = {
    "anthropic/claude-opus-5-5": "How warm is it in Samarkand?",
    "openai/gpt-5.6": "And what do I wear?",
    "gemini/gemini-3.5-flash": "Sum up what we said.",
}


@tool
def warmth(city: str) -> str:
    """How warm it is in a city, in degrees Celsius."""
    return f"{city}: 31"


def talk() -> list[Msg]:
    """Ask each model in turn, with all that was said before; the whole conversation."""
    history: list[Msg] = []
    for model, question in TURNS.items():
        # policy: losses are printed below, not logged
        llm = LLM(model, system="Be brief.", tools=[warmth], reasoning="high", policy="ignore")
        history.append(Msg.user(question))
        answer = llm.ask(history)
        while answer.calls:
            history += [answer.msg, *llm.toolkit.run(answer.calls)]
            answer = llm.ask(history)
        history.append(answer.msg)
        print(f"{model}: {answer.text}")
        for loss in answer.losses:  # of the last request that this model got
            print(f"  {loss.kind} {loss.code} {loss.where}")
    return history


if __name__ == "__main__":
    talk()
