"""Markdown as the page lays it out: nodes, in time that grows with the text, and never HTML."""

from __future__ import annotations

import pytest

from .browsing import Tab

_LAID_OUT = """async (text) => {
  const { markdown } = await import("./static/markdown.js");
  return markdown(text).innerHTML;
}"""

_NODES = """async (text) => {
  const { markdown } = await import("./static/markdown.js");
  const root = markdown(text);
  return [root.textContent.length, root.querySelectorAll("*").length];
}"""

_RAW = '<p class="raw-text">'

_TABLE = (
    '<table tabindex="0"><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>'
    "<tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>"
)
_NESTED = f"<ul><li>a</li><li>{_RAW}b</p><ul><li>c</li></ul></li><li>d</li></ul>"
_CODE = '<pre tabindex="0" aria-label="py code"><code>a &lt; b</code></pre>'
_MARKS = "<strong>b</strong> <em>c</em> <em>d</em> <s>e</s> <code>f</code>"

CASES = [
    ("Hello", f"{_RAW}Hello</p>"),
    ("one\ntwo\n\nthree", f"{_RAW}one\ntwo</p>{_RAW}three</p>"),
    ("# Title\n## Lower #", "<h3>Title</h3><h4>Lower</h4>"),
    ("a **b** *c* _d_ ~~e~~ `f`", f"{_RAW}a {_MARKS}</p>"),
    ("snake_case_name 2*3*4 ** no **", f"{_RAW}snake_case_name 2*3*4 ** no **</p>"),
    ("**a `b` c**", f"{_RAW}<strong>a <code>b</code> c</strong></p>"),
    ("``a ` b``", f"{_RAW}``a ` b``</p>"),
    ("- a\n- b\n  - c\n- d", _NESTED),
    ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
    ("> a\n> b", f"<blockquote>{_RAW}a\nb</p></blockquote>"),
    ("---", "<hr>"),
    ("| a | b |\n|---|:-:|\n| 1 | **2** |", _TABLE),
    ("```py\na < b\n```\nc", f"{_CODE}{_RAW}c</p>"),
    ("```\nopen", '<pre tabindex="0" aria-label="code"><code>open</code></pre>'),
    ("<b>x</b> &amp; <script>", f"{_RAW}&lt;b&gt;x&lt;/b&gt; &amp;amp; &lt;script&gt;</p>"),
]


@pytest.fixture
def window(empty_page: Tab) -> Tab:
    return empty_page


def test_what_models_write_is_laid_out(window: Tab) -> None:
    shown = [(text, window.page.evaluate(_LAID_OUT, text)) for text, _ in CASES]
    assert shown == CASES


def test_links_lead_out_or_stay_text(window: Tab) -> None:
    def laid_out(text: str) -> str:
        return str(window.page.evaluate(_LAID_OUT, text))

    out = 'target="_blank" rel="noopener noreferrer"'
    assert f'<a href="https://a.example/x" {out}>here</a>' in laid_out(
        "[here](https://a.example/x)"
    )
    assert f'<a href="mailto:a@a.example" {out}>' in laid_out("[me](mailto:a@a.example)")
    plain = laid_out("see https://a.example/x, and http://b.example.")
    assert plain.count("<a ") == 2
    assert ">https://a.example/x</a>," in plain
    assert ">http://b.example</a>." in plain
    for address in ("javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///x",
                    "//a.example", "/api/contents", "java\tscript:alert(1)", "vbscript:x",
                    "blob:https://a.example/x"):  # fmt: skip
        assert "<a " not in laid_out(f"[x]({address})"), address
    picture = laid_out("![a chart](https://a.example/x.png)")
    assert "<img" not in picture
    assert ">picture: a chart</a>" in picture


@pytest.mark.parametrize(
    "unit", ["*", "_", "`", "[", "](", "![", "~~", "> ", "- ", "|", "https://", "**a", "1. ", "\n>",
             "| - ", "```\n", "\t", "[a](", "*a_b"],
)  # fmt: skip
def test_long_runs_take_time_in_proportion(window: Tab, unit: str) -> None:
    """A pattern that could be read in many ways would not end within the time of a test."""
    text = unit * (150_000 // len(unit))
    length, nodes = window.page.evaluate(_NODES, text)
    assert length <= len(text)
    assert nodes < 200_000


@pytest.mark.parametrize("text", ["# a{}a", "```{}`", "a|\n-{}x|", "* *{}x", "- {}\n  x"])
def test_a_long_gap_takes_time_in_proportion(window: Tab, text: str) -> None:
    length, _ = window.page.evaluate(_NODES, text.format(" " * 150_000))
    assert length >= 1


def test_what_is_too_long_is_not_laid_out(window: Tab) -> None:
    assert window.page.evaluate(_NODES, "**a** " * 50_000) == [300_000, 0]
