"""An answer that is a value of your type; a model that gets it wrong is told once what was wrong.

Needs the extra `http` and OPENAI_API_KEY.
"""

from dataclasses import dataclass
from typing import Literal

from dragoman import LLM, InvalidOutput


@dataclass
class Ticket:
    """What a customer wants."""

    subject: str
    urgency: Literal["low", "high"]
    order: int | None = None


def sorted_in(mail: str, model: str = "openai/gpt-5.6") -> Ticket | None:
    """The mail as a ticket; None where the model cannot say it as one, even when told why."""
    llm = LLM(model, system="Make a ticket of the mail.")
    try:
        return llm.ask(mail, response_format=Ticket, repairs=1).parsed
    except InvalidOutput as error:
        for path, fault in error.faults:
            print(f"  {path}: {fault}")
        return None


if __name__ == "__main__":
    print(sorted_in("Where is my order 1420? I leave tomorrow!"))
