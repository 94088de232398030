"""Installing memcli into agent hosts, and taking it out again.

Door: a `Machine`, and the steps that are planned for it, by `plans.plan` and by
`hosts/skills.py`. `step.apply` carries one out, `status.survey` looks at what is there.
A file that cannot be parsed, has comments, or changed since the step was planned, is
not touched. The earlier content of a changed file stays beside it.
Not in here: anything of a vault.
"""
