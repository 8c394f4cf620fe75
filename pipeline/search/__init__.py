"""The solver: bounds on totals."""
