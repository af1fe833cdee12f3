"""What providers refuse, as data: rules with source and date, by protocol and by host."""
