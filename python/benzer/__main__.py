"""``python -m benzer``: the command benzer."""

from benzer_program import main

if __name__ == "__main__":
    main()
