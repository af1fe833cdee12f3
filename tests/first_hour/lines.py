"""Lines as users of other libraries type them, each with what comes of it here."""

from __future__ import annotations

from dataclasses import dataclass

_OPENAI = "the parameters of openai 3.57, chat.completions.create and responses.create"
_OPENAI_CLIENT = "the parameters of openai 3.57, OpenAI(...)"
_ANTHROPIC = "the parameters of anthropic 2.14, messages.create"
_GOOGLE = "types.GenerateContentConfig of google-genai 3.6"
_LITELLM = "https://docs.litellm.ai/docs/completion/input"
_RELIABLE = "https://docs.litellm.ai/docs/completion/reliable_completions"
_PROVIDERS = "https://docs.litellm.ai/docs/providers"
_LANGCHAIN = "https://reference.langchain.com/v0.3/python/langchain/chat_models/langchain.chat_models.base.init_chat_model.html"
_MESSAGES = "https://docs.langchain.com/oss/python/langchain/messages"
_PYDANTIC = "https://ai.pydantic.dev/agents/"
_PYDANTIC_INPUT = "https://ai.pydantic.dev/input/"
_INSTRUCTOR = "https://python.useinstructor.com/learning/validation/retry_mechanisms"
_AI_SDK = "https://ai-sdk.dev/docs/ai-sdk-core/settings"
_OLLAMA = "the parameters of ollama 0.6, chat"
_AGENTS = "https://openai.github.io/openai-agents-python/agents/"


@dataclass(frozen=True)
class Line:
    """One line.

    `code` is run with an LLM named `llm`, the classes of Dragoman, and `body()`, the request that
    was sent. Where it works, `shows` is true of the request; else its error has the text `says`.
    """

    library: str
    source: str
    code: str
    shows: str = ""
    says: str = ""


_HI = '[{"role": "user", "content": "Hi"}]'
_TOOL = '[{"name": "f", "description": "", "parameters": {"type": "object", "properties": {}}}]'

LINES = [
    # OpenAI's SDK
    Line("openai", _OPENAI_CLIENT, 'LLM("openai/gpt-4o", api_key="sk-1").ask("Hi")',
         "sent().headers['authorization'] == 'Bearer sk-1'"),
    Line("openai", _OPENAI_CLIENT, 'LLM("qwen", base_url="https://example.com/v1")',
         says="openai/openai-chat/qwen"),
    Line("openai", _OPENAI_CLIENT, 'LLM("openai/gpt-4o", max_retries=0).ask("Hi")',
         "body()['model'] == 'gpt-4o'"),
    Line("openai", _OPENAI_CLIENT, 'LLM("openai/gpt-4o", default_headers={"x-a": "1"}).ask("Hi")',
         "sent().headers['x-a'] == '1'"),
    Line("openai", _OPENAI_CLIENT, 'LLM("openai/gpt-4o", organization="o").ask("Hi")',
         says="OpenAI-Organization"),
    Line("openai", _OPENAI, f"llm.ask(messages={_HI})", "body()['messages'][0]['content'] == 'Hi'"),
    Line("openai", _OPENAI, 'llm.ask(input="Hi")', "body()['messages'][0]['content'] == 'Hi'"),
    Line("openai", _OPENAI, 'llm.ask("Hi", max_completion_tokens=5)',
         "body()['max_completion_tokens'] == 5"),
    Line("openai", _OPENAI, 'llm.ask("Hi", max_output_tokens=5)',
         "body()['max_completion_tokens'] == 5"),
    Line("openai", _OPENAI, 'LLM("openai/o3").ask("Hi", reasoning_effort="low")',
         "body()['reasoning_effort'] == 'low'"),
    Line("openai", _OPENAI, 'llm.ask("Hi", instructions="Be brief.")',
         "body()['messages'][0]['content'] == 'Be brief.'"),
    Line("openai", _OPENAI, 'llm.ask("Hi", temprature=0.2)', says="temperature"),
    Line("openai", _OPENAI, 'llm.ask("Hi", stream=True)', says="llm.stream("),
    Line("openai", _OPENAI, 'llm.ask("Hi", stream=False)', "'stream' not in body()"),
    Line("openai", _OPENAI, 'llm.ask("Hi", extra_body={"a": 1})', says="extras="),
    Line("openai", _OPENAI, 'llm.ask("Hi", logit_bias={})', says="extras="),
    Line("openai", _OPENAI, 'llm.ask("Hi", parallel_tool_calls=False)', says="ToolChoice("),
    Line("openai", _OPENAI, 'llm.ask("Hi", functions=[])', says="tools"),
    Line("openai", _OPENAI, 'llm.ask("Hi", previous_response_id="r")', says="history"),
    Line("openai", _OPENAI, f'llm.ask("Hi", tools={_TOOL}, tool_choice={{"type": "function",'
         ' "function": {"name": "f"}})', "body()['tool_choice']['function']['name'] == 'f'"),
    Line("openai", _OPENAI, f'llm.ask("Hi", tools={_TOOL}, tool_choice={{"type": "function",'
         ' "name": "f"})', "body()['tool_choice']['function']['name'] == 'f'"),
    Line("openai", _OPENAI, f'llm.ask("Hi", tools=[{{"type": "function", "function": {_TOOL}[0]}}],'
         ' tool_choice="required")', "body()['tool_choice'] == 'required'"),
    Line("openai", _OPENAI, 'llm.ask([{"role": "user", "content": [{"type": "text", "text": "Hi"},'
         ' {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]}])',
         "body()['messages'][0]['content'][1]['type'] == 'image_url'"),
    Line("openai", _OPENAI, f'llm.ask([*{_HI}, llm.ask("Hi").msg, *{_HI}])',
         "[m['role'] for m in body()['messages']] == ['user', 'assistant', 'user']"),
    Line("openai", _OPENAI, f'llm.ask([*{_HI}, llm.ask("Hi"), *{_HI}])',
         "[m['role'] for m in body()['messages']] == ['user', 'assistant', 'user']"),
    Line("openai", _OPENAI, 'LLM(model="openai/gpt-4o").ask("Hi")', "body()['model'] == 'gpt-4o'"),
    Line("openai", _OPENAI, 'LLM("gpt-4o").ask("Hi")', "body()['model'] == 'gpt-4o'"),
    Line("openai", _OPENAI_CLIENT, "from dragoman import OpenAI", says="dragoman.LLM("),
    Line("openai", _OPENAI, 'llm.ask({"role": "user", "content": "Hi"})',
         "body()['messages'] == [{'role': 'user', 'content': 'Hi'}]"),
    Line("openai", _OPENAI, 'llm.ask("Hi", stream_options={"include_usage": True})',
         says="stream.response.usage"),
    Line("openai", _OPENAI, 'llm.ask("Hi", text={"format": {"type": "json_object"}})',
         says="response_format=type"),
    Line("openai", _OPENAI, 'llm.ask("Hi", response_format={"type": "json_object"})',
         "body()['response_format'] == {'type': 'json_object'}"),
    Line("openai", _OPENAI, 'llm.ask("Hi", tools=[{"type": "web_search"}])', says="ServerTool"),
    # Anthropic's SDK
    Line("anthropic", _ANTHROPIC, 'llm.ask("Hi", betas=["x"])', says="anthropic-beta"),
    Line("anthropic", _ANTHROPIC, 'llm.ask("Hi", output_format=int)',
         "'response_format' in body()"),
    Line("anthropic", _ANTHROPIC, 'llm.ask("Hi", mcp_servers=[])', says="McpServer("),
    Line("anthropic", _ANTHROPIC, 'LLM("anthropic/claude-opus-5-5").ask("Hi", max_tokens=9,'
         ' stop_sequences=["x"])', "body()['stop_sequences'] == ['x']"),
    Line("anthropic", _ANTHROPIC, 'LLM("anthropic/claude-opus-5-5").ask("Hi",'
         ' thinking={"type": "enabled", "budget_tokens": 2000})', says="reasoning_budget"),
    Line("anthropic", _ANTHROPIC, 'LLM("anthropic/claude-opus-5-5").ask([{"role": "user",'
         ' "content": [{"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}]}])',
         "body()['messages'][0]['content'][0]['type'] == 'image'"),
    Line("anthropic", _ANTHROPIC, f'LLM("anthropic/claude-haiku-4-5").ask("Hi", tools={_TOOL},'
         ' tool_choice={"type": "any", "disable_parallel_tool_use": True})',
         "body()['tool_choice'] == {'type': 'any', 'disable_parallel_tool_use': True}"),
    Line("anthropic", _ANTHROPIC, f'LLM("anthropic/claude-haiku-4-5").ask("Hi", tools={_TOOL},'
         ' tool_choice={"type": "tool", "name": "f"})', "body()['tool_choice']['name'] == 'f'"),
    Line("anthropic", _ANTHROPIC, 'Tool(name="f", description="", input_schema={"type": "object"})',
         "True"),
    Line("anthropic", _ANTHROPIC, 'LLM("claude").ask("Hi")', says="anthropic/claude-"),
    # Google's
    Line("google", _GOOGLE, 'llm.ask(contents="Hi")', "body()['messages'][0]['content'] == 'Hi'"),
    Line("google", _GOOGLE, 'llm.ask("Hi", system_instruction="Be brief.")',
         "body()['messages'][0]['content'] == 'Be brief.'"),
    Line("google", _GOOGLE, 'llm.ask("Hi", response_schema=int)', "'response_format' in body()"),
    Line("google", _GOOGLE, 'llm.ask("Hi", thinking_config={})', says="reasoning"),
    Line("google", _GOOGLE, 'llm.ask("Hi", safety_settings=[])', says="extras="),
    Line("google", _GOOGLE, 'LLM("models/gemini-3.5-flash")', says="gemini/gemini-3.5-flash"),
    Line("google", _GOOGLE, 'llm.ask([{"role": "user", "parts": [{"text": "Hi"}]}])',
         "body()['messages'][0]['content'] == 'Hi'"),
    Line("google", _GOOGLE, 'llm.ask("Hi", response_mime_type="application/json")',
         says='response_format="json"'),
    Line("google", _GOOGLE, 'llm.ask("1", response_json_schema={"type": "integer"})',
         "'response_format' in body()"),
    Line("google", _GOOGLE, 'llm.ask("Hi", tools=[{"google_search": {}}])', says="ServerTool"),
    # LiteLLM
    Line("litellm", _LITELLM, "from dragoman import embedding", says="no embeddings"),
    Line("litellm", _LITELLM, 'LLM("openai/gpt-4o", cache=True)', says="CacheHint"),
    Line("litellm", _RELIABLE, 'LLM("openai/gpt-4o", num_retries=2).ask("Hi")',
         "body()['model'] == 'gpt-4o'"),
    Line("litellm", _RELIABLE, 'LLM("openai/gpt-4o", fallbacks=["openai/gpt-4o-mini"]).ask("Hi")',
         "body()['model'] == 'gpt-4o'"),
    Line("litellm", _LITELLM, 'LLM("openai/gpt-4o", api_base="https://example.com/v1").ask("Hi")',
         "sent().url.startswith('https://example.com/v1/')"),
    Line("litellm", _LITELLM, 'LLM("openai/gpt-4o", drop_params=True).ask("Hi")', says="policy="),
    Line("litellm", _LITELLM, 'LLM("openai/gpt-4o", custom_llm_provider="openai").ask("Hi")',
         says="vendor/model"),
    Line("litellm", _LITELLM, 'LLM("openai/gpt-4o", mock_response="x").ask("Hi")', says="Scripted"),
    Line("litellm", _LITELLM, "from dragoman import completion", says="LLM("),
    Line("litellm", _LITELLM, "from dragoman import token_counter", says="llm.count("),
    Line("litellm", _PROVIDERS, 'LLM("ollama_chat/llama3").ask("Hi")',
         "body()['model'] == 'llama3'"),
    Line("litellm", _PROVIDERS, 'LLM("together_ai/m").ask("Hi")', "'together' in sent().url"),
    Line("litellm", _PROVIDERS, 'LLM("fireworks_ai/m").ask("Hi")', "'fireworks' in sent().url"),
    Line("litellm", _PROVIDERS, 'LLM("hosted_vllm/m").ask("Hi")', "body()['model'] == 'm'"),
    Line("litellm", _PROVIDERS, 'LLM("mistral/mistral-large-latest").ask("Hi")',
         "'mistral' in sent().url"),
    Line("ai-sdk", "https://ai-sdk.dev/providers", 'LLM("alibaba/qwen3-max").ask("Hi")',
         "body()['model'] == 'qwen3-max'"),
    Line("smolagents", "https://huggingface.co/docs/smolagents", 'LLM("hf/m/n").ask("Hi")',
         "body()['model'] == 'm/n'"),
    Line("litellm", _PROVIDERS, 'LLM("claude/opus-5-5")', says="anthropic/opus-5-5"),
    Line("litellm", _PROVIDERS, 'LLM("responses/gpt-5")', says="openai-responses/gpt-5"),
    Line("litellm", _PROVIDERS, 'LLM("antropic/claude-opus-5-5")',
         says="anthropic/claude-opus-5-5"),
    # LangChain
    Line("langchain", _LANGCHAIN, 'LLM("anthropic:claude-opus-5-5").ask("Hi")',
         "body()['model'] == 'claude-opus-5-5'"),
    Line("langchain", _LANGCHAIN, 'LLM("google_genai:gemini-3.5-flash").ask("Hi")',
         "'gemini-3.5-flash' in sent().url"),
    Line("langchain", _LANGCHAIN, 'LLM("mistralai:mistral-large-latest").ask("Hi")',
         "'mistral' in sent().url"),
    Line("langchain", _LANGCHAIN, 'LLM("gpt-4o", model_provider="openai")', says="vendor/model"),
    Line("langchain", _LANGCHAIN, 'LLM("gpt-4o", model_kwargs={})', says="extras="),
    Line("langchain", _LANGCHAIN, "from dragoman import init_chat_model", says="LLM("),
    Line("langchain", _MESSAGES, "from dragoman import HumanMessage", says="Msg.user("),
    Line("langchain", _MESSAGES, 'llm.ask([("user", "Hi")])', says="Msg.user("),
    Line("langchain", _LANGCHAIN, 'ReActAgent("Friday", "Be brief.", llm, tools=[])', "True"),
    Line("langchain", _LANGCHAIN, 'ReActAgent("Friday", None, llm, checkpointer=None)',
         says="memory="),
    Line("langchain", _MESSAGES, 'llm.ask([{"role": "human", "content": "Hi"}])', says='"user"'),
    Line("langchain", _MESSAGES, 'llm.ask([{"role": "ai", "content": "Hi"}])', says='"assistant"'),
    Line("langchain", _LANGCHAIN, "from dragoman import BaseTool", says="dragoman.tool"),
    Line("langchain", _LANGCHAIN, 'ReActAgent(name="F", prompt="Be brief.", model=llm)', "True"),
    # pydantic-ai
    Line("pydantic-ai", _PYDANTIC, 'llm.ask("Hi", result_type=int)', "'response_format' in body()"),
    Line("pydantic-ai", _PYDANTIC, 'LLM("openai:gpt-4o").ask("Hi")', "body()['model'] == 'gpt-4o'"),
    Line("pydantic-ai", _PYDANTIC, 'LLM("google-gla:gemini-3.5-flash").ask("Hi")',
         "'gemini-3.5-flash' in sent().url"),
    Line("pydantic-ai", _PYDANTIC, 'llm.ask("Hi", output_type=int)', "'response_format' in body()"),
    Line("pydantic-ai", _PYDANTIC, 'ReActAgent("Friday", model=llm, instructions="Be brief.")',
         "True"),
    Line("pydantic-ai", _PYDANTIC, 'ReActAgent("Friday", None, llm, system_promt="x")',
         says="sys_prompt"),
    Line("pydantic-ai", _PYDANTIC, "from dragoman import Agent", says="ReActAgent("),
    Line("pydantic-ai", _PYDANTIC_INPUT, "from dragoman import BinaryContent", says="from_bytes"),
    Line("pydantic-ai", _PYDANTIC_INPUT, "from dragoman import ImageUrl", says="from_url"),
    Line("pydantic-ai", _PYDANTIC_INPUT,
         'llm.ask(["What is this?", ImageBlock.from_url("https://example.com/a.png")])',
         "body()['messages'][0]['content'][1]['type'] == 'image_url'"),
    Line("pydantic-ai", _PYDANTIC_INPUT, 'llm.ask(["What is this?", ImageBlock(url="https://e.com/a"'
         ")])", "body()['messages'][0]['content'][1]['type'] == 'image_url'"),
    # the Agents SDK
    Line("openai-agents", _AGENTS, 'ReActAgent("Friday", None, llm, max_turns=3)', "True"),
    Line("openai-agents", _AGENTS, "from dragoman import function_tool", says="dragoman.tool"),
    Line("openai-agents", _AGENTS, "from dragoman import Runner", says="agent.run("),
    # instructor
    Line("instructor", _INSTRUCTOR, f"llm.ask(messages={_HI}, response_model=int)",
         "'response_format' in body()"),
    Line("instructor", _INSTRUCTOR, "from dragoman import from_provider", says="LLM("),
    # the AI SDK
    Line("ai-sdk", _AI_SDK, 'llm.ask(prompt="Hi")', "body()['messages'][0]['content'] == 'Hi'"),
    Line("ai-sdk", _AI_SDK, 'llm.ask(prompt="Hi", system="Be brief.")',
         "body()['messages'][0]['content'] == 'Be brief.'"),
    Line("ai-sdk", _AI_SDK, 'llm.ask("Hi", maxSteps=3)', says="ReActAgent("),
    Line("ai-sdk", _AI_SDK, 'ReActAgent("Friday", None, llm, max_steps=3)', "True"),
    Line("ai-sdk", _AI_SDK, 'ReActAgent("Friday", None, llm, stopWhen=3)', says="max_iters="),
    Line("pydantic-ai", _PYDANTIC, 'llm.ask("Hi", reasoning=True)', says='"high"'),
    Line("ai-sdk", _AI_SDK, 'llm.ask("Hi", maxOutputTokens=9)', says="max_tokens"),
    Line("ai-sdk", _AI_SDK, 'llm.ask("Hi", topP=0.9)', says="top_p"),
    Line("ai-sdk", _AI_SDK, 'llm.ask("Hi", stopSequences=["x"])', says="stop"),
    Line("ai-sdk", _AI_SDK, 'LLM("openai/gpt-4o", maxRetries=5)', says="retries"),
    Line("ai-sdk", _AI_SDK, 'llm.ask("Hi", providerOptions={})', says="extras="),
    Line("ai-sdk", _AI_SDK, "from dragoman import generateText", says="LLM("),
    # Ollama
    Line("ollama", _OLLAMA, 'LLM("llama3")', says="ollama/llama3"),
    Line("ollama", _OLLAMA, 'LLM("qwen3:8b")', says="ollama/qwen3:8b"),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3").ask("Hi", options={"num_ctx": 8192})',
         says="keywords"),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3").ask("Hi", num_ctx=8192)', says="num_ctx"),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3").ask("Hi", keep_alive="5m")', says="keep_alive"),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3").ask("Hi", think=True)', says="reasoning"),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3").ask("Hi", format="json")', says="response_format"),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3").ask("Hi", images=["a.png"])', says="files="),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3-vl").ask([{"role": "user", "content": "Hi",'
         ' "images": ["iVBORw0KGgo="]}])', "body()['messages'][0]['images'] == ['iVBORw0KGgo=']"),
    Line("ollama", _OLLAMA, 'LLM("ollama/qwen3", host="http://localhost:1").ask("Hi")',
         "sent().url.startswith('http://localhost:1/')"),
    Line("ollama", _OLLAMA, "from dragoman import chat", says="LLM("),
]  # fmt: skip
