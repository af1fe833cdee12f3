"""The gateway as a process: socket, signals, workers, and what a connection may do."""
