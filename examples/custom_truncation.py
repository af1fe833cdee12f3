"""A truncation strategy of your own: every second turn goes, until the rest fits."""

from dragoman import ContextOverflow, Formatter, Msg
from dragoman.history.truncate import Candidates, units
from dragoman.tokens import CharTokenCounter


class Thin:
    """The first turn and the last stay; a call goes with its results (`units`)."""

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """Yields histories and is sent the tokens of each. Raises ContextOverflow."""
        turns = units(msgs)
        while True:
            kept = [msgs[i] for turn in turns for i in turn]
            tokens = yield kept
            if tokens <= limit:
                return kept
            if len(turns) < 3:
                raise ContextOverflow(tokens, limit, len(kept))
            turns = [turns[0], *turns[2:-1:2], turns[-1]]


if __name__ == "__main__":
    counter = CharTokenCounter()
    short = Formatter("ollama", token_counter=counter, max_tokens=150, truncate=Thin())
    talk = [Msg.user(f"Question {i}") for i in range(9)]
    print([message["content"] for message in short.format_sync(talk)])
