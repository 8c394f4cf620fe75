"""The machine: store, executors, stages as data. Knows neither words nor search."""
