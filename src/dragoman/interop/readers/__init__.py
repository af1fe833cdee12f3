"""A reader for each agent: `claims` tells whether rows are its log, `read` gives the session."""
