"""How long `import dragoman` takes beside four modules of the standard library, best of five.

    python benchmarks/imports.py

Each import runs in a fresh interpreter, after one that filled the bytecode caches.
"""

from __future__ import annotations

import subprocess
import sys

_TIMED = (
    "import time; start = time.perf_counter(); {code}; "
    "print(time.perf_counter() - start); import sys; print(len(sys.modules))"
)
SUBJECTS = {
    "json, dataclasses, typing, logging": "import json, dataclasses, typing, logging",
    "dragoman": "import dragoman",
    "dragoman.Msg": "import dragoman; dragoman.Msg",
    "dragoman.Formatter": "import dragoman; dragoman.Formatter('openai-chat')",
}


def best(code: str, rounds: int = 5) -> tuple[float, int]:
    """(seconds, modules loaded) of the fastest of some fresh interpreters."""
    runs = []
    for _ in range(rounds + 1):
        command = [sys.executable, "-c", _TIMED.format(code=code)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        out = done.stdout.split()
        runs.append((float(out[0]), int(out[1])))
    return min(runs[1:])


def main() -> None:
    """Print a table of milliseconds and multiples."""
    print("| import | ms | of the four | modules |\n|---|---|---|---|")
    unit = 0.0
    for name, code in SUBJECTS.items():
        seconds, modules = best(code)
        unit = unit or seconds
        print(f"| {name} | {seconds * 1e3:.1f} | {seconds / unit:.2f} | {modules} |")


if __name__ == "__main__":
    main()
