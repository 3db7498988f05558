"""The OpenAI-compatible way in: memory added to what goes to the model, and the turn kept."""
