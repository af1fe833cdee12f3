"""Recorded traffic through the gateway: requests of six client protocols, answers of five others."""
