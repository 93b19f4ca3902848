"""What each command does; ``firmware/cli.py`` only reads what was asked for."""
