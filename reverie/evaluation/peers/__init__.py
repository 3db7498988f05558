"""Other memory systems, each a program in an environment of its own, on an empty database."""
