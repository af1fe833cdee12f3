"""A chat for a page with the AI SDK's `useChat`: it streams, asks before it pays, and remembers.

    pip install 'dragoman[http]' starlette uvicorn
    uvicorn chat_for_a_page:app --app-dir examples

Needs ANTHROPIC_API_KEY. `chats.db` keeps the conversations; the page is `chat_page.jsx`.
"""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from dragoman import AsyncLLM, DragomanError, ReActAgent, tool, ui
from dragoman.agent import SqliteMemory

MODEL = AsyncLLM("anthropic/claude-opus-5-5")


@tool
def pay(name: str, dollars: int) -> str:
    """Pay somebody."""
    return f"{dollars} dollars went to {name}."


def open_agent(chat: str) -> ReActAgent:
    """The agent of a conversation. Check here whether this user may open it."""
    memory = SqliteMemory("chats.db", chat)
    return ReActAgent(model=MODEL, toolkit=[pay], memory=memory, approve="ask")


async def answer(request: Request) -> Response:
    """Answer what the page has sent, as a stream."""
    try:
        asked = ui.read_request(await request.json())
        said = asked.give_to(agent := open_agent(asked.thread_id))  # answers calls that wait, too
    except (DragomanError, ValueError) as error:
        return JSONResponse({"error": str(error)}, 400)
    stream = ui.ai_sdk(agent.events(said), request=asked)
    return StreamingResponse(stream.sse(), headers=stream.headers)


async def history(request: Request) -> Response:
    """Return the conversation for a page that is opened again."""
    return JSONResponse(ui.write_history(open_agent(request.path_params["chat"])))


ROUTES = [Route("/api/chat", answer, methods=["POST"]), Route("/api/chat/{chat}", history)]
app = Starlette(routes=ROUTES)
