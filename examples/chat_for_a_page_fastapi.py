"""The same as `chat_for_a_page.py` with FastAPI.

    pip install 'dragoman[http]' fastapi uvicorn
    uvicorn chat_for_a_page_fastapi:app --app-dir examples

Needs ANTHROPIC_API_KEY. `chats.db` keeps the conversations; the page is `chat_page.jsx`.
"""

from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse

from dragoman import AsyncLLM, DragomanError, ReActAgent, tool, ui
from dragoman.agent import SqliteMemory

MODEL = AsyncLLM("anthropic/claude-opus-5-5")
app = FastAPI()


@tool
def pay(name: str, dollars: int) -> str:
    """Pay somebody."""
    return f"{dollars} dollars went to {name}."


def open_agent(chat: str) -> ReActAgent:
    """The agent of a conversation. Check here whether this user may open it."""
    memory = SqliteMemory("chats.db", chat)
    return ReActAgent(model=MODEL, toolkit=[pay], memory=memory, approve="ask")


@app.post("/api/chat")
async def answer(body: dict[str, Any]) -> StreamingResponse:
    """Answer what the page has sent, as a stream."""
    try:
        asked = ui.read_request(body)
        said = asked.give_to(agent := open_agent(asked.thread_id))  # answers calls that wait, too
    except DragomanError as error:
        raise HTTPException(400, str(error)) from error
    stream = ui.ai_sdk(agent.events(said), request=asked)
    return StreamingResponse(stream.sse(), headers=stream.headers)


@app.get("/api/chat/{chat}")
async def history(chat: str) -> list[dict[str, Any]]:
    """Return the conversation for a page that is opened again."""
    return ui.write_history(open_agent(chat))
