"""`make demo`: the main job, seen once from end to end, in a temporary vault.

Every line that starts with `$ ` is run by `sh` as a process of its own, as printed.
Stops with exit code 1 at the first command whose output is not what it should be.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


class Shell:
    """Types commands into `sh` in one folder and checks what they print."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        scripts = str(Path(sys.executable).parent)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "MEMCLI_"))
        }
        self.environment = {
            **kept,
            "PATH": scripts + os.pathsep + kept.get("PATH", os.defpath),
            "MEMCLI_VAULT": str(folder / "vault"),
            "MEMCLI_STATE": str(folder / "state"),
            "GIT_PAGER": "cat",
        }

    def type(self, command: str, *, shows: str = "", hides: str = "") -> str:
        """Run `command`; its output must hold `shows` and must not hold `hides`."""
        print(f"\n$ {command}", flush=True)
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = done.stdout.decode("utf-8")
        print(output, end="", flush=True)
        if done.returncode:
            raise SystemExit(f"demo failed: exit code {done.returncode}")
        if shows not in output:
            raise SystemExit(f"demo failed: the output should say {shows!r}")
        if hides and hides in output:
            raise SystemExit(f"demo failed: the output should not say {hides!r}")
        return output


def id_in(answer: str) -> str:
    """The first id that an answer of recall names."""
    found = re.search(r"\b[0-9a-hjkmnp-tv-z]{16}\b", answer)
    if found is None:
        raise SystemExit("demo failed: the answer names no id")
    return found[0]


def say(text: str) -> None:
    print(f"\n# {text}", flush=True)


def main() -> None:
    for program in ("sh", "git"):
        if shutil.which(program) is None:
            raise SystemExit(f"demo failed: it needs `{program}` on the PATH")
    with tempfile.TemporaryDirectory(prefix="memcli-demo-") as name:
        play(Shell(Path(name)))
    say("All of it went as it should. The temporary vault is gone again.")


def play(shell: Shell) -> None:
    say("A vault is a folder of markdown files in git.")
    shell.type("memcli init vault")
    say("MEMCLI_VAULT names it, so that every command below finds it.")

    say("Save three memories.")
    shell.type(
        "memcli save 'Deploys go out on Tuesday mornings, never on a Friday'"
        " --kind convention --tag deploy"
    )
    shell.type(
        "memcli save 'The payment tests hang unless REDIS_URL is set' --kind fix"
    )
    shell.type("memcli save 'Use pnpm, not npm, in the web client' --kind preference")

    say("Find them again from other processes, also in other words.")
    shell.type("memcli recall 'when do we deploy?'", shows="Tuesday mornings")
    shell.type("memcli recall 'payment test hangs'", shows="REDIS_URL")

    say("Each is a file. Change one by hand, with any tool.")
    shell.type("cat vault/memories/convention/*/*/*.md", shows="Tuesday mornings")
    shell.type(
        "sed 's/Tuesday/Wednesday/' vault/memories/convention/*/*/*.md > edited &&"
        " mv edited vault/memories/convention/*/*/*.md"
    )
    say("The next command knows, without being told.")
    answer = shell.type(
        "memcli recall 'when do we deploy?'",
        shows="Wednesday mornings",
        hides="Tuesday mornings",
    )

    say("Knowledge changes: the new version takes the place, the old one is kept.")
    shell.type(
        f"memcli evolve {id_in(answer)} 'Deploys go out on Mondays' --reason 'freeze'",
        shows="replaces",
    )
    answer = shell.type(
        "memcli recall 'when do we deploy?'", shows="Mondays", hides="Wednesday"
    )
    shell.type(
        "memcli recall 'when do we deploy?' --set history=true", shows="Wednesday"
    )

    say("What is solved is not shown any more, and can be brought back.")
    shell.type(
        "memcli resolve --query 'payment tests hang' --yes --note 'fixed in CI'",
        shows="resolved 1 item",
    )
    shell.type("memcli recall 'payment test hangs'", hides="REDIS_URL")
    shell.type("memcli list --by status", shows="fixed in CI")

    say("What was mined waits for a decision.")
    shell.type("memcli save --inbox 'Perhaps the web client wants tabs'")
    shell.type("memcli review", shows="tabs")

    say("git has the history of every write, the edit by hand included.")
    shell.type("git -C vault log --oneline", shows="save")
    shell.type("git -C vault status --short", hides="memories")

    say("The index is disposable: without it the answer is the same.")
    shell.type('rm -r "$MEMCLI_STATE/cache"')
    again = shell.type("memcli recall 'when do we deploy?'")
    if again != answer:
        raise SystemExit("demo failed: the answer changed with the index gone")


if __name__ == "__main__":
    main()
