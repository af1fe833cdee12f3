"""Converse and ConverseStream: Bedrock's one wire for the models of many makers.

Reference: Amazon Bedrock API reference, "Converse"; service model of bedrock-runtime.
"""

from __future__ import annotations

from .capabilities import CAN
from .dialect import Dialect
from .protocol import BedrockConverse

__all__ = ["CAN", "BedrockConverse", "Dialect"]
