"""Everything that `make test` runs, for machines with make and without.

    python tests/check.py environment DIR  a new environment, with what memcli needs
    python tests/check.py install          memcli, editable, and the dependency group
                                           `dev` into this interpreter
    python tests/check.py [STEP ...]       these checks, or all but `slow` and `wheel`
    python tests/check.py all              all of them, and no test takes a sample

The checks run beside the tests, and every check runs to its end: one run names all
that is wrong. The exit code is that of the first that failed. Standard library only:
`environment` and `install` run where nothing else is yet.
"""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"

# More processes than cores: of a test's time a third is waiting for git.
WORKERS = 2 * (os.cpu_count() or 1)
PYTEST = ["pytest", "-n", str(WORKERS), "--dist", "worksteal"]
# The tests, and those that take long: kills at many steps, crowds of processes, full
# disks, servers, a browser.
SUITES = {"tests": [*PYTEST, "-m", "not slow"], "slow": [*PYTEST, "-m", "slow"]}

STEPS: dict[str, list[str]] = {
    "lint": ["ruff", "check", "--quiet", "."],
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "docs": ["cogapp", "--check", "docs/reference/mining-rules.md"],
    "layers": ["importlinter.cli", "lint-imports"],
    "types": ["mypy", "--no-error-summary"],
    "wheel": [],
    **SUITES,
}

# The suite writes a few hundred thousand small files, and most of them twice: on a
# disk that costs a fifth of its time.
MEMORY = Path("/dev/shm")
ROOM = 2 << 30


class Checked(NamedTuple):
    """How a check ended: its exit code, what it printed, how many seconds it took."""

    code: int
    output: str
    seconds: float


def main(arguments: list[str]) -> int:
    os.chdir(ROOT)
    # Some machines set it; the thousands of commands that tests start would compile
    # memcli anew each time, which takes two thirds of a command's time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if arguments[:1] == ["environment"]:
        return environment(Path(arguments[1]))
    if arguments == ["install"]:
        return install("-e", ".", *listed("dependency-groups", "dev"))
    if arguments == ["all"]:
        os.environ["MEMCLI_TESTS"] = "all"
        arguments = list(STEPS)
    unknown = [name for name in arguments if name not in STEPS]
    if unknown:
        print(f"no such check: {', '.join(unknown)} (there are: {', '.join(STEPS)})")
        return 2
    names = arguments or [name for name in STEPS if name not in ("slow", "wheel")]
    suites = [name for name in names if name in SUITES]
    minutes = ", which takes minutes" if suites else ""
    print(f"checking {', '.join(names)}{minutes} ...", flush=True)
    # One at a time: the tests have a process for each core already.
    with ThreadPoolExecutor(1 if suites else os.cpu_count()) as pool:
        checks = {
            name: pool.submit(check, name) for name in names if name not in SUITES
        }
        codes = [run_tests(suite, checks) for suite in suites]
        return next(filter(None, [*codes, *tell(checks, wait=True)]), 0)


def tell(checks: dict[str, "Future[Checked]"], *, wait: bool = False) -> Iterator[int]:
    """Take the checks that have ended (all, with `wait`) out, print, give the codes."""
    for name in list(checks):
        if not wait and not checks[name].done():
            continue
        ended = checks.pop(name).result()
        if ended.code:
            print(ended.output.rstrip())
            print(f"check failed: {name} (again: make test STEP={name})", flush=True)
        else:
            print(f"{name:7} ok  {ended.seconds:5.1f} s", flush=True)
        yield ended.code


def run_tests(suite: str, checks: dict[str, "Future[Checked]"]) -> int:
    """Run these tests; between their lines the other checks say how they ended.

    Its closing line is printed last, when they all have ended.
    """
    codes: list[int] = []
    last = ""
    compile_tests()
    with scratch() as folder:
        options = ["--basetemp", str(folder / "pytest")] if folder else []
        if sys.stdout.isatty():
            options.append("--color=yes")
        environment = {**os.environ, **({"TMPDIR": str(folder)} if folder else {})}
        with subprocess.Popen(
            [sys.executable, "-m", *SUITES[suite], *options],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as pytest:
            assert pytest.stdout is not None
            for line in pytest.stdout:
                print(last, end="", flush=True)
                last = line
                codes += tell(checks)
        if pytest.returncode and folder:
            with contextlib.suppress(shutil.Error):  # some tests make pipes
                target = BUILD / "failed"
                shutil.copytree(folder, target, dirs_exist_ok=True, symlinks=True)
    codes += tell(checks, wait=True)
    print(last, end="", flush=True)
    if pytest.returncode:
        print(f"check failed: {suite} (again: make test STEP={suite})")
    return next((code for code in (*codes, pytest.returncode) if code), 0)


def compile_tests() -> None:
    """Collect the tests once where no test is compiled, as in a new checkout.

    pytest rewrites every `assert`: 12 seconds that each of its processes would take.
    """
    if not any((ROOT / "tests" / "__pycache__").glob("conftest.*pytest*")):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def scratch() -> Iterator[Path | None]:
    """A folder in memory for what the tests write, None where there is no such place.

    Then pytest uses its own, in the folder for temporary files.
    """
    try:
        room = shutil.disk_usage(MEMORY).free
    except OSError:
        room = 0
    if room < ROOM or not os.access(MEMORY, os.W_OK):
        yield None
        return
    with tempfile.TemporaryDirectory(
        prefix="memcli-tests-", dir=MEMORY, ignore_cleanup_errors=True
    ) as folder:
        os.chmod(folder, 0o755)  # some tests go on as another user
        yield Path(folder)


def environment(folder: Path) -> int:
    """Make an environment in which a checkout of memcli runs as it is.

    It has neither pip nor memcli, and nothing is compiled before it is used: with them
    it would take three times as long, and `make demo` waits for it.
    """
    own_pip = not shutil.which("uv") and importlib.util.find_spec("pip") is None
    venv.create(folder, clear=True, with_pip=own_pip)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    needs = listed("project", "dependencies")
    if own_pip:
        return subprocess.call([str(python), "-m", "pip", "install", "-qq", *needs])
    lazily = [] if shutil.which("uv") else ["--no-compile"]
    return install(*lazily, *needs, python=str(python))


def install(*what: str, python: str = sys.executable) -> int:
    """Install into an environment, with uv where it is there; prints only errors."""
    if uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--quiet", "--python", python]
    else:
        # An environment without a pip of its own takes that of its maker.
        has_pip = importlib.util.find_spec("pip") is not None
        maker = getattr(sys, "_base_executable", sys.executable)
        command = [sys.executable if has_pip else maker, "-m", "pip", "-qq"]
        command += ["--disable-pip-version-check", "--python", python, "install"]
    return subprocess.call([*command, *what])


def listed(table: str, name: str) -> list[str]:
    """A list of requirements in pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found: list[str] = tomllib.loads(text)[table][name]
    return found


def check(name: str) -> Checked:
    """Run one check."""
    started = time.monotonic()
    if name == "wheel":
        problem = check_wheel()
        return Checked(int(bool(problem)), problem, time.monotonic() - started)
    command = [sys.executable, "-m", *STEPS[name]]
    if name == "layers":
        code = "from importlinter.cli import lint_imports_command as c; c()"
        command = [sys.executable, "-c", code]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return Checked(done.returncode, done.stdout, time.monotonic() - started)


def check_wheel() -> str:
    """Install the source distribution, then the wheel, where no development tool is.

    Each is used from there: a dependency that only the tools bring in, or a template
    file that did not make it into the package, would otherwise be met by users first.
    Returns what is wrong, or nothing.
    """
    shutil.rmtree(BUILD / "dist", ignore_errors=True)
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(BUILD / "dist")]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stdout + done.stderr
    wheel = next((BUILD / "dist").glob("*.whl"))
    source = next((BUILD / "dist").glob("*.tar.gz"))
    shipped = [
        f"{top}/{name}"
        for top in ("vault-template", "skills", "words")
        for name in files_below(ROOT / top)
    ]
    with zipfile.ZipFile(wheel) as archive:
        lost = [
            f"{wheel.name}: {name}"
            for name in shipped
            if f"memcli/_data/{name}" not in archive.namelist()
        ]
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        lost += [f"{source.name}: {name}" for name in shipped if name not in names]
    if lost:
        return "\n  ".join(["not packaged:", *lost])
    # Without a pip of its own, which takes longer to install than memcli.
    home = BUILD / "installed"
    venv.create(home, clear=True)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    for package, options in ((source, []), (wheel, ["--no-deps", "--force-reinstall"])):
        if install(*options, str(package), python=str(python)):
            return f"{package.name} does not install"
        with tempfile.TemporaryDirectory() as folder:
            if problem := use_installed(python, Path(folder)):
                return f"{package.name}: {problem}"
    return ""


def files_below(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


def use_installed(python: Path, folder: Path) -> str:
    """Run the installed memcli in `folder`; returns what is wrong, or nothing."""
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "MEMCLI_"))
    }
    kept.pop("PYTHONPATH", None)
    environment = {**kept, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "x")}
    program = python.with_name("memcli.exe" if os.name == "nt" else "memcli")
    for command in (
        ["--help"],
        ["init", str(folder / "vault")],
        ["install", "claude-code", "--skills"],
    ):
        done = subprocess.run(
            [program, *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = done.stdout + done.stderr
            return f"memcli {' '.join(command)}: exit {done.returncode}\n{said}"
    missing = set(files_below(ROOT / "vault-template")) - set(
        files_below(folder / "vault")
    )
    return f"memcli init left out: {', '.join(sorted(missing))}" if missing else ""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
