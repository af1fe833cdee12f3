"""Written: what it says beside the body, and what is left when the history is let go."""

from __future__ import annotations

import gc
import weakref

from dragoman import ChatRequest, Msg, wire
from dragoman.message import ImageBlock, URLSource, Written


def test_what_nobody_knows_is_empty() -> None:
    out = Written({})
    assert (out.losses, out.added, out.residue, out.prefix) == ([], [], {}, "")
    assert out.detach() is out
    assert (out.make_prefix, out.make_residue, out.walk_sources, out.prefix) == (
        None,
        None,
        None,
        "",
    )


def test_the_hash_is_asked_for_when_somebody_wants_it() -> None:
    asked: list[str] = []

    def bound() -> str:
        asked.append("x")
        return "ab12"

    out = Written({}, make_prefix=bound, make_residue=lambda: {"system": "Be."})
    assert asked == []
    assert (out.prefix, out.residue) == ("ab12", {"system": "Be."})
    out.detach()
    assert (out.prefix, out.residue, len(asked)) == ("ab12", {}, 2)


def test_a_detached_body_lets_the_history_go_and_keeps_its_losses() -> None:
    source = URLSource("https://example.com/a.png")
    msgs = [Msg.user([ImageBlock(source, title="The door", detail="high")]), Msg.user("Whose?")]
    gone = weakref.ref(msgs[0])
    out = wire("mistral", policy="ignore").write_request(ChatRequest(msgs), "mistral-large-latest")
    told = [(loss.code, loss.where, loss.what) for loss in out.losses]
    target, prefix = out.report.target, out.prefix
    assert told
    assert out.detach() is out
    del msgs
    gc.collect()
    assert gone() is None
    assert [(loss.code, loss.where, loss.what) for loss in out.losses] == told
    assert (out.report.target, out.prefix) == (target, prefix)
