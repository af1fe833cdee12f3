"""Answers from documents of your own, with the passages that they rest on.

Needs the extra `http` and ANTHROPIC_API_KEY. Claude cites by itself; a model that cannot cite
gets the same passages as text.
"""

from dragoman import LLM, Msg
from dragoman.message import ContentBlock, DocumentBlock, TextBlock, TextSource
from dragoman.model import Answer

SHELF = {
    "https://example.com/samarkand": [
        "Samarkand lies on the Zeravshan.",
        "In 1420 Ulugh Beg opened his madrasa on the Registan.",
    ],
    "https://example.com/bukhara": ["The Kalyan minaret of Bukhara was built in 1127."],
}


def found(question: str) -> list[DocumentBlock]:
    """The documents that share a long word with the question: put your own search here."""
    words = {word for word in question.lower().strip("?").split() if len(word) > 5}
    return [
        DocumentBlock(TextSource(passages, found_at=url), title=url.rpartition("/")[2], cite=True)
        for url, passages in SHELF.items()
        if words & set(" ".join(passages).lower().replace(".", "").split())
    ]


def ask(model: str, question: str) -> Answer[None]:
    """Ask with what the search has found."""
    content: list[ContentBlock] = [*found(question), TextBlock(question)]
    return LLM(model, system="Answer from the documents alone.").ask([Msg.user(content)])


if __name__ == "__main__":
    answer = ask("anthropic/claude-opus-5-5", "Who opened a madrasa in Samarkand?")
    print(answer.text)
    for source in answer.sources:
        print(f"  {source.title}, {source.url}: {source.quotes}")
