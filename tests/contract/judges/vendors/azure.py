"""Judge of what goes to Azure's Chat Completions: OpenAI's models behind other paths.

A path by deployment carries an api-version, the v1 path none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..fault import Fault, Json
from . import openai

wrap, types, pairs = openai.wrap, openai.types, openai.pairs

ENDPOINT = re.compile(
    r"/openai/v1/chat/completions"
    r"|/openai/deployments/[^/?]+/chat/completions\?(.*&)?api-version=\d{4}-\d\d-\d\d(-preview)?.*"
    r"|/models/chat/completions\?(.*&)?api-version=\d{4}-\d\d-\d\d(-preview)?.*"
)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai.rules(body, whole=whole, path=path)
    if whole and path is not None and not ENDPOINT.fullmatch(path):
        yield Fault("azure.endpoint", (), f"{path!r} is no chat path of Azure's")
