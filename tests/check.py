"""Everything that `make test` runs, for machines with make and without.

    python tests/check.py install          memcli, editable, into this interpreter
    python tests/check.py install-tools    the dependency group `dev`
    python tests/check.py [STEP ...]       these checks, or all of them, in order

Stops at the first check that fails, with its exit code. Standard library only:
`install` runs in an environment that has nothing else yet.
"""

import hashlib
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"

# pytest comes last, so that its closing line is the last of the output.
STEPS: dict[str, list[str]] = {
    "lint": ["ruff", "check", "--quiet", "."],
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "types": ["mypy", "--no-error-summary"],
    "layers": ["importlinter.cli", "lint-imports"],
    "docs": ["cogapp", "--check", "memcli/cli/flags.py", "docs/reference/cli.md"],
    "wheel": [],
    "tests": ["pytest", "-n", "auto"],
}


def main(arguments: list[str]) -> int:
    os.chdir(ROOT)
    if arguments == ["install"]:
        return pip("install", "-e", ".")
    if arguments == ["install-tools"]:
        return pip("install", *development_tools())
    unknown = [name for name in arguments if name not in STEPS]
    if unknown:
        print(f"no such check: {', '.join(unknown)} (there are: {', '.join(STEPS)})")
        return 2
    for name in arguments or STEPS:
        code = check_wheel() if name == "wheel" else run_step(name)
        if code:
            print(f"check failed: {name} (again: make test STEP={name})")
            return code
    return 0


def pip(*arguments: str, python: Path | str = sys.executable) -> int:
    """Run pip of the environment of `python`; it prints only errors."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "-qq"]
    return subprocess.call([*command, *arguments])


def development_tools() -> list[str]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    tools: list[str] = tomllib.loads(text)["dependency-groups"]["dev"]
    return tools


def run_step(name: str) -> int:
    """Run one tool; its output is shown when it fails, pytest's always."""
    command = [sys.executable, "-m", *STEPS[name]]
    if name == "layers":
        code = "from importlinter.cli import lint_imports_command as c; c()"
        command = [sys.executable, "-c", code]
    started = time.monotonic()
    if name == "tests":
        return subprocess.call(command)
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        sys.stdout.buffer.write(done.stdout)
        sys.stdout.flush()
    else:
        report(name, started)
    return done.returncode


def report(name: str, started: float) -> None:
    print(f"{name:7} ok  {time.monotonic() - started:5.1f} s", flush=True)


def check_wheel() -> int:
    """Install the wheel where no development tool is, and use it from there.

    A dependency that only the tools bring in, or a template file that did not make
    it into the package, would otherwise be met by users first.
    """
    started = time.monotonic()
    shutil.rmtree(BUILD / "dist", ignore_errors=True)
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(BUILD / "dist")]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr)
        return done.returncode
    wheel = next((BUILD / "dist").glob("*.whl"))
    source = next((BUILD / "dist").glob("*.tar.gz"))
    shipped = [
        f"{top}/{name}"
        for top in ("vault-template", "skills")
        for name in files_below(ROOT / top)
    ]
    with zipfile.ZipFile(wheel) as archive:
        lost = [
            f"{wheel.name}: {name}"
            for name in shipped
            if f"memcli/_data/{name}" not in archive.namelist()
        ]
        lost += [
            f"{wheel.name}: memcli/{name}"
            for name in files_below(ROOT / "memcli")
            if f"memcli/{name}" not in archive.namelist()
        ]
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        lost += [f"{source.name}: {name}" for name in shipped if name not in names]
    if lost:
        print("not packaged:", *lost, sep="\n  ")
        return 1
    python = install_alone(wheel)
    with tempfile.TemporaryDirectory() as folder:
        problem = use_installed(python, Path(folder))
    if problem:
        print(problem)
        return 1
    report("wheel", started)
    return 0


def files_below(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


def install_alone(wheel: Path) -> Path:
    """Path of a Python that has the wheel and its dependencies, nothing else.

    The environment is kept for as long as pyproject.toml and the interpreter stay
    the same: making it takes half a minute, putting a new wheel into it a second.
    """
    key = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    key.update(f"{sys.executable} {sys.version}".encode())
    home = BUILD / "installed"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "stamp"
    fresh = stamp.exists() and stamp.read_text() == key.hexdigest()
    if not fresh:
        venv.create(home, clear=True, with_pip=True)
    options = ["--no-deps", "--force-reinstall"] if fresh else []
    if pip("install", *options, str(wheel), python=python):
        raise SystemExit("check failed: the wheel does not install")
    stamp.write_text(key.hexdigest())
    return python


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
        ["skills", "install", "--all", "--host", "claude-code"],
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
