"""What OpenTelemetry gets of calls: the names of the GenAI conventions, spans and metrics.

names  attributes, also for the gateway    open_telemetry  the listener of `dragoman.observe`
"""
