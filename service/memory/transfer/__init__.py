"""Export and import of a workspace or an agent, as streams of lines."""
