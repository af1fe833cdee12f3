"""One drawn example for every wire: to draw a history takes longer than to write it.

With `parametrize`, every wire would draw the same examples anew.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["for_each"]


def for_each(
    names: str | tuple[str, ...], values: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, below `given`: the body runs with each of the values.

    A failure bears a note that says for which.
    """
    rows = [value if isinstance(names, tuple) else (value,) for value in values]
    keys = names if isinstance(names, tuple) else (names,)
    assert rows, "there is nothing to run it for"

    def decorated(law: Callable[..., None]) -> Callable[..., None]:
        whole = inspect.signature(law)
        left = [one for name, one in whole.parameters.items() if name not in keys]
        signature = whole.replace(parameters=left)

        @functools.wraps(law)
        def every(*args: Any, **kwargs: Any) -> None:
            drawn = signature.bind(*args, **kwargs).arguments
            for row in rows:
                given = dict(zip(keys, row, strict=True))
                try:
                    law(**given, **drawn)
                except Exception as error:
                    rows[:] = [row]  # the example is made smaller for this one alone
                    error.add_note(", ".join(f"{key}={value!r}" for key, value in given.items()))
                    raise

        every.__signature__ = signature  # type: ignore[attr-defined]
        return every

    return decorated
