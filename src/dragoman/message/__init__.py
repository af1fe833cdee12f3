"""The data model: messages, content blocks, tools and exchanges. Pure values; no provider, no I/O.

A conversation is the same for every provider. Readers of wires create these values, and writers
read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .answer import Candidate, ChatResponse, Finish, Usage
from .blocks import (
    AudioBlock,
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from .logprobs import Logprob
from .media import (
    Base64Source,
    FileSource,
    FramesSource,
    LocalSource,
    Source,
    TextSource,
    URLSource,
)
from .msg import Msg, Role, identify
from .options import Options
from .paths import answer_places, places
from .request import AsRead, ChatRequest, check_messages, check_request
from .response_format import ResponseFormat
from .sources import AnswerSource
from .stored import dump, load
from .tools import Grammar, Namespace, Parameter, ServerTool, Tool, ToolChoice, to_tools
from .written import Written

__all__ = [
    "AnswerSource",
    "AsRead",
    "AudioBlock",
    "Base64Source",
    "CacheHint",
    "Candidate",
    "ChatRequest",
    "ChatResponse",
    "Citation",
    "ContentBlock",
    "DocumentBlock",
    "FileSource",
    "Finish",
    "FramesSource",
    "Grammar",
    "ImageBlock",
    "LocalSource",
    "Logprob",
    "Msg",
    "Namespace",
    "Options",
    "Origin",
    "Parameter",
    "RawBlock",
    "RefusalBlock",
    "ResponseFormat",
    "Role",
    "ServerTool",
    "Source",
    "TextBlock",
    "TextSource",
    "ThinkingBlock",
    "Tool",
    "ToolChoice",
    "ToolResultBlock",
    "ToolUseBlock",
    "URLSource",
    "Usage",
    "VideoBlock",
    "Written",
    "answer_places",
    "check_messages",
    "check_request",
    "dump",
    "identify",
    "load",
    "places",
    "to_tools",
]


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__ = refusing(__name__)

__dir__ = listing(globals(), __all__)
