"""A request longer than the context: messages of servers that people run themselves."""

from __future__ import annotations

from ..kinds import ErrorKind
from ..row import ErrorRow

_KIND: ErrorKind = "context_overflow"
_PI = "earendil-works/pi issue 129 and packages/ai/src/utils/overflow.ts: sent to live endpoints"

CONTEXT_OF_SERVERS: tuple[ErrorRow, ...] = (
    ErrorRow(
        _KIND,
        "request ({tokens} tokens) exceeds the available context size ({limit} tokens)",
        ("llamacpp", "lmstudio"),
        "2026-09-21",
        "chflame163/ComfyUI_Qwen_H3_Prompt issue 5; llama.cpp, tools/server; xllamacpp, run",
    ),
    ErrorRow(
        _KIND,
        "exceeds the available context size",
        ("llamacpp",),
        "2025-12-06",
        _PI,
    ),
    ErrorRow(
        _KIND,
        "context size has been exceeded",
        ("llamacpp",),
        "2026-11-28",
        "llama.cpp, tools/server: status 500, in the middle of an answer",
    ),
    ErrorRow(
        _KIND,
        "prompt tokens ({tokens}) exceeds context size ({limit})",
        ("llamacpp",),
        "2026-05-14",
        "antirez/ds4 pull request 150, a server with llama.cpp's fields",
    ),
    ErrorRow(
        _KIND,
        "prompt has {tokens} tokens, but the configured context size is {limit} tokens",
        ("llamacpp",),
        "2026-11-28",
        "anomalyco/opencode, packages/llm",
    ),
    ErrorRow(
        _KIND,
        "requested tokens ({tokens}) exceed context window of {limit}",
        ("llamacpp",),
        "2023-06-24",
        "abetlen/llama-cpp-python issue 416",
    ),
    ErrorRow(
        _KIND,
        "cannot truncate prompt with n_keep ({tokens}) >= n_ctx ({limit})",
        ("lmstudio", "llamacpp"),
        "2026-03-09",
        "openclaw/openclaw issue 30056, and many logs of LM Studio's users",
    ),
    ErrorRow(
        _KIND,
        "trying to keep the first {tokens} tokens when context *overflows. however, the model is "
        "loaded with *context length of only {limit} tokens",
        ("lmstudio",),
        "2025-05-20",
        "cline/cline issue 3664; lmstudio-ai/lmstudio-bug-tracker issue 546",
    ),
    ErrorRow(
        _KIND,
        "tokens to keep from the initial prompt is greater than the context length",
        ("lmstudio",),
        "2025-12-06",
        _PI,
    ),
    ErrorRow(
        _KIND,
        "reached context length of {limit} tokens with model",
        ("lmstudio",),
        "2025-11-21",
        "lmstudio-ai/lmstudio-bug-tracker issue 1251: in the middle of an answer",
    ),
    ErrorRow(
        _KIND,
        "prompt too long; exceeded max context length by {n} tokens",
        ("ollama",),
        "2026-06-01",
        "logs of Ollama Cloud's users; earendil-works/pi, overflow.ts",
    ),
    ErrorRow(
        _KIND,
        "input length exceeds *context length",
        ("ollama",),
        "2026-11-28",
        "ollama, server/routes.go and its embeddings: truncate false",
    ),
    ErrorRow(
        _KIND,
        "input ({tokens} tokens) is longer than the model's context length ({limit} tokens)",
        ("together", "sglang", "openrouter", "siliconflow"),
        "2026-08-25",
        "openclaw/openclaw issue 129352; CherryHQ/cherry-studio issue 5538: code 502 at OpenRouter",
    ),
    ErrorRow(
        _KIND,
        "input is longer than the model's context length",
        ("sglang",),
        "2026-11-28",
        "anomalyco/opencode, packages/llm: a host that leaves the numbers out",
    ),
    ErrorRow(
        _KIND,
        "input length ({tokens} tokens) exceeds the maximum allowed length ({limit} tokens)",
        ("sglang",),
        "2025-03-04",
        "sgl-project/sglang issue 4048",
    ),
    ErrorRow(
        _KIND,
        "input length {tokens} exceeds the maximum allowed input length of {limit} tokens",
        ("openrouter",),
        "2026-05-24",
        "earendil-works/pi issue 4943",
    ),
    ErrorRow(
        _KIND,
        "requested input length {tokens} exceeds maximum input length {limit}",
        ("openrouter",),
        "2026-11-28",
        "anomalyco/opencode, packages/llm: DeepInfra",
    ),
    ErrorRow(
        _KIND,
        "`inputs` tokens + `max_new_tokens` must be <= {limit}. given: {tokens}",
        ("huggingface", "together"),
        "2024-09-28",
        "barun-saha/slide-deck-ai issue 44; text-generation-inference, router/src/validation.rs",
    ),
    ErrorRow(
        _KIND,
        "`inputs` tokens + `max_new_tokens` must be <= {limit}",
        ("huggingface", "together"),
        "2024-09-28",
        "barun-saha/slide-deck-ai issue 44",
    ),
    ErrorRow(
        _KIND,
        "`inputs` must have less than {limit} tokens. given: {tokens}",
        ("huggingface",),
        "2026-11-28",
        "text-generation-inference, router/src/validation.rs",
    ),
    ErrorRow(
        _KIND,
        "length of prompt_tokens ({tokens}) must be less than max_seq_len ({limit})",
        ("siliconflow",),
        "2025-05-08",
        "langgenius/dify issue 19394; BerriAI/litellm issue 10188",
    ),
    ErrorRow(
        _KIND,
        "max_total_tokens ({tokens}) must be less than or equal to max_seq_len ({limit})",
        ("siliconflow",),
        "2026-03-03",
        "continuedev/continue issue 10993",
    ),
)
