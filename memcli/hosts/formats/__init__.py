"""The formats of transcripts, read as steps.

Door: `hosts.transcripts`. `records.Format` reads any of them, and a class for each host
says what differs. Lines, objects and fields may be broken anywhere.
Not in here: where a host keeps its transcripts; the host's record knows that.
"""
