"""The way in for clients of models: memory added to what goes to the model, and the turn kept."""
