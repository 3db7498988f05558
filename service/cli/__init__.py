"""The command line: what ``reverie``, ``python -m service`` and ``make`` run."""
