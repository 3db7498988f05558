"""Saved searches: tests of what an agent finds."""
