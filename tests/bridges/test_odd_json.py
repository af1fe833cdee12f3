"""JSON with values of the wrong type: it is read, or refused with an error of ours."""

from __future__ import annotations

from dragoman.bridges import ai_sdk
from tests.each_case import each_case

from .conversations import CONVERSATIONS
from .crossing import BRIDGES
from .law import Bridge, check_odd_values
from .test_ai_sdk import THEIRS


@each_case("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_odd_values_raise_no_error_of_another(bridge: Bridge) -> None:
    more = []
    if bridge.name == "ai_sdk":
        told = CONVERSATIONS.values()
        more = [ai_sdk.write_ui_messages(one, policy="ignore").messages for one in told]
        more.append(THEIRS)
    check_odd_values(bridge, more)
