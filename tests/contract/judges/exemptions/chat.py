"""What copies of Chat Completions take although OpenAI's types do not have it."""

from __future__ import annotations

from .row import (
    Exemption,
    cache_marks,
    long_ids,
    message_keys,
    own_tools,
    part_kind,
    request_keys,
)

TEXT = (str, type(None))
NUMBER = (int, float)
THINKING = "Thinking goes back on assistant turns, and must on those that call tools."
OWN = "A key of the vendor's own beside OpenAI's."
DEEPSEEK_THINKING = "api-docs.deepseek.com/guides/thinking_mode"
VLLM_REASONING = "vLLM RFC 27755, PR 27752 (renamed), PR 42664 (old name taken again)"
VLLM_REQUEST = "vLLM ChatCompletionRequest"
KIMI = "platform.moonshot.ai, the vendor's own client (kimi-cli)"
GLM = "docs.z.ai/guides/capabilities/thinking-mode; zai-sdk"
MINIMAX = "platform.minimax.io/docs, text-openai-api"
GROQ = "groq SDK 1.7"
OPENROUTER = "openrouter SDK 1.3; 317 recorded requests answered with 200"
COMPATIBLE = "help.aliyun.com model-studio, compatible mode; qwen-code"
TAKES_RESULT_NAMES = frozenset({
    "openai-chat", "openai/openai-chat", "azure/openai-chat", "deepseek/openai-chat",
    "vllm/openai-chat",
})  # fmt: skip

MARKED = ("part", "tool", "message", "call")

DEEPSEEK_ROWS = (
    *message_keys("deepseek/openai-chat", "deepseek", {"reasoning_content": (str,)}, THINKING,
                  DEEPSEEK_THINKING),
    *request_keys("deepseek/openai-chat", "deepseek", {"thinking": (dict,), "user_id": (str,)},
                  OWN, "api-docs.deepseek.com"),
    *long_ids("deepseek/openai-chat", "deepseek", "call_0_<uuid>, recorded"),
)  # fmt: skip

VLLM_ROWS = (
    *message_keys(
        "vllm/openai-chat", "vllm", {"reasoning": TEXT, "reasoning_content": TEXT},
        "Thinking goes back under the name that current servers answer with, or the older one.",
        VLLM_REASONING,
    ),
    part_kind("vllm/openai-chat", "vllm", "video_url", VLLM_REQUEST),
    part_kind("vllm/openai-chat", "vllm", "audio_url", VLLM_REQUEST),
    *long_ids("vllm/openai-chat", "vllm", "chatcmpl-tool-<32 hex digits>"),
    *request_keys(
        "vllm/openai-chat", "vllm",
        {"chat_template_kwargs": (dict,), "structured_outputs": (dict,),
         "thinking_token_budget": (int,), "include_reasoning": (bool,),
         "continue_final_message": (bool,), "add_generation_prompt": (bool,), "top_k": (int,),
         "min_p": NUMBER, "repetition_penalty": NUMBER},
        "A request field of the vLLM server that OpenAI's types do not have.", VLLM_REQUEST,
    ),
)  # fmt: skip

MOONSHOT_ROWS = (
    *message_keys("moonshot/openai-chat", "moonshot", {"reasoning_content": (str,)}, THINKING,
                  KIMI),
    *request_keys("moonshot/openai-chat", "moonshot", {"thinking": (dict,)}, OWN, KIMI),
    part_kind("moonshot/openai-chat", "moonshot", "video_url", KIMI),
    Exemption(
        "moonshot.stored-image", frozenset({"moonshot/openai-chat"}), "chat.image",
        "messages[*].content[*].image_url.url",
        "An uploaded file is named by its id where other vendors want a link.", KIMI,
        kinds=(str,), like=r"ms://\S",
    ),
    *own_tools("moonshot/openai-chat", "moonshot", KIMI, "builtin_function"),
    *long_ids("moonshot/openai-chat", "moonshot", "functions.<name>:<n>, echoed as it came"),
)  # fmt: skip

ZHIPU_ROWS = (
    *message_keys("zhipu/openai-chat", "zhipu", {"reasoning_content": (str,)},
                  "Thinking goes back whole where it shall be kept.", GLM),
    *request_keys(
        "zhipu/openai-chat", "zhipu",
        {"thinking": (dict,), "do_sample": (bool,), "request_id": (str,), "user_id": (str,),
         "tool_stream": (bool,)},
        OWN, GLM,
    ),
    part_kind("zhipu/openai-chat", "zhipu", "video_url", GLM),
    *own_tools("zhipu/openai-chat", "zhipu", GLM, "web_search"),
)  # fmt: skip

MINIMAX_ROWS = (
    *message_keys("minimax/openai-chat", "minimax", {"reasoning_details": (list,)},
                  "Thinking that came apart from the text goes back as it came.", MINIMAX),
    *request_keys("minimax/openai-chat", "minimax",
                  {"thinking": (dict,), "reasoning_split": (bool,)}, OWN, MINIMAX),
    part_kind("minimax/openai-chat", "minimax", "video_url", MINIMAX),
)  # fmt: skip

GATEWAY_ROWS = (
    *message_keys("xai/openai-chat", "xai", {"reasoning_content": (str,)},
                  "Tolerated: three recorded requests were answered with 200.", "recorded"),
    *message_keys("groq/openai-chat", "groq", {"reasoning": (str,)},
                  "Thinking goes back under the name it is answered with.", GROQ),
    *request_keys("groq/openai-chat", "groq",
                  {"reasoning_format": (str,), "include_reasoning": (bool,)}, OWN, GROQ),
    *(
        Exemption(
            f"groq.own-{key}", frozenset({"groq/openai-chat"}), "types.value", key,
            "A word of the vendor's own for a key of OpenAI's.", GROQ, kinds=(str,), like=words,
            scope="request",
        )
        for key, words in (("reasoning_effort", "default$"), ("service_tier", "on_demand$"))
    ),
    *message_keys(
        "openrouter/openai-chat", "openrouter.back",
        {"reasoning": (str,), "reasoning_details": (list,)},
        "Reasoning of any vendor goes back in the gateway's own form.", OPENROUTER,
    ),
    *request_keys(
        "openrouter/openai-chat", "openrouter",
        {"reasoning": (dict,), "include_reasoning": (bool,), "provider": (dict,),
         "models": (list,), "plugins": (list,), "usage": (dict,), "transforms": (list,),
         "preset": (str,), "top_k": (int,),
         "min_p": NUMBER, "repetition_penalty": NUMBER},
        OWN, OPENROUTER,
    ),
    part_kind("openrouter/openai-chat", "openrouter", "video_url", OPENROUTER),
    Exemption(
        "openrouter.linked-file", frozenset({"openrouter/openai-chat"}), "chat.file_data",
        "messages[*].content[*].file.file_data", "A file may be a web address here.",
        "OpenRouter docs, PDF inputs; recorded", kinds=(str,), like=r"https?://",
    ),
    *long_ids("openrouter/openai-chat", "openrouter", "tool_<name>_<20 letters>, recorded"),
    *cache_marks("openrouter/openai-chat", "openrouter", OPENROUTER, MARKED),
    *own_tools("openrouter/openai-chat", "openrouter", OPENROUTER,
               "openrouter:web_search", "openrouter:advisor"),
    *own_tools("groq/openai-chat", "groq", GROQ, "browser_search", "code_interpreter"),
)  # fmt: skip

COMPATIBLE_ROWS = (
    *message_keys("dashscope/openai-chat", "compatible", {"reasoning_content": (str,)},
                  "Read by models that keep thinking, ignored by the others.", COMPATIBLE),
    *request_keys(
        "dashscope/openai-chat", "compatible",
        {"enable_thinking": (bool,), "thinking_budget": (int,), "preserve_thinking": (bool,),
         "top_k": (int,), "enable_search": (bool,), "search_options": (dict,),
         "vl_high_resolution_images": (bool,), "repetition_penalty": NUMBER},
        OWN, COMPATIBLE,
    ),
    part_kind("dashscope/openai-chat", "compatible", "video_url", COMPATIBLE),
    part_kind("dashscope/openai-chat", "compatible", "video", COMPATIBLE),
    Exemption(
        "compatible.linked-audio", frozenset({"dashscope/openai-chat"}), "chat.audio",
        "messages[*].content[*].input_audio.data",
        "Audio is a web address or a data URI here, and bare base64 fails.", COMPATIBLE,
        kinds=(str,), like=r"data:|https?://",
    ),
    *cache_marks("dashscope/openai-chat", "compatible", COMPATIBLE, MARKED[:2]),
)  # fmt: skip

ROWS: tuple[Exemption, ...] = (
    Exemption(
        "chat.tool-message-name", TAKES_RESULT_NAMES, "types.unknown_key", "messages[*].name",
        "AgentScope's form names the tool in the tool message; the API takes and ignores it.",
        "AgentScope 1.0.21 OpenAIChatFormatter; 5 recorded requests that OpenAI answered with 200",
        when={"role": "tool"}, kinds=(str,),
    ),
    *DEEPSEEK_ROWS, *VLLM_ROWS, *MOONSHOT_ROWS, *ZHIPU_ROWS, *MINIMAX_ROWS, *GATEWAY_ROWS,
    *COMPATIBLE_ROWS,
)  # fmt: skip
