"""An event loop for callers without `await`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any


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
