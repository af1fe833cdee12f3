"""What coding agents send, to every host."""
