"""How answers end, at every door: streams that are cut, emptied, replaced, or that fail.

`ended.py` says by the raw events what has ended, `faults.py` spoils streams, `doors.py` sends them
through LLM, agent, converters, command and gateway, and `judging.py` says what must come of it.
`python -m tests.laws.endings` runs all of it over the recorded streams and prints the counts.
"""
