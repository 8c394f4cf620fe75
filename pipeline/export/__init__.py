"""The shelf: trees and reports as files, one format a file. Knows games and trees, not how they were found."""
