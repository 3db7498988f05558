"""What every client of a model provider shares: litellm, its prices, bounded answers, and readable failures."""
