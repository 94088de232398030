"""What a transcript says, one module for each host's format, read as steps.

Door: `hosts.transcripts`, which takes `recognises`, `session` and `steps` of a format
from the module that the host's record names. Beside the formats stand the ways to read
lines, objects and fields that may be broken anywhere.
Not in here: where a host keeps its transcripts; the host's record knows that.
"""
