"""`dragoman ask`: one question to a model, for pipes. The answer goes to stdout as it comes."""

from __future__ import annotations

import sys
from typing import Annotated, Any, TypeAlias

import typer

from ..errors import ProviderError
from ..llm import LLM
from ..losses import Policy
from ..message import Msg, RefusalBlock, TextBlock, ThinkingBlock
from ..message.ending import reply_finish
from ..model.answer import Answer
from . import inputs, options, output
from .output import CommandError
from .trust import ask_about

# reasons why an answer is incomplete: the provider or the model has declined it
_DECLINED = ("refusal", "content_filter", "malformed_call", "error")

Words: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="PROMPT", help="The question; what is piped in follows it."),
]

Images: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--image", metavar="PATH", help="A file or URL to show; repeatable."),
]

Schema: TypeAlias = Annotated[
    str | None,
    typer.Option("--json", metavar="SCHEMA", help="Answer as JSON of the schema in this file."),
]

Streaming: TypeAlias = Annotated[
    bool, typer.Option(help="Write the answer as it comes, or when it is whole.")
]

ShowLosses: TypeAlias = Annotated[
    bool, typer.Option("--losses", help="Show on stderr what the provider did not get.")
]

ShowUsage: TypeAlias = Annotated[bool, typer.Option("--usage", help="Show tokens on stderr.")]


def ask_model(
    model: options.Asked,
    words: Words = None,
    system: options.System = None,
    image: Images = None,
    option: options.Settings = None,
    schema: Schema = None,
    base_url: options.BaseUrl = None,
    stream: Streaming = True,
    allow_partial: options.AllowPartial = False,
    losses: ShowLosses = False,
    usage: ShowUsage = False,
) -> None:
    """Ask a model one question; the answer goes to stdout.

    What is piped in follows the question: `cat FILE | dragoman ask MODEL "Summarise"`. The key is
    read from the vendor's environment variable, such as OPENAI_API_KEY; there is no option for it.
    Exit code 1: the provider refused or could not be reached, the answer broke off or is empty, the
    model declined, or its answer does not fit the schema.
    """
    settings: dict[str, Any] = {"policy": Policy(), **options.settings(option)}
    if system is not None:
        settings["system"] = system
    if base_url is not None:
        settings["base_url"] = base_url
    if allow_partial:
        settings["allow_partial"] = True
    form = None if schema is None else inputs.read_schema(schema)
    question = _question(words or [], image or [])
    ask_about(model)
    with LLM(model, **settings) as llm:
        if form is not None:
            answer = llm.ask(question, response_format=form)
            output.print_json(answer.parsed)
        elif stream:
            answer = _stream_answer(llm, question)
        else:
            answer = _whole(llm, question)
            _write(answer.text)
            _end_line(answer.text)
    _tell(answer, losses, usage)


def _question(words: list[str], images: list[str]) -> Msg:
    piped = inputs.piped_text().strip("\n")
    text = "\n\n".join(part for part in (" ".join(words), piped) if part.strip())
    if not text and not images:
        hint = 'dragoman ask MODEL "Why?", or pipe it in'
        raise CommandError("there is nothing to ask", hint)
    blocks = [inputs.medium(place) for place in images]
    return Msg.user([*blocks, TextBlock(text)] if text and blocks else blocks or text)


def _whole(llm: LLM, question: Msg) -> Answer[Any]:
    try:
        return llm.ask(question)
    except ProviderError as error:
        if error.response is not None and error.response.candidates:  # show the part that came
            _write(error.response.text)
            _end_line(error.response.text)
        raise


def _stream_answer(llm: LLM, question: Msg) -> Answer[Any]:
    text = ""
    with llm.stream(question) as stream:
        try:
            for piece in stream.text:
                text = piece or text  # before writing it, as an interrupt may come in between
                _write(piece)
        except (ProviderError, KeyboardInterrupt):
            _end_line(text)
            raise
    _end_line(text)
    return stream.response


def _write(text: str) -> None:
    """Write to a pipe unchanged; to a terminal without characters that control it."""
    sys.stdout.write(output.printable(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def _end_line(text: str) -> None:
    if text and not text.endswith("\n"):
        _write("\n")


def _tell(answer: Answer[Any], losses: bool, usage: bool) -> None:
    """Write to stderr what stdout does not show. Raises CommandError if the model declined."""
    major = [loss for loss in answer.losses if loss.weight == "major"]
    if losses:
        output.show_losses("the request", answer.host, answer.losses)
    elif major:
        _note(f"{output.count_losses(major)} (--losses shows them)")
    if usage:
        _note(f"usage: {output.usage_text(answer.usage)}")
    shown = (TextBlock, ThinkingBlock, RefusalBlock)
    unseen = {block.type for block in answer.msg.blocks if not isinstance(block, shown)}
    if unseen:
        _note(f"the answer also holds {', '.join(sorted(unseen))}, which is no text")
    ended = reply_finish(answer)
    if ended != "done":
        _note(f"the answer ended early: {ended}")
    for block in answer.msg.blocks:
        if isinstance(block, RefusalBlock):
            raise CommandError(f"the model declined: {block.text}", code=output.REFUSED)
    if ended in _DECLINED:
        raise CommandError(f"this is no whole answer: {ended}", code=output.REFUSED)


def _note(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"{output.plain(text)}\n")
