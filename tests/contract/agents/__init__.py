"""What coding agents send, to one host of each dialect."""
