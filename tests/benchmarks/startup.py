"""What it costs to start memcli and do nothing, as ratios to `python -c pass`.

python -m tests.benchmarks.startup
"""

from __future__ import annotations

import argparse
import tempfile

from tests.benchmarks import report, timing

HELP = report.Target(7)


def main() -> None:
    """Print one row for each command that only prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--runs", type=int, default=15)
    arguments = parser.parse_args()
    memcli = timing.memcli_command()
    commands: tuple[tuple[list[str], report.Target | None], ...] = (
        (["--help"], HELP),
        (["--version"], None),
        (["recall", "--help"], None),
        (["save", "--help"], None),
        (["inspect", "--help"], None),
    )
    report.show(f"## Start-up\n\n{report.machine()}\n\n{report.heading()}")
    with tempfile.TemporaryDirectory() as home:
        env = timing.clean_env(home)
        for rest, target in commands:
            timed = timing.measure(
                f"memcli {' '.join(rest)}",
                [*memcli, *rest],
                runs=arguments.runs,
                env=env,
            )
            report.show(report.line(report.ratio_row(timed, "", target)))


if __name__ == "__main__":
    main()
