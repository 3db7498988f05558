"""From turns to candidates by rules: what people say of themselves and their world, in five languages."""
