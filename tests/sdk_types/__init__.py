"""Every typed part of every SDK through the package; see README.md."""
