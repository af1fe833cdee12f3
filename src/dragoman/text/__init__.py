"""Text as programs and errors hold it: JSON, and what of somebody's words may be shown."""
