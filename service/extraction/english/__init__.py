"""English, read in stages; each module uses those below it.

``reading``          a turn's candidates
``completed_todos``  a todo that a statement reports as done
``claims``           a sentence's statements, classified by the patterns
``filters``          sentences that state nothing
``sentences``        a message's sentences, the speaker's own, spelled and opened as the patterns want
``facts``            patterns of facts
``intentions``       patterns of tastes, decisions, todos, goals and instructions
``entities``         entities named, and the values of slots
``dates``            dates, made absolute
``grammar``          what patterns are made of, clauses, the third person, tense
``lexicon``          words
"""
