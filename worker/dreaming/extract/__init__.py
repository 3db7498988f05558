"""Extract: from turns to candidates, by a language model where one is configured, else by rules."""
