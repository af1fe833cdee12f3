"""Recorded traffic through the gateway: requests of six protocols, answers of five upstreams."""
