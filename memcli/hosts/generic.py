"""Every other agent: no hooks and no folders, but a format of transcripts."""

from __future__ import annotations

from memcli.hosts.host import Host


class Generic(Host):
    """An agent that memcli does not know."""

    name = "generic"
    title = "any other agent"
    takes_text = False

    transcript_format = "memcli.hosts.formats.generic"


HOST = Generic()
