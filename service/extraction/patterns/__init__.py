"""The tables of what a clause may state. A new phrasing is a new row; ``tables`` says in which order they are tried."""
