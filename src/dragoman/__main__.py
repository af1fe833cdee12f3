"""`python -m dragoman` runs the command `dragoman`."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
