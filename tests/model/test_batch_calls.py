"""Calls of batch interfaces: a key goes to the host of the model alone."""

from __future__ import annotations

from dragoman import LLM
from dragoman.model.batch_calls import BatchEndpoint
from dragoman.protocols.batches import BatchCall
from tests.each_case import each_case

KEY = "secret-key-0123456789"
OWN = "https://api.openai.com/v1"


@each_case(
    ("place", "gets_key"),
    [
        ("/files/f/content", True),
        (f"{OWN}/files/f/content", True),
        ("https://files.example.org/f", False),
        ("http://api.openai.com/v1/files/f/content", False),
    ],
)
def test_a_place_that_the_host_has_named_elsewhere_gets_no_key(place: str, gets_key: bool) -> None:
    endpoint = BatchEndpoint(LLM("openai/gpt-5.6", key=KEY)._door.target.model.endpoint)
    for bounded in (True, False):  # a call, and a download
        call = endpoint._authorize(endpoint._build(BatchCall("GET", place), bounded))
        assert (KEY in str(dict(call.headers))) is gets_key
