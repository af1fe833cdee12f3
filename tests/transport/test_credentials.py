"""How each host is told who calls, and where it is; and that no key shows anywhere."""

from __future__ import annotations

import asyncio
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dragoman import Vendor
from dragoman.caches import CACHES
from dragoman.errors import ConfigError
from dragoman.transport import cloud_tokens
from dragoman.transport.call import HttpCall
from dragoman.transport.credentials import API_KEY, Auth, aauthorize, address, authorize
from dragoman.vendors import VENDORS, vendor
from tests.each_case import each_case

from .servers import Peer, serving
from .ways import KEY

BEARER = {"authorization": f"Bearer {KEY}"}
X_API_KEY = {"x-api-key": KEY}
# the hosts that are told otherwise than by a bearer
TOLD: dict[str, dict[str, str]] = {
    "anthropic/anthropic": X_API_KEY,
    "gemini/gemini": {"x-goog-api-key": KEY},
    "gemini/gemini-interactions": {"x-goog-api-key": KEY},
    "dashscope/anthropic": X_API_KEY,
    "deepseek/anthropic": X_API_KEY,
    "vertex/gemini": {"x-goog-api-key": KEY},
    "azure/openai-chat": {"api-key": KEY},
    "azure/openai-responses": {"api-key": KEY},
    "moonshot/anthropic": X_API_KEY,
    "zhipu/anthropic": X_API_KEY,
    "minimax/anthropic": X_API_KEY,
    "foundry/anthropic": {"x-api-key": KEY, "api-key": KEY},
    "anthropic-aws/anthropic": {**BEARER, "anthropic-workspace-id": "wrkspc_1"},
    "xiaomi/anthropic": X_API_KEY,
    "stepfun/anthropic": X_API_KEY,
    "hunyuan/anthropic": X_API_KEY,
    "meta/anthropic": X_API_KEY,
}
ROWS = [f"{name}/{protocol}" for name in VENDORS for protocol in vendor(name).wires]
LOCAL = {"ollama", "vllm", "sglang", "lmstudio", "llamacpp"}
CLOUD = {"vertex", "bedrock", "bedrock-mantle", "anthropic-aws", "azure", "foundry"}


def call(url: str = "https://api.example/v1/x") -> HttpCall:
    return HttpCall("POST", url, {"content-type": "application/json"}, b"{}")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VENDORS:
        monkeypatch.delenv(vendor(name).key, raising=False)
        for variables in vendor(name).places.values():
            for variable in variables:
                monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("ANTHROPIC_AWS_WORKSPACE_ID", "wrkspc_1")


@each_case("row", ROWS)
def test_every_host_is_told_the_key_as_it_wants(row: str) -> None:
    name, _, protocol = row.partition("/")
    made = authorize(call(), vendor(name), protocol, KEY)
    added = {name: text for name, text in made.headers.items() if name != "content-type"}
    assert added == TOLD.get(row, BEARER)
    assert KEY not in made.url


@pytest.mark.parametrize("name", [name for name in VENDORS if name not in CLOUD])
def test_a_key_comes_from_the_variable_of_the_row(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = vendor(name)
    if name in LOCAL:
        assert authorize(call(), row, "").headers == call().headers
    else:
        with pytest.raises(ConfigError, match=f"set {row.key}, or") as raised:
            authorize(call(), row, "")
        assert raised.value.code == "key.missing"
    monkeypatch.setenv(row.key, KEY)
    assert KEY in "".join(authorize(call(), row, "").headers.values())
    assert KEY not in repr(authorize(call(), row, ""))


def test_the_argument_comes_before_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    made = authorize(call(), vendor("openai"), "openai-chat", f" {KEY}\n")
    assert made.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["two words " + KEY, "a\nb" + KEY, KEY + "é", 5, b"x"])
def test_what_is_no_key_is_refused_without_being_shown(key: Any) -> None:
    with pytest.raises(ConfigError, match="the key for openai is no key") as raised:
        authorize(call(), vendor("openai"), "", key)
    assert "S3cr3t" not in repr(raised.value)
    assert b"S3cr3t" not in pickle.dumps(raised.value)


def test_a_key_may_be_made_for_each_call() -> None:
    keys = iter(["k1", "k2", "k3"])

    async def later() -> str:
        return next(keys)

    row = vendor("openai")
    assert authorize(call(), row, "", lambda: next(keys)).headers["authorization"] == "Bearer k1"
    made = asyncio.run(aauthorize(call(), row, "", later))
    assert made.headers["authorization"] == "Bearer k2"
    made = asyncio.run(aauthorize(call(), row, "", lambda: next(keys)))
    assert made.headers["authorization"] == "Bearer k3"
    with pytest.raises(ConfigError, match="coroutine function"):
        authorize(call(), row, "", later)


def test_static_headers_and_query() -> None:
    own = Vendor("own", key="OWN_KEY", auth=Auth("api-key", "", headers={"x-org": "o"},
                                                query={"api-version": "2024-10-21"}))  # fmt: skip
    made = authorize(call("https://h/p?a=1"), own, "", KEY)
    assert made.url == "https://h/p?a=1&api-version=2024-10-21"
    assert made.headers["x-org"] == "o"
    assert own.find_auth("anthropic") is own.auth
    assert replace(own, auths={"anthropic": API_KEY}).find_auth("anthropic") is API_KEY


def test_a_header_from_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_AWS_WORKSPACE_ID")
    with pytest.raises(ConfigError, match="set ANTHROPIC_AWS_WORKSPACE_ID"):
        authorize(call(), vendor("anthropic-aws"), "anthropic", KEY)
    given = replace(call(), headers={"anthropic-workspace-id": "w2"})
    made = authorize(given, vendor("anthropic-aws"), "anthropic", KEY)
    assert made.headers["anthropic-workspace-id"] == "w2"


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"auth": "Bearer"}, "$.auth"),
        ({"auths": {"anthropic": None}}, "$.auths.anthropic"),
        ({"places": {"region": "AWS_REGION"}}, "$.places.region"),
    ],
)
def test_a_row_with_odd_credentials_is_refused(wrong: dict[str, Any], path: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Vendor("own", **wrong).check()
    assert raised.value.path == path


# -- addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "places", "url"),
    [
        ("openai", {}, "https://api.openai.com/v1"),
        ("azure", {"resource": "mine"}, "https://mine.openai.azure.com/openai/v1"),
        ("bedrock", {"region": "us-east-1"}, "https://bedrock-runtime.us-east-1.amazonaws.com"),
        (
            "vertex/anthropic",
            {"project": "p", "region": "global"},
            "https://aiplatform.googleapis.com/v1/projects/p/locations/global",
        ),
        (
            "vertex",
            {"project": "p", "region": "europe-west4"},
            ("https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p"
             "/locations/europe-west4"),
        ),
        ("dashscope", {"region": "intl"}, "https://dashscope-intl.aliyuncs.com/api/v1"),
        (
            "dashscope/openai-chat",
            {"region": "us"},
            "https://dashscope-us.aliyuncs.com/compatible-mode/v1",
        ),
        ("databricks", {"workspace": "https://d.cloud.databricks.com/"},
         "https://d.cloud.databricks.com/serving-endpoints"),
    ],
)  # fmt: skip
def test_places_are_filled(row: str, places: dict[str, str], url: str) -> None:
    name, _, protocol = row.partition("/")
    assert address(vendor(name), protocol, places) == url


@pytest.mark.parametrize("name", VENDORS)
def test_a_place_that_nothing_fills_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = vendor(name)
    for protocol in row.wires:
        if "{" not in row.url(protocol):
            assert address(row, protocol) == row.url(protocol)
            continue
        place = row.url(protocol).partition("{")[2].partition("}")[0]
        with pytest.raises(ConfigError, match=f"needs a value for {place}") as raised:
            address(row, protocol)
        for variable in row.places.get(place, ()):
            assert variable in raised.value.hint
    for variables in row.places.values():
        monkeypatch.setenv(variables[-1], "x1")
    unnamed = {place: "x1" for place in ("region", "host") if f"{{{place}}}" in row.url()}
    assert "{" not in address(row, "", unnamed)


def test_a_region_that_is_not_known_is_no_other_region() -> None:
    with pytest.raises(ConfigError, match="no known address"):
        address(vendor("moonshot"), "anthropic", {"region": "us"})
    given = address(vendor("moonshot"), "", {"region": "us"}, "https://proxy.example/v1/")
    assert given == "https://proxy.example/v1"


@pytest.mark.parametrize("value", ["evil.example/", "a b", "h@evil.example", "x?y"])
def test_a_place_holds_a_name_alone(value: str) -> None:
    with pytest.raises(ConfigError, match="cannot be the resource"):
        address(vendor("azure"), "", {"resource": f"{value}#"})


# -- tokens of clouds ---------------------------------------------------------------------------


@pytest.fixture
def _fresh() -> None:
    for name in ("_google_credentials", "_azure_credential", "_aws_session"):
        CACHES[f"{cloud_tokens.__name__}.{name}"].clear()


@pytest.mark.usefixtures("_fresh")
def test_googles_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.auth")
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    issued = iter(["token-1", "token-2"])

    def issuing(peer: Peer) -> bool:
        body = {"access_token": next(issued), "expires_in": 3600, "token_type": "Bearer"}
        peer.answer(200, json.dumps(body).encode(), Content_Type="application/json")
        return True

    secret = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    with serving(issuing) as server:
        found = {
            "type": "service_account", "client_email": "a@p.example", "private_key_id": "1",
            "private_key": secret.decode(), "project_id": "p", "token_uri": f"{server.url}/token",
        }  # fmt: skip
        file = tmp_path / "adc.json"
        file.write_text(json.dumps(found), "utf-8")
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
        first = authorize(call(), vendor("vertex"), "anthropic")
        again = asyncio.run(aauthorize(call(), vendor("vertex"), "gemini"))
    assert first.headers["authorization"] == "Bearer token-1"
    assert again.headers["authorization"] == "Bearer token-1"  # it has not expired
    assert len(server.requests) == 1
    assert b"grant-type%3Ajwt-bearer" in server.requests[0].body


@pytest.mark.usefixtures("_fresh")
def test_no_credentials_of_google(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("google.auth")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(ConfigError, match="no credentials of Google") as raised:
        authorize(call(), vendor("vertex"), "gemini")
    assert "set GOOGLE_API_KEY" in raised.value.hint


@pytest.mark.usefixtures("_fresh")
def test_entras_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("azure.identity")

    def issuing(peer: Peer) -> bool:
        body = {"access_token": "entra-1", "expires_on": "4102444800", "resource": "r",
                "token_type": "Bearer"}  # fmt: skip
        peer.answer(200, json.dumps(body).encode(), Content_Type="application/json")
        return True

    with serving(issuing) as server:
        monkeypatch.setenv("IDENTITY_ENDPOINT", f"{server.url}/msi/token")
        monkeypatch.setenv("IDENTITY_HEADER", "h")
        monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
        made = authorize(call(), vendor("azure"), "openai-chat")
        cloud_tokens._azure_credential().close()
    assert made.headers["authorization"] == "Bearer entra-1"
    assert "api-key" not in made.headers
    assert "resource=https://ai.azure.com" in server.requests[0].path


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize(
    ("row", "url", "scope"),
    [
        ("bedrock", "https://bedrock-runtime.us-west-2.amazonaws.com/model/m%3A0/converse",
         "us-west-2/bedrock"),
        ("bedrock-mantle", "https://bedrock-mantle.eu-central-1.api.aws/openai/v1/responses",
         "eu-central-1/bedrock-mantle"),
        ("anthropic-aws", "http://127.0.0.1:8080/v1/messages",
         "ap-southeast-2/aws-external-anthropic"),
    ],
)  # fmt: skip
def test_aws_signs(row: str, url: str, scope: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    monkeypatch.setenv("AWS_SESSION_TOKEN", "session")
    monkeypatch.setenv("AWS_REGION", "ap-southeast-2")
    made = authorize(call(url), vendor(row), "")
    told = made.headers["authorization"]
    assert told.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert f"/{scope}/aws4_request, SignedHeaders=" in told
    assert "content-type;host;x-amz-date" in told
    assert made.headers["x-amz-security-token"] == "session"
    assert KEY not in repr(made.headers)
    assert made.body == b"{}"


@pytest.mark.parametrize("name", sorted(CLOUD))
def test_a_missing_library_of_a_cloud_names_the_extra(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cloud_tokens, "find_spec", lambda module: None)
    with pytest.raises(ConfigError, match=r'pip install "dragoman\[') as raised:
        authorize(call(), vendor(name), "")
    assert vendor(name).key in raised.value.hint
