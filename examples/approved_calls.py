"""An agent that asks before it pays, and goes on in another process once it may.

    python examples/approved_calls.py "Pay the guide 70 dollars."
    python examples/approved_calls.py yes

Needs the extra `http` and ANTHROPIC_API_KEY. `payments.db` keeps the conversation in between.
"""

import sys

from dragoman import ReActAgent, tool
from dragoman.agent import Reply, SqliteMemory


@tool
def pay(name: str, dollars: int) -> str:
    """Pay somebody."""
    print(f"  {dollars} dollars go to {name}")
    return "paid"


def say(words: str, path: str = "payments.db") -> Reply:
    """Tell the agent something: whether it may run the calls that wait, or what to do."""
    agent = ReActAgent(
        "Friday", "Be brief.", "anthropic/claude-opus-5-5", toolkit=[pay],
        memory=SqliteMemory(path), approve="ask",
    )  # fmt: skip
    if not agent.pending:
        return agent.run(words)
    for waiting in agent.pending:
        agent.decide(waiting, words == "yes" or f"the user says: {words}")
    return agent.run()


if __name__ == "__main__":
    reply = say(sys.argv[1])
    for waiting in reply.pending:
        print(f"{waiting.call.name} {waiting.call.input}: yes, or why not?")
    if reply.finish == "done" and reply.msg is not None:
        print(reply.msg.text)
