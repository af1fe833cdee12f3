"""One module for each wire, all with the same three functions.

assemble(events)  the whole answer that the events make, by the SDK or by hand; raises Refused
fields(body)      what a whole answer says, in the fields of `told`
figures(usage)    our token figures as this wire spells them
"""
