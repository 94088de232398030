"""`memcli inspect agents`: who reads and writes here."""

from __future__ import annotations

from memcli.cli.context import Canvas, Context, Result


def agents(context: Context) -> Result:
    """Who reads and writes here, and how much of it each may see."""
    from memcli.vault import agents as use_case

    known = use_case.agents(context.open_vault("reading"))

    def text(canvas: Canvas) -> None:
        if not known:
            canvas.line("no agent is configured or has written", style="nothing")
            return
        canvas.table(
            ("agent", "policy", "groups", "wrote", "sees", ""),
            [
                (
                    agent.name,
                    agent.policy,
                    ", ".join(agent.groups),
                    f"{agent.wrote:,}",
                    f"{agent.sees:,}",
                    "" if agent.configured else "not in the config: isolated",
                )
                for agent in known
            ],
        )

    return Result(data={"agents": [agent.as_dict() for agent in known]}, text=text)
