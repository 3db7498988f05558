"""Generated lives with known truth, and how well profiles tell it."""
