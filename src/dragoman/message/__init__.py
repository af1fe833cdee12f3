"""The tree: messages, content blocks, tools and exchanges. Pure values; no provider, no I/O.

What a conversation is, whoever hosts the model. Readers make these values, writers read them.
"""

from .answer import Candidate, ChatResponse, Finish, Usage
from .as_read import AsRead
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
from .loaded import load
from .msg import Msg, Role, identify
from .options import Options, ResponseFormat
from .places import answer_places, places
from .request import ChatRequest, messages_of, request_of
from .server_tools import ServerTool
from .sources import Base64Source, FileSource, LocalSource, Source, URLSource
from .stored import dump
from .tools import Parameter, Tool, ToolChoice, tools_of
from .written import Written

__all__ = [
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
    "ImageBlock",
    "LocalSource",
    "Msg",
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
    "dump",
    "identify",
    "load",
    "messages_of",
    "places",
    "request_of",
    "tools_of",
]
