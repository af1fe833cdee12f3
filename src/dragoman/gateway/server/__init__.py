"""The gateway as a server: the ASGI app, its upstream calls, sockets, signals, workers."""
