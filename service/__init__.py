"""Reverie's service: the API, its stores and its command line."""

__version__ = "0.1.0"
