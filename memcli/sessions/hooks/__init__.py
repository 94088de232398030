"""A hook's call, from the host's payload to the reply.

Door: `call`.
Not in here: anything that can hurt the host. Whatever happens, a hook exits with 0.
"""
