"""Readers of the sets in the form in which their authors publish them."""
