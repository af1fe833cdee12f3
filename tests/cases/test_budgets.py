"""Cases of budgets: what is cut out of a history that came in, and what its media count for."""

from __future__ import annotations

import dragoman
from dragoman.tokens import CharTokenCounter

from .converting import calls, chat, claude, responses, result

LONG = {"role": "user", "content": "a" * 400}
ASK = {"role": "user", "content": "And now?"}


def test_case_91_a_turn_is_cut_whole_or_not_at_all() -> None:
    said = calls(("a", "look", "{}"), ("b", "look", "{}"), reasoning_content="hm")
    told = chat({"role": "system", "content": "S"}, LONG, said, result("a"), result("b"), ASK)
    read = dragoman.wire("openai-chat").read_request(told).messages
    seen: set[int] = set()
    for limit in range(60, 1200, 20):
        formatter = dragoman.Formatter("anthropic", token_counter=CharTokenCounter(),
                                       max_tokens=limit, policy="ignore")  # fmt: skip
        try:
            fitted = dragoman.fit_history_sync(read, formatter=formatter)
        except dragoman.ContextOverflow:
            assert not seen, "more room cannot be too little"
            continue
        kinds = [block.type for m in fitted.msgs for block in m.blocks]
        assert kinds.count("tool_use") == kinds.count("tool_result")
        assert fitted.msgs[0].role == "system"
        assert fitted.msgs[-1] is read[-1]
        seen.add(kinds.count("tool_use"))
        if len(fitted.msgs) == len(read):
            assert fitted.msgs == read
    assert seen == {0, 2}


def test_case_94_an_image_counts_flat_in_every_spelling() -> None:
    data = "iVBORw0KGgo" + "A" * 200_001
    uri = f"data:image/png;base64,{data}"
    source = {"type": "base64", "media_type": "image/png", "data": data}
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    shown = {"type": "tool_result", "tool_use_id": "a",
             "content": [{"type": "image", "source": source}]}  # fmt: skip
    bodies = {
        "openai-chat": chat({"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": uri}}]}),
        "openai-responses": responses({"role": "user", "content": [
            {"type": "input_image", "image_url": uri}]}),
        "anthropic": claude(LONG, {"role": "assistant", "content": [call]},
                            {"role": "user", "content": [shown]}),
    }  # fmt: skip
    for name, body in bodies.items():
        read = dragoman.wire(name).read_request(body).messages
        for target in ("openai-chat", "anthropic", "gemini", "openai-responses"):
            made = dragoman.Formatter(target, policy="ignore").write(read).messages
            assert data in str(made)
            assert CharTokenCounter().count_sync(made) < 20_000


def test_case_94_calls_and_their_results_count() -> None:
    few = chat(LONG, calls(("a", "look", "{}")), result("a"))
    many = chat(LONG, calls(("a", "look", '{"x": "' + "y" * 900 + '"}')), result("a", "z" * 900))
    counted = []
    for body in (few, many):
        read = dragoman.wire("openai-chat").read_request(body).messages
        made = dragoman.Formatter("anthropic", policy="ignore").write(read).messages
        counted.append(CharTokenCounter().count_sync(made))
    assert counted[1] - counted[0] >= 1800
