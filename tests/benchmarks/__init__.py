"""Benchmarks: figures printed and read by people, never asserted in a timed test.

Each module runs as `python -m tests.benchmarks NAME` with the interpreter of the
environment that memcli is installed in; pytest does not collect them.
"""
