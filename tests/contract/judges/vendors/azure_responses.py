"""Judge of what goes to Azure's Responses: OpenAI's models behind other paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..fault import Fault, Json
from . import openai_responses as openai

wrap, types, pairs = openai.wrap, openai.types, openai.pairs

ENDPOINT = re.compile(
    r"/openai/v1/responses|/openai/responses\?(.*&)?api-version=\d{4}-\d\d-\d\d(-preview)?.*"
)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai.rules(body, whole=whole, path=path)
    if whole and path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("azure.endpoint", (), f"{path!r} is no Responses path of Azure's")
