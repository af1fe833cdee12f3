"""Converse and ConverseStream: Bedrock's one wire for the models of many makers.

Reference: Amazon Bedrock API reference, "Converse"; service model of bedrock-runtime.
"""

from .dialect import CAN, Dialect
from .room import BedrockConverse

__all__ = ["CAN", "BedrockConverse", "Dialect"]
