"""Keys by content: equal for what is equal, different for what a model reads differently."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.tokens.cached import content_key

LONG = "x" * 5000
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from((0.0, 1.0, -0.0, 1.5))
    | st.sampled_from(("", "1", "a", "None", LONG, LONG[:-1] + "y"))
)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("a", "text", "content", "input")), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(trees, trees)
def test_equal_keys_are_equal_json(one: Any, other: Any) -> None:
    same = content_key(one) == content_key(other)
    assert same == (json.dumps(one) == json.dumps(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [({"a": "b"}, ["a", "b"]), ({}, []), ([1], [True]), (0, False), (None, "None"), ([[]], [{}])],
)
def test_what_looks_alike_is_told_apart(one: Any, other: Any) -> None:
    assert content_key(one) != content_key(other)


@given(trees)
def test_a_copy_has_the_same_key_and_the_same_hash(tree: Any) -> None:
    key, again = content_key(tree), content_key(copy.deepcopy(tree))
    assert key == again
    assert hash(key) == hash(again)


def image(data: str, url: bool = True) -> dict[str, Any]:
    if url:
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    return {"type": "image", "source": {"type": "base64", "data": data}}


@pytest.mark.parametrize("url", [True, False])
def test_base64_is_known_by_its_length_and_its_ends(url: bool) -> None:
    data = "QUJD" * 5000
    key = content_key({"role": "user", "content": [image(data, url)]})
    longer = content_key({"role": "user", "content": [image(data + "QUJD", url)]})
    other = content_key({"role": "user", "content": [image(data[:-4] + "REVG", url)]})
    assert len({key, longer, other}) == 3
    middle = data[:9000] + "x" + data[9001:]
    assert content_key({"role": "user", "content": [image(middle, url)]}) == key
    assert len(str(key)) < 1000  # the bytes are not kept


@pytest.mark.parametrize("key", ["input", "args", "arguments"])
def test_what_stands_in_arguments_is_text_from_end_to_end(key: str) -> None:
    uri = "data:image/png;base64," + "A" * 9000
    changed = uri[:5000] + "B" + uri[5001:]
    one, other = ({"type": "tool_use", key: {"url": text, "data": text}} for text in (uri, changed))
    assert content_key(one) != content_key(other)


def test_long_text_is_told_apart_in_its_middle_and_not_kept() -> None:
    text = "word " * 5000
    one = content_key({"role": "user", "content": text})
    other = content_key({"role": "user", "content": text[:9000] + "!" + text[9001:]})
    assert one != other
    assert len(str(one)) < 200


def test_a_document_of_text_is_text_from_end_to_end() -> None:
    text = "word " * 5000
    keys = {
        content_key({"role": "user", "content": [{"type": "document", "source": source}]})
        for said in (text, text[:9000] + "!" + text[9001:])
        for source in ({"type": "text", "media_type": "text/plain", "data": said},)
    }
    assert len(keys) == 2
    assert len(str(keys)) < 600


class Name(str):
    """A string of a library's own kind."""

    __slots__ = ()


def test_subclasses_count_as_what_they_are() -> None:
    class Mine(dict):
        pass

    class Parts(list):
        pass

    plain = {"role": "user", "content": ["a"]}
    assert content_key({"role": "user", "content": Parts(["a"])}) == content_key(plain)
    assert content_key(Mine(plain)) == content_key(plain)
    assert content_key({"role": Name("user"), "content": ["a"]}) == content_key(plain)
    assert content_key([b"ab"]) != content_key([b"ac"])
    assert content_key({"a": object}) == content_key({"a": object})
