"""Document 003: images by URL, for a model that takes base64 alone, under a policy."""

from __future__ import annotations

import base64

import pytest

from dragoman import ChatConfig, Formatter, MediaFetcher, MediaRefused, Msg
from dragoman.message import ImageBlock, URLSource
from tests.core.edges.pages import PNG, Web

BASE64_ONLY = ChatConfig(support_image_base64_only=True)


def shown(url: str) -> list[Msg]:
    return [Msg("Tony", [ImageBlock(URLSource(url))], "user")]


@pytest.mark.demand("S191")
def test_an_image_by_url_is_downloaded_where_a_model_takes_base64_alone() -> None:
    with Web() as web:
        fetch = MediaFetcher(
            hosts=[web.host], schemes=["http"], networks=["127.0.0.1/32"],
            resolve=lambda host, port: ["127.0.0.1"],
        )  # fmt: skip
        formatter = Formatter("openai", can=BASE64_ONLY, fetch=fetch)
        [message] = formatter.format_sync(shown(f"{web.url}/cat.png"))
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    assert message["content"] == [{"type": "image_url", "image_url": {"url": url}}]


@pytest.mark.demand("S192")
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/cat.png", "http://169.254.169.254/latest/meta-data", "http://[::1]/"]
)
def test_downloading_follows_a_policy(url: str) -> None:
    # by default nothing is downloaded: the address goes on as text
    [message] = Formatter("openai", can=BASE64_ONLY, policy="ignore").format_sync(shown(url))
    assert url in str(message["content"])
    with pytest.raises(MediaRefused):
        Formatter("openai", can=BASE64_ONLY, fetch=MediaFetcher(schemes=["http"])).format_sync(
            shown(url)
        )
