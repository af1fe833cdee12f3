"""What Converse carries whatever the model: blocks, media, ids and names of tools, options.

Facts of models and hosts (`capabilities/families/`, `vendors/`) change single values of it.
"""

from __future__ import annotations

from ...capabilities import Capabilities
from ...capabilities.name_rules import IdRule, NameRule
from .dialect import MEDIA_TYPES_OF_KIND

# What the models of all makers share; facts by model add what one of them takes besides. Service
# model of bedrock-runtime (botocore 1.44.5): shapes, formats, names of 64 characters, ids of 64 in
# [a-zA-Z0-9_.:-], temperature and topP from 0 to 1. From recorded answers: text must not be blank,
# the user begins, results come back in one turn, which may have text, too, a document needs a text
# beside it, and tool blocks need a toolConfig. There is no choice `none`.
CAN = Capabilities(
    tool_schema="object",
    user=frozenset({"text", "image", "document", "raw"}),
    assistant=frozenset({"text", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={kind: frozenset({"base64"}) for kind in ("image", "audio", "video", "document")},
    media_types=MEDIA_TYPES_OF_KIND,
    schemes=frozenset({"s3"}),  # for models whose facts allow URLs
    file_schemes=frozenset({"s3"}),
    titles=frozenset({"document"}),
    typed_urls=frozenset({"image", "audio", "video", "document"}),  # their `format`
    move_media=frozenset({"image", "audio", "video", "document"}),
    thinking="all",
    signed_thinking=True,  # only one maker's models take thinking back, and they sign it
    tool_choices=frozenset({"auto", "required", "tool"}),
    none_by="withholding",
    tool_stubs=True,
    system_place="top",
    late_system="reminder",  # there is no record of which models take the role system
    blank_text=False,
    trailing_space=False,
    gather_results=True,
    alternation="merged",
    lone_documents=False,
    first_user=True,
    prefill=False,
    cache_ttls=frozenset({"5m", "1h"}),
    ids=IdRule(chars=r"a-zA-Z0-9_.:\-", max=64, unique=True),
    tool_names=NameRule(),
    formats=frozenset({"text"}),
    thinks="never",
    source="Amazon Bedrock API reference, Converse; recorded answers",
    since="2026-11-21",
)
