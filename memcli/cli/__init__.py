"""The command line: one module per subcommand, one that parses, one that prints."""
