"""What the tests with real clients share.

Invariant: a client that is not installed is skipped and never passes; what became of
each test is written down for `__main__`, which names clients at the end of the run.
"""

import json
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.e2e.clients import clients
from tests.e2e.model import Model
from tests.e2e.scratch import Scratch

# Before a fixture takes the variables of whoever runs this away.
_CLIENTS = clients()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "only(*names): a test of these clients")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--client", action="append", help="only these clients")
    parser.addoption("--outcomes", help="a file to write what became of each test to")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    path = item.config.getoption("--outcomes")
    ended = report.when == "call" or (report.when == "setup" and not report.passed)
    if path and ended and isinstance(item, pytest.Function):
        row = [item.callspec.params["machine"], report.outcome]
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    return report


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "machine" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--client") or list(_CLIENTS)
        only = metafunc.definition.get_closest_marker("only")
        chosen = [name for name in chosen if only is None or name in only.args]
        metafunc.parametrize("machine", chosen, indirect=True)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out a test that none of the chosen clients can run.

    Pytest calls this with the tests of all folders, most of which have no client.
    """
    apart = [
        item
        for item in items
        if hasattr(item, "callspec")
        and not isinstance(item.callspec.params.get("machine", ""), str)
    ]
    if apart:
        config.hook.pytest_deselected(items=apart)
        items[:] = [item for item in items if item not in apart]


@pytest.fixture
def model() -> Iterator[Model]:
    """A model that nobody has asked yet."""
    with Model() as running:
        yield running


@pytest.fixture
def machine(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    model: Model,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Scratch]:
    """A machine with the client that the parameter names."""
    client = _CLIENTS[request.param]
    if not client.installed:
        pytest.skip(f"{client.name} {client.version} is not installed")
    scratch = Scratch(tmp_path, client, model)
    # What memcli writes down about a vault lies in the user's home.
    monkeypatch.setenv("HOME", str(scratch.home))
    monkeypatch.delenv("XDG_STATE_HOME")
    yield scratch
    scratch.clean()
