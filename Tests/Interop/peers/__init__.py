"""Peers that this project did not write, each in a thread of the test process."""
