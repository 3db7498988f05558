"""From turns to candidates by rules: what people say of themselves and their world, in five languages.

=================== ================================================================================
``rules``           ``extract``: the candidates of a batch of turns
``languages``       German, French, Spanish and Chinese: a module each, all read by ``reading``
``english``         English, which is read by other means: a statement that no pattern knows is kept
``trust``           whose word a candidate is, where it comes from, and what waits in the inbox
``prompt_injection`` instructions to an agent in a text
``patterns``        what a pattern may state
``calendar``        the days that names of times mean
``candidates``      turns, candidates and extractions, for any extractor
=================== ================================================================================
"""
