"""The bridge to Google's ADK, beside the package itself: events of a session are read."""

from __future__ import annotations

from google.adk.events import Event

from dragoman import Msg
from dragoman.bridges import google_adk


def test_events_of_a_session_are_read_and_contents_written() -> None:
    history = [Msg.user("Where is Paris?"), Msg.assistant("In France.")]
    contents = google_adk.write_messages(history).messages
    authors = ("user", "guide")
    events = [Event(author=who, content=one) for who, one in zip(authors, contents, strict=True)]

    read = google_adk.read_messages(events).messages

    assert [msg.name for msg in read] == ["", "guide"]  # the author of an answer is its agent
    read[1].name = ""
    assert read == history
