"""One client's request and its answer: converted or passed on, without sockets."""
