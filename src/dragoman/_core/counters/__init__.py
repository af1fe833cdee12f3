"""Token counters, one file for each way of counting."""
