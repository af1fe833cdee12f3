"""An event loop for callers without `await`; and values that may have to be awaited."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import contextmanager
from inspect import isawaitable
from typing import Any, TypeVar

_T = TypeVar("_T")


async def await_value(value: Any) -> Any:
    """Return the value, awaited if it can be."""
    return await value if isawaitable(value) else value


@contextmanager
def own_loop() -> Generator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Yield a function that runs coroutines in a new event loop; in a thread if one runs here."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner() as runner:
            yield runner.run
        return
    loop = asyncio.new_event_loop()

    def run(waiting: Coroutine[Any, Any, Any]) -> Any:
        future = asyncio.run_coroutine_threadsafe(waiting, loop)
        try:
            return future.result()
        except BaseException:  # the waiting thread was interrupted
            future.cancel()
            raise

    def work() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.get_loop().run_forever()

    thread = threading.Thread(target=work, name="dragoman agent", daemon=True)
    thread.start()
    try:
        yield run
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def iterate_in_loop(
    values: AsyncGenerator[_T], close: Callable[[], Coroutine[Any, Any, Any]]
) -> Generator[_T]:
    """Yield the values of an asynchronous generator, which works in a new event loop.

    Args:
        values: The generator; it yields no None.
        close: Is awaited in that loop at the end.
    """

    async def following() -> _T | None:
        return await anext(values, None)

    with own_loop() as run:
        try:
            while (value := run(following())) is not None:
                yield value
        finally:
            run(values.aclose())
            run(close())
