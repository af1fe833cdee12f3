"""The only folder of the core with files and sockets: what the passes ask for as values."""
