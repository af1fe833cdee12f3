"""One room per wire protocol. Rooms never import each other, and none knows who else exists.

A room turns seated messages into its protocol's JSON. What vendors disagree on is its Dialect.
"""
