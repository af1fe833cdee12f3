"""`python -m dragoman`: the same as the command `dragoman`."""

from .cli import main

if __name__ == "__main__":
    main()
