"""The command that brings the MCP SDK fits how memcli was installed."""

from pathlib import Path

import pytest

from memcli.cli.mcp import install_command


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [
        ("pipx_metadata.json", "{}", "pipx install --force 'memcli[mcp]'"),
        ("uv-receipt.toml", "[tool]", "uv tool install --force 'memcli[mcp]'"),
        (
            "pyvenv.cfg",
            "home = /usr\nuv = 0.5.1\n",
            "uv pip install --python /opt/v/bin/python 'memcli[mcp]'",
        ),
        (
            "pyvenv.cfg",
            "home = /usr\n",
            "/opt/v/bin/python -m pip install 'memcli[mcp]'",
        ),
        ("other", "", "/opt/v/bin/python -m pip install 'memcli[mcp]'"),
    ],
)
def test_the_command_is_that_of_what_made_the_environment(
    tmp_path: Path, file: str, text: str, command: str
) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert install_command(str(tmp_path), "/opt/v/bin/python") == command


def test_what_was_installed_from_a_folder_is_installed_from_there_again(
    tmp_path: Path,
) -> None:
    command = install_command(str(tmp_path), "/a b/python", "file:///src/memcli")
    assert command == (
        "'/a b/python' -m pip install 'memcli[mcp] @ file:///src/memcli'"
    )
