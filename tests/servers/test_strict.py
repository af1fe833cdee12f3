"""Our strict server, with the judges of the contract tests: what we write is accepted there."""

from __future__ import annotations

import json
from typing import Any

from dragoman import ChatRequest, Msg
from dragoman.message import TextBlock, ToolResultBlock
from dragoman.testing import StrictServer
from dragoman.transport.call import Timeouts
from dragoman.transport.over_httpx2 import Httpx2Transport
from dragoman.vendors import PROTOCOLS
from tests.contract.judges import judge_request
from tests.each_case import each_case
from tests.testing.calls import CALL, WARMTH, call_of, written


@each_case("stream", [False, True])
@each_case("name", PROTOCOLS)
def test_a_tool_loop_on_every_wire(name: str, stream: bool) -> None:
    def judge(body: Any, path: str) -> list[str]:
        return judge_request(name, json.loads(body))

    msgs = [Msg("Tony", "How warm is it in Samarkand?", "user")]
    transport = Httpx2Transport()
    with StrictServer(name, [CALL], "It is warm.", judges=[judge]) as server:
        for _ in range(2):
            wire, out = written(name, ChatRequest(msgs, tools=[WARMTH], stream=stream))
            with transport.stream(call_of(out, server.url), Timeouts(read=30)) as reply:
                assert reply.status == 200, reply.read()
                if stream:
                    read = wire.read_stream(iter(reply), request=out)
                    list(read)
                    answer = read.response
                else:
                    answer = wire.read_response(reply.read(), request=out)
            msgs.append(answer.msg)
            for call in answer.calls:
                result = ToolResultBlock(call.id, call.name, [TextBlock("31 degrees")])
                msgs.append(Msg(call.name, [result], "tool"))
        assert msgs[-1].text == "It is warm."
        assert server.judged == [[], []]
        assert len(server.requests[1].messages) >= 3
    transport.close()
