"""Bodies carried from one wire to another, and whose body one is."""
