"""Formatters by AgentScope's names, one file for each vendor that has them."""

# vendor -> its formatters, in the file of its name
VENDOR_FORMATTERS: dict[str, tuple[str, ...]] = {
    "openai": (
        "OpenAIChatFormatter",
        "OpenAIMultiAgentFormatter",
        "OpenAIFormatter",
        "OpenAIResponseChatFormatter",
        "OpenAIResponseMultiAgentFormatter",
        "OpenAIResponsesChatFormatter",
        "OpenAIResponsesMultiAgentFormatter",
    ),
    "anthropic": (
        "AnthropicChatFormatter",
        "AnthropicMultiAgentFormatter",
    ),
    "gemini": (
        "GeminiChatFormatter",
        "GeminiMultiAgentFormatter",
    ),
    "dashscope": (
        "DashScopeChatFormatter",
        "DashScopeMultiAgentFormatter",
    ),
    "ollama": (
        "OllamaChatFormatter",
        "OllamaMultiAgentFormatter",
    ),
    "deepseek": (
        "DeepSeekChatFormatter",
        "DeepSeekMultiAgentFormatter",
    ),
}
# formatter -> the file that it is in
FORMATTERS: dict[str, str] = {
    name: home for home, names in VENDOR_FORMATTERS.items() for name in names
}
