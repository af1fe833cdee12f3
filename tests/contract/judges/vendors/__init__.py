"""Judges of vendors: a protocol's judge, and what this vendor refuses beside it.

What a vendor takes although its protocol's types refuse it stands in the exemptions. A judge is
registered as `vendor/protocol` in the package above.
"""
