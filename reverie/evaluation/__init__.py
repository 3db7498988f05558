"""``reverie eval``: how well Reverie and others find, and answer from, what published and generated sets say."""
