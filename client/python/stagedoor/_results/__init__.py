"""The classes of stagedoor.results, by subject."""
