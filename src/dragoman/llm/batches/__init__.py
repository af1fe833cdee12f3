"""Batches: many requests at once over the batch interface of their provider, at its price for them.

`batch` has Batch and AsyncBatch; `writing` makes one of requests, `store` is what it keeps on the
disk, `steps` submits, looks, cancels and fetches, `reading` gives the results in order.
"""
