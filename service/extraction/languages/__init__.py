"""The rules in German, French, Spanish and Chinese: one module of data per language, read by the same machinery."""
