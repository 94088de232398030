"""A turn that answers the agent, for the tables of this folder."""

from memcli.hosts.transcript import Step
from memcli.sessions.mining import Candidate, mine


def said(text: str, *later: Step) -> list[Candidate]:
    """What is found in the turn, and in what comes after it."""
    return mine(
        [
            Step("user", "have a look at the release", 1, "u1"),
            Step("assistant", "I looked at it and changed two files.", 2, "a2"),
            Step("user", text, 3, "u3"),
            *later,
        ]
    ).candidates
