"""ChatSession: a conversation with one model after another, its commands, and its tools.

It does not depend on a terminal: a View shows everything, and asks whether a call may run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from ..errors import DragomanError, WriteError
from ..llm import LLM, AnswerStream, model_name, profile
from ..losses import Loss, Policy
from ..message import (
    ChatRequest,
    ChatResponse,
    ContentBlock,
    Msg,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    dump,
)
from ..message.ending import reply_finish
from ..stream.events import StreamEvent
from ..toolkit import Toolkit
from . import inputs, output
from .output import CommandError
from .trust import ask_about

_LOST = ("dropped", "degraded")  # the kinds of loss that remove content
_ROUNDS = 50  # answers with calls after one message
_COMMAND = re.compile(r"/([a-z]+)(?:\s+(.*))?", re.DOTALL)
_PICTURE = re.compile(r"""["']?([^\s"']+\.(?:png|jpe?g|gif|webp))["']?""", re.IGNORECASE)
_DENIED = "the user did not allow this call"
_STOPPED = "the user stopped this call"
_BROKEN = "the user stopped this call while it ran: whether it took effect is not known"


class View(Protocol):
    """Shows a session."""

    def event(self, event: StreamEvent) -> None:
        """Show a piece of an answer."""

    def finish_answer(self) -> None:
        """End the answer that is shown."""

    def note(self, text: str) -> None:
        """Show a message of the session, of one line or several."""

    def error(self, text: str) -> None:
        """Show an error."""

    def losses(self, title: str, losses: Sequence[Loss]) -> None:
        """Show losses under a title."""

    def call(self, call: ToolUseBlock, whole: bool = False) -> None:
        """Show the call of a tool; `whole`: with all its arguments, for the user's approval."""

    def result(self, msg: Msg) -> None:
        """Show the result of a call."""

    def agrees(self, question: str) -> bool:
        """Ask the user a question; whether the answer is yes."""


class ChatSession:
    """One conversation: `line` takes what the user has typed, a message or a command.

    Args:
        model: The model to begin with.
        view: Shows the session.
        toolkit: The tools that the model may call.
        yes: Whether calls run without asking the user.
        system: The system prompt.
        base_url: The address of the first model, and of others of the same vendor.
        settings: Further settings for every LLM.

    Attributes:
        failed: Whether an answer has failed.
        usage: The sum of all answers.
    """

    def __init__(
        self,
        model: str,
        view: View,
        *,
        toolkit: Toolkit | None = None,
        yes: bool = False,
        system: str | None = None,
        base_url: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.view = view
        self.toolkit = toolkit or Toolkit()
        self.yes = yes
        self.system = system
        self.history: list[Msg] = []
        self.usage = Usage()
        self.failed = False
        self._settings = dict(settings or {})
        self._base_url = base_url
        self._attached: list[ContentBlock] = []
        self._told = ""  # the last note on losses
        self._file: Path | None = None  # the file that /save may overwrite without asking
        self.model = model
        ask_about(model)
        self.llm = self._build_llm(model, base_url)

    def _build_llm(self, model: str, base_url: str | None) -> LLM:
        settings: dict[str, Any] = {"policy": Policy(), **self._settings, "tools": self.toolkit}
        if base_url is not None:
            settings["base_url"] = base_url
        return LLM(model, **settings)

    def close(self) -> None:
        """Close the connections."""
        self.llm.close()

    @property
    def request(self) -> ChatRequest:
        """The conversation in the form in which it would be sent now."""
        return ChatRequest(self.history, system=self.system)

    def line(self, text: str) -> bool:
        """Handle a line; False if it ends the session. Errors are shown, not raised."""
        text = text.strip()
        if not text:
            return True
        found = _COMMAND.fullmatch(text)
        try:
            if found is None:
                self.say(text.removeprefix("/") if text.startswith("//") else text)
                return True
            if found[1] in ("quit", "exit"):
                return False
            _command(found[1])(self, (found[2] or "").strip())
        except (DragomanError, CommandError) as error:
            self.view.error(str(error))
        except OSError as error:
            self.view.error(f"{error.filename or 'file'}: {error.strerror or error}")
        return True

    # -- messages and answers ---------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Send a message, and run the model's calls until it answers."""
        blocks = [*self._attached, *self._pictures(text)]
        self._attached = []
        self.history.append(Msg.user([*blocks, TextBlock(text)] if blocks else text))
        begun = len(self.history)
        for _ in range(_ROUNDS):
            calls = self._answer(begun)
            if not calls or not self._run(calls):
                return
        self.view.note(f"stopped: the model has called tools {_ROUNDS} times for one message")

    def _pictures(self, text: str) -> list[ContentBlock]:
        """The picture files that a message names."""
        found = []
        for path in dict.fromkeys(_PICTURE.findall(text)):
            if Path(path).expanduser().is_file():
                found.append(inputs.medium(path))
                self.view.note(f"attached: {path}")
        return found

    def _answer(self, begun: int) -> list[ToolUseBlock]:
        """Get one answer and add it to the history; returns its calls. Errors are shown."""
        stream = self.llm.stream(self.request)
        try:
            self._watch(stream)
        except KeyboardInterrupt:
            self._keep(stream, begun, "stopped")
            return []
        except DragomanError as error:
            self.failed = True
            self.view.error(output.format_error(error))
            self._keep(stream, begun, "not whole")
            return []
        answer = stream.response
        self.usage += answer.usage
        self.history.append(answer.msg)
        self._tell_losses([loss for loss in answer.losses if loss.kind in _LOST])
        if (ended := reply_finish(answer)) != "done":
            self.view.note(f"the answer ended early: {ended}")
        return answer.calls

    def _watch(self, stream: AnswerStream[Any]) -> None:
        try:
            with stream:
                for event in stream:
                    self.view.event(event)
        finally:
            self.view.finish_answer()

    def _keep(self, stream: AnswerStream[Any], begun: int, why: str) -> None:
        """Keep the part of an answer that came; without one, its question is removed, too."""
        partial = stream.partial
        if partial is not None:
            self.usage += partial.usage
        msg = None if partial is None else _salvage_answer(partial)
        if msg is not None:
            self.history.append(msg)
            self.view.note(f"{why}: what had come is kept")
        elif len(self.history) == begun:
            self.history.pop()
            self.view.note(f"{why}: nothing had come, and your message is not kept")
        else:
            self.view.note(f"{why}: nothing had come")

    def _tell_losses(self, losses: Sequence[Loss]) -> None:
        """Show the losses of the request in one line, unless the last note said the same."""
        text = output.count_losses(losses)
        if losses and text != self._told:
            self.view.note(f"{text} (/losses shows them)")
        self._told = text

    def _run(self, calls: list[ToolUseBlock]) -> bool:
        """Run the calls that the user allows, and add a result for each; False if stopped."""
        reasons = [_STOPPED] * len(calls)  # by position, as the model may use an id twice
        results: Iterator[Msg] = iter(())
        running = False
        try:
            for nth, call in enumerate(calls):
                self.view.call(call, whole=not self.yes)
                agreed = self.yes or self.view.agrees(f"run {call.name}?")
                reasons[nth] = "" if agreed else _DENIED
            running = True
            allowed = [call for call, why in zip(calls, reasons, strict=True) if not why]
            results = iter(self.toolkit.run(allowed) if allowed else [])
        except KeyboardInterrupt:
            reasons = [why or (_BROKEN if running else _STOPPED) for why in reasons]
        for call, why in zip(calls, reasons, strict=True):
            msg = Msg.tool(call.id, why, call.name, True) if why else next(results)
            self.history.append(msg)
            self.view.result(msg)
        stopped = not {_STOPPED, _BROKEN}.isdisjoint(reasons)
        if stopped:
            self.view.note("stopped")
        return not stopped

    # -- commands ---------------------------------------------------------------------------------

    def help(self, _: str) -> None:
        """These commands."""
        width = max(len(f"/{name} {run[1]}") for name, run in _COMMANDS.items())
        lines = [
            f"{f'/{name} {run[1]}':<{width}}  {run[0].__doc__}" for name, run in _COMMANDS.items()
        ]
        lines.append(f"{'/quit':<{width}}  Leave, as Ctrl-D does.")
        lines.append("Ctrl-C stops the answer under way. A message may begin with //.")
        self.view.note("\n".join(lines))

    def switch(self, text: str) -> None:
        """Go on with another model, and show what it does not get."""
        name, *rest = text.split() or [""]
        if not name or len(rest) > 1:
            self.view.note(f"the model is {self.model} (/model NAME [BASE-URL] changes it)")
            return
        ask_about(name)
        base_url = rest[0] if rest else self._kept_base_url(name)
        made = self._build_llm(name, base_url)
        try:
            after = self._losses(made)
        except DragomanError:
            made.close()
            raise
        before = set()
        with suppress(WriteError):
            before = {(loss.code, loss.where) for loss in self._losses(self.llm)}
        caused = [loss for loss in after if (loss.code, loss.where) not in before]
        self.llm.close()
        self.llm, self.model, self._base_url = made, name, base_url
        self.view.losses(f"{name} from here on", caused)
        if len(after) > len(caused):
            self.view.note(f"{len(after) - len(caused)} as before (/losses shows all)")

    def _kept_base_url(self, name: str) -> str | None:
        """The current address, for a model of the same vendor that no profile describes."""
        if profile(name) is not None:
            return None
        here = profile(self.model)
        now = model_name(self.model if here is None else here["model"]).host.name
        return self._base_url if model_name(name).host.name == now else None

    def _losses(self, llm: LLM) -> Sequence[Loss]:
        """The losses of the conversation for a model, with the user's next message assumed."""
        if not self.history:
            return []
        follows = [] if self.history[-1].role != "assistant" else [Msg.user("Go on.")]
        return llm.request(ChatRequest([*self.history, *follows], system=self.system)).losses

    def show_losses(self, _: str) -> None:
        """Show what this model does not get of the conversation."""
        self.view.losses(f"the conversation for {self.model}", self._losses(self.llm))

    def tokens(self, _: str) -> None:
        """Count the tokens of the conversation, and show those used so far."""
        count = self.llm.count(self.request) if self.history else 0
        used = output.usage_text(self.usage)
        self.view.note(f"the conversation has about {count} tokens; used so far: {used}")

    def set_system(self, text: str) -> None:
        """Set the system prompt, or show it; - removes it."""
        if text:
            self.system = None if text == "-" else text
        self.view.note(f"system prompt: {self.system}" if self.system else "no system prompt")

    def attach(self, text: str) -> None:
        """Show a file or URL with the next message."""
        if not text:
            raise CommandError("/image needs a file", "/image PATH")
        for place in shlex.split(text) if text[0] in "\"'" else [text]:
            self._attached.append(inputs.medium(place))
            self.view.note(f"attached to your next message: {place}")

    def save(self, text: str) -> None:
        """Save the conversation, as JSON that every command reads."""
        path = _file(text, "/save")
        if path.exists() and path != self._file and not self.view.agrees(f"overwrite {path}?"):
            self.view.note("not saved")
            return
        path.write_text(output.laid_out(dump(self.request)) + "\n", "utf-8")
        self._file = path
        self.view.note(f"saved {_count_messages(self.history)} to {path}")

    def load(self, text: str) -> None:
        """Go on with a saved conversation."""
        path = _file(text, "/load")
        conversations, _ = inputs.read_conversations(str(path))
        if len(conversations) != 1:
            raise CommandError(f"{path} holds {len(conversations)} conversations", "one is needed")
        [(_, found)] = conversations
        if isinstance(found, ChatRequest):
            self.system = found.system
        self.history = list(found.messages if isinstance(found, ChatRequest) else found)
        self._file = path
        self._told = ""
        self.view.note(f"loaded {_count_messages(self.history)} from {path}")
        self.view.losses(f"the conversation for {self.model}", self._losses(self.llm))


_Run: TypeAlias = Callable[[ChatSession, str], None]
_COMMANDS: dict[str, tuple[_Run, str]] = {
    "help": (ChatSession.help, ""),
    "model": (ChatSession.switch, "NAME [BASE-URL]"),
    "losses": (ChatSession.show_losses, ""),
    "tokens": (ChatSession.tokens, ""),
    "system": (ChatSession.set_system, "[TEXT]"),
    "image": (ChatSession.attach, "PATH"),
    "save": (ChatSession.save, "FILE"),
    "load": (ChatSession.load, "FILE"),
}


def _command(name: str) -> _Run:
    if name not in _COMMANDS:
        raise CommandError(f"there is no command /{name}", "/help lists them")
    return _COMMANDS[name][0]


def _salvage_answer(partial: ChatResponse) -> Msg | None:
    """The part of a broken answer that a history may contain: no calls without results.

    None if it has no text.
    """
    if not partial.candidates or not partial.text:
        return None
    answered = {block.id for block in partial.msg.blocks if isinstance(block, ToolResultBlock)}
    blocks = [
        block
        for block in partial.msg.blocks
        if not isinstance(block, ToolUseBlock) or block.id in answered
    ]
    return Msg.create_unchecked(partial.msg.name, blocks, partial.msg.role, partial.msg)


def _file(text: str, command: str) -> Path:
    if not text:
        raise CommandError(f"{command} needs a file", f"{command} FILE")
    return Path(text).expanduser()


def _count_messages(history: Sequence[Msg]) -> str:
    return "1 message" if len(history) == 1 else f"{len(history)} messages"
