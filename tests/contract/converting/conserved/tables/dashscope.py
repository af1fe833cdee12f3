"""Generation of DashScope: messages in `input`, all else in `parameters`."""

from __future__ import annotations

from ..facts import Table
from .openai_chat import OPTIONS, TOOLS
from .seats import by_role, words

__all__ = ["TABLE"]

_AT = "input.messages[]"
TABLE = Table(
    rows={
        "model": "model",
        "input.prompt": "text:user",
        f"{_AT}.content": "text",
        f"{_AT}.content[].text": "text",
        f"{_AT}.content[].image": "url:image",
        f"{_AT}.content[].audio": "url:audio",
        f"{_AT}.content[].video": "url:video",
        f"{_AT}.content[].video[]": "url:video",
        f"{_AT}.content[].cache_control.type": "cache",
        f"{_AT}.content[].cache_control.ttl": "ttl",
        f"{_AT}.reasoning_content": "thinking",
        f"{_AT}.name": "result_name",
        f"{_AT}.tool_call_id": "result_id",
        f"{_AT}.tool_calls[].id": "id",
        f"{_AT}.tool_calls[].function.name": "call_name",
        f"{_AT}.tool_calls[].function.arguments": "call",
        **{f"parameters.{key}": kind for key, kind in {**OPTIONS, **TOOLS}.items()},
        "parameters.incremental_output": "option:incremental",
        "parameters.enable_thinking": "thinks",
        "parameters.enable_search": "server:web_search",
        "parameters.enable_code_interpreter": "server:code_execution",
        "parameters.search_options.assigned_site_list[]": "option:domains",
        "parameters.thinking_budget": "budget",
    },
    seats={_AT: by_role},
    quiet={
        f"{_AT}.role": words("system user assistant tool"),
        f"{_AT}.tool_calls[].type": words("function"),
    },
)
