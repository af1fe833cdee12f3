"""Document 003: images by URL, for a model that takes base64 alone, under a policy."""

from __future__ import annotations

import base64

import pytest

from dragoman import ChatConfig, Formatter, MediaFetcher, MediaRefused, Msg
from dragoman.message import ImageBlock, URLSource
from dragoman.toolkit import OpenAIChatMessageSerializer, RequestBuilder
from tests.media_fetch.pages import PNG, Web, answer
from tests.toolkit.conversation import jpeg

BASE64_ONLY = ChatConfig(support_image_base64_only=True)
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 8


def shown(url: str) -> list[Msg]:
    return [Msg("Tony", [ImageBlock(URLSource(url))], "user")]


@pytest.mark.demand("S191")
@pytest.mark.parametrize(("name", "data", "media_type"), [
    ("cat.jpg", JPEG, "image/jpeg"),
    ("cat.png", PNG, "image/png"),  # the document writes image/jpeg; the type is that of the bytes
], ids=["jpeg", "png"])  # fmt: skip
def test_an_image_by_url_is_downloaded_where_a_model_takes_base64_alone(
    name: str, data: bytes, media_type: str
) -> None:
    with Web() as web:
        web.pages[f"/{name}"] = answer(data, Content_Type=media_type)
        fetch = MediaFetcher(
            hosts=[web.host], schemes=["http"], networks=["127.0.0.1/32"],
            resolve=lambda host, port: ["127.0.0.1"],
        )  # fmt: skip
        serializer = OpenAIChatMessageSerializer(fetch=fetch)
        [message] = serializer.serialize_messages(shown(f"{web.url}/{name}"), BASE64_ONLY)
        assert len(web.asked) == 1
        serializer.serialize_messages(shown(f"{web.url}/{name}"), ChatConfig())
        assert len(web.asked) == 1  # the model takes URLs
    url = f"data:{media_type};base64,{base64.b64encode(data).decode()}"
    assert message["content"] == [{"type": "image_url", "image_url": {"url": url}}]


@pytest.mark.demand("S191")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_both_schemes_are_downloaded_and_what_is_base64_stays(scheme: str) -> None:
    serializer = OpenAIChatMessageSerializer(fetch=jpeg)
    builder = RequestBuilder(serializer, model="m", config=BASE64_ONLY)
    url = {"url": "data:image/jpeg;base64,/9j/4A=="}
    for given in (f"{scheme}://example.com/cat.jpg", url["url"]):
        [message] = builder.build(shown(given))["messages"]
        assert message["content"] == [{"type": "image_url", "image_url": url}]


@pytest.mark.demand("S192")
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/cat.png", "http://169.254.169.254/latest/meta-data", "http://[::1]/"]
)
def test_downloading_follows_a_policy(url: str) -> None:
    # by default nothing is downloaded: the address goes on as text, which is a loss
    for written in (
        Formatter("openai", can=BASE64_ONLY).write(shown(url)),
        OpenAIChatMessageSerializer().formatter(BASE64_ONLY).write(shown(url)),
    ):
        [message] = written.messages
        assert url in str(message["content"])
        assert "image_url" not in str(message["content"])
        assert [loss.code for loss in written.losses] == ["media.not_fetched"]
    with pytest.raises(MediaRefused):
        Formatter("openai", can=BASE64_ONLY, fetch=MediaFetcher(schemes=["http"])).format_sync(
            shown(url)
        )
