#!/usr/bin/env bash
# langchain-core 1.8.3 and langchain-openai 1.7.4 (PyPI, 2026-11-29), CPython 3.11.
#
# LangChain reads an image of OpenAI's form as a standard block, and puts the resolution that was
# asked for into its `extras`. langchain-openai sends that block without it: a program that goes
# through `content_blocks` asks for another, dearer resolution than it wrote.
#
# Output seen:
#   standard block: {'type': 'image', 'url': 'https://example.com/a.png', 'extras': {'detail': 'low'}}
#   as written:     {'url': 'https://example.com/a.png', 'detail': 'low'}
#   as standard:    {'url': 'https://example.com/a.png'}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  langchain-core==1.8.3 langchain-openai==1.7.4
cat > "$folder/try.py" <<'PYTHON'
import sys

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

URL = "https://example.com/a.png"
model = ChatOpenAI(model="gpt-5.6", api_key="sk-none")
written = HumanMessage([{"type": "image_url", "image_url": {"url": URL, "detail": "low"}}])
[block] = written.content_blocks
block.pop("id", None)  # made up anew each time


def sent(message):
    [said] = model._get_request_payload([message])["messages"]
    return said["content"][0]["image_url"]


as_written, as_standard = sent(written), sent(HumanMessage(content_blocks=[block]))
print("standard block:", block)
print("as written:    ", as_written)
print("as standard:   ", as_standard)
lost = block["extras"] == {"detail": "low"} and as_written["detail"] == "low"
sys.exit(0 if lost and "detail" not in as_standard else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
