"""Media from files and the web: what the passes ask for as values."""
