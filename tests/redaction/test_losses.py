"""Losses, refusals and logs of every wire show a line of each text at most, and no base64."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from dragoman import ByName, ChatRequest, Formatter, LossRefused, Policy, Tagged
from dragoman.errors import DragomanError
from dragoman.vendors import PROTOCOLS
from tests.wires import ONE_OF_EACH_KIND

from .planted import LONG, leaks, requests

MANNERS: dict[str, dict[str, Any]] = {
    "name": {"speakers": ByName(tag_media=False)},
    "tagged": {"speakers": Tagged(me="Friday")},
    "text": {"can": {"tool_messages": False, "foreign_thinking": "quote"}, "fetch": None},
    "saved": {"can": {"move_media": ()}, "media_saver": lambda _, data: f"saved/{data}"},
    "least": {"can": {"tools": False, "tool_choices": (), "formats": (), "name_field": "never"}},
}


def written(wire: str, style: dict[str, Any], request: ChatRequest, policy: Any) -> list[str]:
    """All texts that somebody may see of one writing: losses, or the error."""
    try:
        losses = Formatter(wire, policy=policy, **style).format_request(request).losses
    except LossRefused as error:
        return [str(error), repr(error), *map(repr, error.losses)]
    except DragomanError as error:
        return [str(error), repr(error), error.path, error.hint]
    said = [text for loss in losses for text in (*loss.to_dict().values(), loss.field, repr(loss))]
    return said + [text for loss in losses for text in loss.detach().to_dict().values()]


@pytest.mark.parametrize("text", LONG, ids=["secret", "base64"])
@pytest.mark.parametrize("wire", ONE_OF_EACH_KIND)
def test_losses_of_every_wire(wire: str, text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "dragoman")
    for request in requests(text):
        said = written(wire, {}, request, "log")
        said += written(wire, {}, request, Policy(refuse=("*",)))
        assert len(said) > 4, "nothing was lost, so nothing was looked at"
        assert [leak for one in said for leak in leaks(one)] == []
    assert caplog.records
    assert [leak for record in caplog.records for leak in leaks(record.getMessage())] == []


@pytest.mark.parametrize("text", LONG, ids=["secret", "base64"])
@pytest.mark.parametrize("style", MANNERS)
@pytest.mark.parametrize("wire", PROTOCOLS)
def test_losses_of_every_manner(wire: str, style: str, text: str) -> None:
    for request in requests(text):
        said = written(wire, MANNERS[style], request, "ignore")
        assert len(said) > 4, "nothing was lost, so nothing was looked at"
        assert [leak for one in said for leak in leaks(one)] == []
