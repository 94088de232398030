"""What is shown of a database's URL holds no part of a password that libpq takes."""

import pytest

from memcli.storage.known_vaults import redacted, without_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:s3c?ret@h/db", "postgresql://***"),
        ("postgresql://ada:s3c#ret@h:1/db", "postgresql://***"),
        ("postgresql://ada:s3c/ret@h/db", "postgresql://***"),
        ("postgresql://ada:12/s3c?ret@h/db", "postgresql://***"),
        ("postgresql://ada:s3@cret@h/db", "postgresql://h/db"),
        ("postgresql://ada@h/db?password=s3c@ret", "postgresql://***"),
        ("postgresql://ada@h/db?password=s3c", "postgresql://h/db"),
        ("postgresql://ada:s3cret", "postgresql://***"),
        ("postgresql://ada:s3c?ret", "postgresql://***"),
        ("postgresql://ada@/db?host=/tmp/x", "postgresql:///db"),
        ("postgresql://h:5432/db", "postgresql://h:5432/db"),
        ("postgresql://u:p@h1:1,[::1]:2/db", "postgresql://***"),
    ],
)
def test_no_part_of_a_password_is_shown(url: str, shown: str) -> None:
    assert redacted(url) == shown
    assert without_secrets(f'no server at "{url}"', url) == f'no server at "{shown}"'


def test_the_part_of_a_password_that_a_library_quotes_is_masked() -> None:
    said = without_secrets(
        'invalid integer value "s3c" for connection option "port"',
        "postgresql://ada:s3c/ret@db.acme.com/memory",
    )
    assert said == 'invalid integer value "***" for connection option "port"'
