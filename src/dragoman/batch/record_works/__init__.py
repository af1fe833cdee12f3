"""What can be done with records besides converting them; each file has one function of a record.

`check` says what a provider would refuse, `count` counts tokens, `cost` prices answers, `fidelity`
writes there and back, `fit` cuts to a budget, `messages` reads into our own messages.
"""
