"""The rules: words, responses, and the table the solver sees."""
