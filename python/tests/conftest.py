# labels: python
"""Knows which tests take long, and prints the line that ./dev test counts."""


def pytest_configure(config):
    """Make the mark known."""
    config.addinivalue_line("markers", "long: takes long; only ./dev test --all runs it")


def pytest_terminal_summary(terminalreporter):
    """Close with "N passed, N failed, N skipped"."""
    counts = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped")}
    failed = counts["failed"] + counts["error"]
    terminalreporter.write_line(f"{counts['passed']} passed, {failed} failed, {counts['skipped']} skipped")
