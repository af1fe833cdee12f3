"""Which of our names somebody means who types another library's, or misspells one."""
