"""What a search reads: the plan for a reader, candidates to be ranked, records of the results."""
