"""Credentials of the clouds, by Google's, Microsoft's and Amazon's own libraries, loaded on use.

They find the identity of a machine or user, and cache tokens until they expire. Reference:
google-auth (Application Default Credentials), azure-identity (DefaultAzureCredential), botocore
(SigV4).
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from ..caches import remember
from ..errors import ConfigError, ProviderError
from .call import HttpCall, choose_transport
from .errors import find_reason
from .timeouts import Timeouts

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_REGION = re.compile(r"(?<=[./-])[a-z]{2}(?:-[a-z]+)+-[0-9](?=[./])")
_lock = threading.Lock()  # the libraries refresh tokens without a lock


def google(variable: str | None) -> str:
    """An access token of the Application Default Credentials. Raises ConfigError if there are none.

    `variable` is that of a key that could be used instead, for the text of the error.
    """
    _need("google.auth", "google", variable)
    from google.auth.exceptions import GoogleAuthError

    try:
        with _lock:
            credentials = _google_credentials()
            if not credentials.valid:
                credentials.refresh(_Fetch())
            token: str = credentials.token
    except (GoogleAuthError, ProviderError) as error:
        raise _none_found("Google", error, variable, "gcloud auth application-default login") from (
            error
        )
    return token


@remember("the credentials that Google finds", entries=1, size=2**14)
def _google_credentials() -> Any:
    import google.auth

    fetch: Any = _Fetch()  # has the shape of a Request, whose module is loaded later
    credentials, _ = google.auth.default(scopes=[_SCOPE], request=fetch)
    return credentials


@dataclass
class _Fetched:
    """An answer with the attributes that google.auth reads."""

    status: int
    headers: Mapping[str, str]
    data: bytes = field(repr=False)


class _Fetch:
    """Carries google.auth's requests over our transport."""

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **_: Any,
    ) -> _Fetched:
        from google.auth.exceptions import TransportError

        data = body.encode() if isinstance(body, str) else body or b""
        call = HttpCall(method, url, dict(headers or {}), data)
        transport = choose_transport(None, asynchronous=False)
        try:
            reply = transport.send(call, Timeouts(read=timeout or 30.0))
        except ProviderError as error:
            raise TransportError(error) from error  # type: ignore[no-untyped-call]
        finally:
            transport.close()
        return _Fetched(reply.status, reply.headers, reply.body)


def entra(scope: str, variable: str | None) -> str:
    """An access token of Microsoft Entra. Raises ConfigError if no credential gives one."""
    _need("azure.identity", "azure", variable)
    from azure.core.exceptions import ClientAuthenticationError

    try:
        token: str = _azure_credential().get_token(scope).token
    except ClientAuthenticationError as error:
        raise _none_found("Microsoft", error, variable, "az login") from error
    return token


@remember("the credential that Entra's library tries", entries=1, size=2**14)
def _azure_credential() -> Any:
    from azure.identity import DefaultAzureCredential

    return DefaultAzureCredential()


def sign_call(call: HttpCall, service: str, variable: str | None) -> HttpCall:
    """Sign a call for AWS (SigV4). Raises ConfigError without credentials or region.

    The region is that of the host, else that of the environment or profile.
    """
    _need("botocore", "bedrock", variable)
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.exceptions import BotoCoreError

    try:
        session = _aws_session(os.environ.get("AWS_PROFILE"))
        credentials = session.get_credentials()
        region = _aws_region(call.url) or session.get_config_variable("region")
    except BotoCoreError as error:
        raise _none_found("AWS", error, variable, "aws configure") from error
    if credentials is None:
        raise _none_found("AWS", None, variable, "aws configure")
    if not region:
        hint = "set AWS_REGION"
        raise ConfigError("AWS signs for a region, and none is set", hint=hint, code="key.region")
    request = AWSRequest(call.method, call.url, headers=dict(call.headers), data=call.body)
    SigV4Auth(credentials.get_frozen_credentials(), service, region).add_auth(request)
    return replace(call, headers={name.lower(): text for name, text in request.headers.items()})


def _aws_region(url: str) -> str:
    found = _REGION.search(f".{urlsplit(url).hostname or ''}.")
    names = ("AWS_REGION", "AWS_DEFAULT_REGION")
    return found[0] if found else next(filter(None, map(os.environ.get, names)), "")


@remember("AWS sessions by profile", entries=4, size=2**20)
def _aws_session(profile: str | None) -> Any:
    import botocore.session

    return botocore.session.Session(profile=profile)


def _need(module: str, extra: str, variable: str | None) -> None:
    try:
        found = find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is missing
        found = False
    if not found:
        key = f"set {variable}, or " if variable else ""
        text = f"there is no key, and credentials of the cloud need {module}"
        hint = f'{key}pip install "dragoman[{extra}]"'
        raise ConfigError(text, hint=hint, code="key.missing")


def _none_found(
    whose: str, error: Exception | None, variable: str | None, command: str
) -> ConfigError:
    key = f"set {variable}, or " if variable else ""
    reason = f": {find_reason(error)}" if error is not None else ""
    text = f"there is no key, and no credentials of {whose}{reason}"
    return ConfigError(text, hint=f"{key}run {command}", code="key.missing")
