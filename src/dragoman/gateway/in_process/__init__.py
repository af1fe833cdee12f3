"""The gateway inside a program: HTTP clients for official SDKs."""
