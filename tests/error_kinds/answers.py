"""Answers of hosts that say that something went wrong, as they were reported or recorded.

(vendor, status, body, kind, tokens, limit). Sources stand in the rows of the table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple


class Refused(NamedTuple):
    """One answer, and what it means."""

    host: str
    status: int | None
    body: Any
    kind: str
    tokens: int | None = None
    limit: int | None = None


def chat(message: str, **fields: Any) -> dict[str, Any]:
    """An error in OpenAI's form."""
    return {"error": {"message": message, "type": "invalid_request_error", **fields}}


def claude(message: str, type: str = "invalid_request_error") -> dict[str, Any]:
    """An error in Anthropic's form."""
    return {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_1"}


def google(code: int, message: str, status: str = "INVALID_ARGUMENT", **more: Any) -> Any:
    """An error in Google's form."""
    return {"error": {"code": code, "message": message, "status": status, **more}}


_LONG = "context_overflow"
_WHOLE = "This model's maximum context length is"

TOO_LONG = [
    Refused("anthropic", 400, claude("prompt is too long: 213462 tokens > 200000 maximum"),
            _LONG, 213462, 200000),
    Refused("anthropic", 400, claude(
        "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease "
        "input length or `max_tokens` and try again"), _LONG, 199759, 200000),
    Refused("openai", 400, chat(
        f"{_WHOLE} 128000 tokens. However, your messages resulted in 149767 tokens. Please reduce "
        "the length of the messages.", param="messages", code="context_length_exceeded"),
        _LONG, 149767, 128000),
    Refused("openai", 400, chat("Your input exceeds the context window of this model. Please "
                                "adjust your input and try again.", code=None), _LONG),
    Refused("azure", 400, chat(f"{_WHOLE} 8192 tokens, however you requested 10346 tokens (10346 in"
            " your prompt; 5 for the completion).", code=None), _LONG, 10346, 8192),
    Refused("deepseek", 400, chat(
        f"{_WHOLE} 131072 tokens. However, you requested 131134 tokens (122942 in the messages, "
        "8192 in the completion). Please reduce the length of the messages or completion.",
        param=None, code="invalid_request_error"), _LONG, 131134, 131072),
    Refused("vllm", 400, {"error": {
        "message": f"{_WHOLE} 131072 tokens. However, you requested 16000 output tokens and your "
        "prompt contains at least 115073 input tokens, for a total of at least 131073 tokens. "
        "Please reduce the length of the input prompt or the number of requested output tokens. "
        "(parameter=input_tokens, value=115073)",
        "type": "BadRequestError", "param": "input_tokens", "code": 400}}, _LONG, 115073, 131072),
    Refused("vllm", 400, {"object": "error", "message": f"{_WHOLE} 16384 tokens. However, your "
            "request has 18225 input tokens. Please reduce the length of the input messages. None",
            "type": "BadRequestError", "param": None, "code": 400}, _LONG, 18225, 16384),
    Refused("vllm", 400, chat(f"{_WHOLE} 2048 tokens. However, your prompt contains at least 2049 "
            "input tokens.", code=400), _LONG, 2049, 2048),
    Refused("vllm", 400, chat("The decoder prompt (length 12324) is longer than the maximum model "
            "length of 8192.", code=400), _LONG, 12324, 8192),
    Refused("gemini", 400, google(400, "The input token count (1196265) exceeds the maximum number "
            "of tokens allowed (1048575)."), _LONG, 1196265, 1048575),
    Refused("gemini", 400, google(400, "The input token count exceeds the maximum number of tokens "
            "allowed (65536)."), _LONG, None, 65536),
    Refused("vertex", 400, google(400, "Unable to submit request because the input token count is "
            "1300011 but model only supports up to 1048576. Reduce the input token count and try "
            "again."), _LONG, 1300011, 1048576),
    Refused("bedrock", 400, {"message": "Input is too long for requested model.",
            "__type": "ValidationException"}, _LONG),
    Refused("bedrock", 400, {"message": "The model returned the following errors: prompt is too "
            "long: 207848 tokens > 200000 maximum"}, _LONG, 207848, 200000),
    Refused("bedrock", None, {"message": "The model returned the following errors: Input Tokens "
            "Exceeded: Number of input tokens exceeds maximum length. Please update the input to "
            "try again."}, _LONG),
    Refused("xai", 400, {"code": "Client specified an invalid argument", "error": "This model's "
            "maximum prompt length is 131072 but the request contains 136973 tokens."},
            _LONG, 136973, 131072),
    Refused("groq", 400, chat("Please reduce the length of the messages or completion.",
            param="messages", code="context_length_exceeded"), _LONG),
    Refused("cerebras", 400, {"message": "Please reduce the length of the messages or completion. "
            "Current length is 42328 while limit is 40000", "type": "invalid_request_error",
            "param": "messages", "code": "context_length_exceeded"}, _LONG, 42328, 40000),
    Refused("mistral", 400, {"object": "error", "message": "Prompt contains 170397 tokens and 0 "
            "draft tokens, too large for model with 131072 maximum context length",
            "type": "invalid_request_invalid_args", "param": None, "code": "3051",
            "raw_status_code": 400}, _LONG, 170397, 131072),
    Refused("moonshot", 400, chat("Invalid request: Your request exceeded model token limit: "
            "262144 (requested: 263162)"), _LONG, 263162, 262144),
    Refused("moonshot", 400, chat("Input token length too long"), _LONG),
    Refused("zhipu", 400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}},
            _LONG),
    Refused("zhipu", 400, {"error": {"code": "1261", "message": "Prompt 超长"}}, _LONG),
    Refused("dashscope", 400, {"code": "InvalidParameter", "message":
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be "
            "[1, 983616]", "request_id": "r"}, _LONG, None, 983616),
    Refused("dashscope", 400, chat("Range of input length should be [1, 30720]",
            code="invalid_parameter_error"), _LONG, None, 30720),
    Refused("minimax", 400, claude("invalid params, context window exceeds limit (2013)"), _LONG),
    Refused("minimax", 200, {"base_resp": {"status_code": 2013, "status_msg":
            "invalid params, context window exceeds limit"}}, _LONG),
    Refused("cohere", 400, {"message": "too many tokens: total number of tokens (prompt and "
            "prediction) cannot exceed 4081 - received 5000. Try using a shorter prompt."},
            _LONG, None, 4081),
    Refused("cohere", 400, {"message": "too many tokens: size limit exceeded by 713295 tokens. Try "
            "using shorter or fewer inputs. The limit for this model is 288000 tokens."},
            _LONG, None, 288000),
    Refused("openrouter", 400, {"error": {"message": "This endpoint's maximum context length is "
            "32768 tokens. However, you requested about 56827 tokens (56811 of text input, 16 in "
            "the output). Please reduce the length of either one.", "code": 400,
            "metadata": {"provider_name": None}}}, _LONG, 56827, 32768),
    Refused("openrouter", 502, {"error": {"message": "Provider returned error", "code": 502,
            "metadata": {"raw": '{"object":"error","message":"The input (49146 tokens) is longer '
            'than the model\'s context length (40960 tokens).","code":400}',
            "provider_name": "Chutes"}}}, _LONG, 49146, 40960),
    Refused("llamacpp", 400, {"error": {"code": 400, "message": "request (35999 tokens) exceeds the"
            " available context size (32768 tokens), try increasing it",
            "type": "exceed_context_size_error", "n_prompt_tokens": 35999, "n_ctx": 32768}},
            _LONG, 35999, 32768),
    Refused("lmstudio", 400, {"error": "Cannot truncate prompt with n_keep (13237) >= n_ctx "
            "(4096)"}, _LONG, 13237, 4096),
    Refused("lmstudio", 400, {"error": "Trying to keep the first 10136 tokens when context the "
            "overflows. However, the model is loaded with context length of only 7866 tokens, "
            "which is not enough. Try to load the model with a larger context length, or provide a "
            "shorter input"}, _LONG, 10136, 7866),
    Refused("lmstudio", 400, {"error": "The number of tokens to keep from the initial prompt is "
            "greater than the context length (n_keep: 8485>= n_ctx: 8192)."}, _LONG),
    Refused("ollama", 400, {"error": "prompt too long; exceeded max context length by 4 tokens"},
            _LONG),
    Refused("ollama", 500, {"error": "the input length exceeds the context length"}, _LONG),
    Refused("sglang", 400, {"object": "error", "message": "The input (263000 tokens) is longer "
            "than the model's context length (262144 tokens).", "type": "BadRequestError",
            "param": None, "code": 400}, _LONG, 263000, 262144),
    Refused("sglang", 400, {"object": "error", "message": "Requested token count exceeds the "
            "model's maximum context length of 131072 tokens. You requested a total of 140000 "
            "tokens: 132000 tokens from the input messages and 8000 tokens for the completion.",
            "code": 400}, _LONG, 140000, 131072),
    Refused("together", 422, chat("Input validation error: `inputs` tokens + `max_new_tokens` must "
            "be <= 8193. Given: 8245 `inputs` tokens and 0 `max_new_tokens`", code=None),
            _LONG, 8245, 8193),
    Refused("huggingface", 422, {"error": "Input validation error: `inputs` must have less than "
            "4096 tokens. Given: 5000", "error_type": "validation"}, _LONG, 5000, 4096),
    Refused("fireworks", 400, {"error": {"object": "error", "type": "invalid_request_error",
            "code": "invalid_request_error", "message": "The prompt is too long: 40177, model "
            "maximum context length: 32767"}}, _LONG, 40177, 32767),
    Refused("siliconflow", 400, {"code": 20015, "message": "length of prompt_tokens (57535) must be"
            " less than max_seq_len (32768).", "data": None}, _LONG, 57535, 32768),
    Refused("qianfan", 400, chat("prompt tokens too long", code="tokens_too_long"), _LONG),
    Refused("volcengine", 400, chat("Total tokens of image and text exceed max message tokens. "
            "Request id: 021", code="InvalidParameter", type="BadRequest"), _LONG),
    Refused("sambanova", 400, chat(
        "Requested generation length 1 is not possible! The provided prompt is 4309 tokens long, "
        "so generating 1 tokens requires a sequence length of 4310, but the maximum supported "
        "sequence length is just 4096!"), _LONG, 4309, 4096),
    Refused("watsonx", 400, {"errors": [{"code": "invalid_input_argument", "message":
            "Invalid input argument for Model 'ibm/granite': the number of input tokens 4098 cannot"
            " exceed the total tokens limit 4096 for this model", "more_info": "https://x"}],
            "trace": "t", "status_code": 400}, _LONG, 4098, 4096),
    Refused("cloudflare", 413, {"errors": [{"message": "AiError: The estimated number of input and "
            "maximum output tokens (35000) exceeded this model context window limit (24000)",
            "code": 3010}], "success": False, "result": {}, "messages": []}, _LONG, 35000, 24000),
    Refused("databricks", 400, {"error_code": "BAD_REQUEST", "message": "Error: prompt token count "
            "(11063) cannot exceed 4096. Please reduce the length of your prompt."},
            _LONG, 11063, 4096),
    Refused("snowflake", 400, {"message": "max tokens of 200000 exceeded", "code": "390"},
            _LONG, None, 200000),
    Refused("nvidia", 400, {"message": "max_tokens must be at least 1, got -853. (parameter="
            "max_tokens, value=-853)", "type": "BadRequestError", "param": "max_tokens",
            "code": 400}, _LONG),
]  # fmt: skip

OTHERS = [
    Refused("anthropic", 400, claude("Your credit balance is too low to access the Anthropic API. "
            "Please go to Plans & Billing to upgrade or purchase credits."), "billing"),
    Refused("zhipu", 429, {"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}},
            "billing"),
    Refused("zhipu", 429, claude("[1113][Insufficient balance or no resource package. Please "
            "recharge.][2026]", "rate_limit_error"), "billing"),
    Refused("deepseek", 402, chat("Insufficient Balance", type="unknown_error",
            code="invalid_request_error"), "billing"),
    Refused("xai", 429, {"code": "x", "error": "Your team 1 has either used all available credits "
            "or reached its monthly spending limit. To continue making API requests, please "
            "purchase more credits or raise your spending limit."}, "billing"),
    Refused("xai", 403, {"code": "The caller does not have permission to execute the specified "
            "operation", "error": "Your newly created team doesn't have any credits or licenses "
            "yet."}, "billing"),
    Refused("siliconflow", 403, {"code": 30011, "message": "The selected model requires paid "
            "balance. Your paid balance is insufficient. Please top up and try again.",
            "data": None}, "billing"),
    Refused("minimax", 200, {"base_resp": {"status_code": 1008, "status_msg":
            "insufficient balance"}}, "billing"),
    Refused("openrouter", 402, {"error": {"message": "This request requires more credits, or fewer "
            "max_tokens. You requested up to 65536 tokens, but can only afford 100.",
            "code": 402}}, "billing"),
    Refused("dashscope", 400, {"code": "Arrearage", "message": "Access denied, please make sure "
            "your account is in good standing."}, "billing"),
    Refused("volcengine", 403, chat("The request failed because your account has an overdue "
            "balance.", code="AccountOverdueError", type="Forbidden"), "billing"),
    Refused("hunyuan", 400, {"error": {"code": "FailedOperation.FreeResourcePackExhausted",
            "message": "The remaining free resource package quota is exhausted."}}, "billing"),
    Refused("gemini", 400, google(400, "API key not valid. Please pass a valid API key.",
            details=[{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                      "reason": "API_KEY_INVALID", "domain": "googleapis.com"}]),
            "authentication"),
    Refused("xai", 400, {"code": "Client specified an invalid argument", "error": "Incorrect API "
            "key provided: xa***Ju. You can obtain an API key from https://console.x.ai."},
            "authentication"),
    Refused("bedrock", 403, {"message": "The security token included in the request is invalid."},
            "authentication"),
    Refused("databricks", 403, {"error_code": "403", "message": "Invalid access token."},
            "authentication"),
    Refused("snowflake", 401, {"code": "390303", "message": "Invalid OAuth access token."},
            "authentication"),
    Refused("minimax", 200, {"base_resp": {"status_code": 1004, "status_msg": "login fail"}},
            "authentication"),
    Refused("xiaomi", 401, {"error": {"message": "Invalid API Key", "param": "Please provide valid "
            "API Key", "code": "401", "type": "invalid_key"}}, "authentication"),
    Refused("siliconflow", 401, "Api key is invalid", "authentication"),
    Refused("azure", 400, {"error": {"message": "The response was filtered due to the prompt "
            "triggering Azure OpenAI's content management policy.", "code": "content_filter",
            "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
            "content_filter"),
    Refused("openai", 400, chat("Invalid prompt: your prompt was flagged as potentially violating "
            "our usage policy.", code="invalid_prompt"), "content_filter"),
    Refused("anthropic", 400, claude("Output blocked by content filtering policy"),
            "content_filter"),
    Refused("deepseek", 400, chat("Content Exists Risk"), "content_filter"),
    Refused("zhipu", 400, {"error": {"code": "1301", "message":
            "系统检测到输入或生成内容可能包含不安全或敏感内容"}}, "content_filter"),
    Refused("minimax", 200, {"base_resp": {"status_code": 1027, "status_msg":
            "output new_sensitive"}}, "content_filter"),
    Refused("stepfun", 451, {"error": {"message": "The content you provided or machine outputted is"
            " blocked.", "type": "censorship_blocked"}}, "content_filter"),
    Refused("volcengine", 400, chat("The request failed because the input text may contain "
            "sensitive information.", code="InputTextSensitiveContentDetected",
            type="BadRequest"), "content_filter"),
    Refused("anthropic", 404, claude("model: claude-9", "not_found_error"), "model_not_found"),
    Refused("gemini", 404, google(404, "models/gemini-9 is not found for API version v1beta, or is "
            "not supported for generateContent.", "NOT_FOUND"), "model_not_found"),
    Refused("bedrock", 400, {"message": "The provided model identifier is invalid."},
            "model_not_found"),
    Refused("ollama", 404, {"error": 'model "qwen9" not found, try pulling it first'},
            "model_not_found"),
    Refused("vllm", 404, {"error": {"message": "The model `x` does not exist.",
            "type": "NotFoundError", "param": "model", "code": 404}}, "model_not_found"),
    Refused("deepseek", 400, chat("Model Not Exist"), "model_not_found"),
    Refused("openrouter", 400, {"error": {"message": "gpt-99 is not a valid model ID",
            "code": 400}}, "model_not_found"),
    Refused("perplexity", 400, {"error": {"message": "Invalid model 'x'. Permitted models can be "
            "found in the documentation at https://docs.perplexity.ai/getting-started/models.",
            "type": "invalid_model", "code": 400}}, "model_not_found"),
    Refused("nvidia", 404, {"status": 404, "title": "Not Found", "detail":
            "Function '23d4f03a-b8a6': Not found for account 'Qa'"}, "model_not_found"),
    Refused("xiaomi", 400, {"error": {"code": "400", "message": "Param Incorrect",
            "param": "Not supported model mimo-v2-flash", "type": ""}}, "model_not_found"),
    Refused("moonshot", 404, {"error": {"message": "Not found the model kimi-9 or Permission "
            "denied", "type": "resource_not_found_error"}}, "model_not_found"),
    Refused("zhipu", 429, {"error": {"code": "1305", "message":
            "该模型当前访问量过大，请您稍后再试"}}, "overloaded"),
    Refused("cerebras", 429, {"message": "We're experiencing high traffic right now! Please try "
            "again soon.", "type": "too_many_requests_error", "param": "queue",
            "code": "queue_exceeded"}, "overloaded"),
]  # fmt: skip

# what users of many libraries have quoted: plans that are used up, keys that are bound, models that
# are gone, hosts that are busy. A line each: host, status, kind, body
_LINES = (Path(__file__).parent / "quoted.jsonl").read_text(encoding="utf-8").splitlines()
QUOTED = [Refused(**json.loads(line)) for line in _LINES]

# what looks like something else; above all like a context that is full
NEAR_MISSES = [
    Refused("openai", 400, chat("max_tokens is too large: 200000. This model supports at most 64000"
            " completion tokens, whereas you provided 200000.", param="max_tokens",
            code="invalid_value"), "invalid"),
    Refused("anthropic", 400, claude("max_tokens: 100000 > 64000, which is the maximum allowed "
            "number of output tokens for claude-sonnet-4-5"), "invalid"),
    Refused("xiaomi", 400, {"error": {"code": "400", "message": "Param Incorrect", "param":
            "max_completion_tokens is too large: 131100. This model supports at most 131072 "
            "completion tokens, whereas you provided 131100.", "type": ""}}, "invalid"),
    Refused("volcengine", 400, chat("The parameter `max_tokens` specified in the request are not "
            "valid: integer above maximum value, expected a value <= 4096, but got 8192 instead.",
            code="InvalidParameter", type="BadRequest"), "invalid"),
    Refused("databricks", 400, {"error_code": "BAD_REQUEST", "message": "rpc error: code = "
            "InvalidArgument desc = max_tokens (10000) cannot exceed 8192. Please reduce the length"
            " of max output tokens generated."}, "invalid"),
    Refused("bedrock", 429, {"message": "Too many tokens, please wait before trying again.",
            "__type": "ThrottlingException"}, "rate_limit"),
    Refused("openai", 429, chat("Rate limit reached for gpt-4o in organization org-1 on tokens per "
            "min (TPM): Limit 30000, Used 28000, Requested 4000. Please try again in 4ms.",
            type="tokens", code="rate_limit_exceeded"), "rate_limit"),
    Refused("openai", 429, chat("Request too large for gpt-5-nano in organization org-1 on tokens "
            "per min (TPM): Limit 200000, Requested 480002. The input or output tokens must be "
            "reduced in order to run successfully.", type="tokens", code="rate_limit_exceeded"),
            "rate_limit"),
    Refused("groq", 413, chat("Request too large for model `x` in organization `org_1` on tokens "
            "per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try "
            "again.", type="tokens", code="rate_limit_exceeded"), "rate_limit"),
    Refused("anthropic", 429, claude("This request would exceed your organization's rate limit of "
            "30,000 input tokens per minute. Your prompt is too long: 40000 tokens > 30000 maximum",
            "rate_limit_error"), "rate_limit"),
    Refused("gemini", 429, google(429, "You exceeded your current quota, please check your plan "
            "and billing details.", "RESOURCE_EXHAUSTED"), "rate_limit"),
    Refused("anthropic", 413, claude("Request exceeds the maximum size", "request_too_large"),
            "too_large"),
    Refused("anthropic", 400, claude("messages.1.content.0.image.source.base64: image exceeds 5 MB "
            "maximum: 6291456 bytes > 5242880 bytes"), "invalid"),
    Refused("nvidia", 400, {"message": "Validation: Function name at index 51 exceeds 96 character "
            "limit, got 102 characters", "type": "Bad Request", "code": 400}, "invalid"),
    Refused("openai", 400, chat("Invalid 'metadata.x': string too long. Expected a string with "
            "maximum length 512, but got a string with length 600 instead.",
            code="string_above_max_length"), "invalid"),
    Refused("openai", 400, chat("Unknown parameter: 'context_length'.", code="unknown_parameter"),
            "invalid"),
    Refused("openai", 401, chat("You didn't provide an API key.", code=None), "authentication"),
    Refused("gemini", 403, google(403, "Permission denied on resource project x.",
            "PERMISSION_DENIED"), "permission"),
    Refused("openai", 503, chat("The server is overloaded: the prompt is too long to wait",
            type="server_error", code=None), "overloaded"),
    Refused("openai", 404, chat("Item with id 'rs_1' not found.", code=None), "not_found"),
    Refused("vllm", 422, {"detail": [{"type": "missing", "loc": ["body", "messages"], "msg":
            "Field required", "input": "prompt is too long: 9 tokens > 8 maximum"}]}, "invalid"),
    Refused("zhipu", 400, {"error": {"code": "1210", "message": "API 调用参数有误"}}, "invalid"),
    # another host's number
    Refused("openai", 400, chat("no", code="1113"), "invalid"),
]  # fmt: skip
