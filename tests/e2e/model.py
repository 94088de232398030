"""A model on 127.0.0.1 that says one sentence in the four ways clients understand.

Invariant: listens on loopback only, decides nothing but what a test has told it, and
keeps every request, so that a test can say what reached the model. It answers
Anthropic's messages, OpenAI's responses and chat completions, and Gemini's
generateContent, streamed or not.
"""

import gzip
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

SAYS = "Understood."
# Where a client asks for JSON (a title, who speaks next), any of these keys will do.
_OBJECT = {
    "title": "A session",
    "reasoning": "none",
    "next_speaker": "user",
    "complexity_reasoning": "none",
    "complexity_score": 1,
}


class Request(NamedTuple):
    """What a client sent: `body` is JSON, {} when there was none."""

    path: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Every text in it, one a line, as a model would read them."""
        return "\n".join(_texts(self.body))


class Call(NamedTuple):
    """A tool that a client is told to use.

    `space` is what Codex lists it under, `thinks` for how many seconds the model says
    nothing before.
    """

    tool: str
    given: dict[str, Any]
    space: str = ""
    thinks: float = 0


# The clients' shells, each with the name of its command.
_SHELLS = {
    "Bash": "command",
    "exec_command": "cmd",
    "shell": "command",
    "run_shell_command": "command",
    "bash": "command",
}


class Model:
    """The server; use it as a context, then `url` says where it is."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        # What is said to a request that holds these words, instead of `SAYS`.
        self.says: dict[str, str] = {}
        # The command that the shell of a client is told to run, once.
        self.runs: str | None = None
        # The tools to use next, each once the client offers it.
        self.calls: list[Call] = []
        # Cleared: whoever asks gets no answer until it is set.
        self.answers = threading.Event()
        self.answers.set()
        self.asked = threading.Event()
        model = self

        class Handler(_Handler):
            owner = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.answers.set()
        self._server.shutdown()
        self._server.server_close()

    def read(self) -> str:
        """Every text that a model was sent so far."""
        return "\n".join(one.text for one in self.requests if one.body)

    def forget(self) -> None:
        """Start anew: nothing was asked."""
        self.requests.clear()
        self.asked.clear()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: Model

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        self.owner.requests.append(Request(self.path, {}))
        one = {"id": "stub", "object": "model", "type": "model", "display_name": "stub"}
        self._json({"object": "list", "data": [one], "models": [], "has_more": False})

    def do_POST(self) -> None:
        body = self._body()
        self.owner.requests.append(Request(self.path, body))
        path = self.path.partition("?")[0]
        if "count" in path.lower() and "token" in path.lower():
            self._json({"input_tokens": 9, "totalTokens": 9})
            return
        speak = next((_SPEAK[end] for end in _SPEAK if path.endswith(end)), None)
        if speak is None:
            self._json({})
            return
        self.owner.asked.set()
        self.owner.answers.wait(300)
        stream = bool(body.get("stream")) or "stream" in path
        call = self._call(body)
        whole, events = speak(body, _said(body, self.owner.says), call)
        try:
            if stream:
                self._stream(events)
            else:
                self._json(whole)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # who asked was killed

    def _call(self, body: dict[str, Any]) -> Call | None:
        """The call of the client's shell that the test wants, once it offers one."""
        calls = self.owner.calls
        if calls and calls[0].tool in tools_of(body):
            time.sleep(calls[0].thinks)
            return calls.pop(0)
        shell = next((name for name in tools_of(body) if name in _SHELLS), None)
        command = self.owner.runs
        if command is None or shell is None:
            return None
        self.owner.runs = None
        return Call(shell, {_SHELLS[shell]: command, "description": "judge"})

    def _body(self) -> dict[str, Any]:
        if self.headers.get("transfer-encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            data = b"".join(parts)
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            data = gzip.decompress(data)
        try:
            found = json.loads(data)
        except ValueError:
            return {"unread": data.decode("utf-8", "replace")}
        return found if isinstance(found, dict) else {"list": found}

    def _json(self, document: Any) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: list[Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            if isinstance(event, dict) and "type" in event:
                self.wfile.write(f"event: {event['type']}\n".encode())
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"data: {data}\n\n".encode())
        self.close_connection = True


def tools_of(body: dict[str, Any]) -> Iterator[str]:
    """The names of the tools that a client offers."""
    for tool in body.get("tools") or ():
        yield str(tool.get("name") or (tool.get("function") or {}).get("name"))
        # Of Gemini, and of what Codex lists under one name.
        for several in ("functionDeclarations", "tools"):
            yield from (str(one.get("name")) for one in tool.get(several, ()))


def _said(body: dict[str, Any], says: dict[str, str]) -> str:
    """The sentence, or JSON where the client asks for that."""
    settings = body.get("generationConfig") or {}
    asked = (
        (body.get("output_config") or {}).get("format")
        or (body.get("text") or {}).get("format", {}).get("type") == "json_schema"
        or settings.get("responseMimeType") == "application/json"
    )
    if asked:
        return json.dumps(_OBJECT)
    text = "\n".join(_texts(body))
    return next((said for words, said in says.items() if words in text), SAYS)


def _anthropic(
    body: dict[str, Any], said: str, call: Call | None
) -> tuple[Any, list[Any]]:
    usage = {"input_tokens": 9, "output_tokens": 1}
    whole = {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stub"),
        "content": [{"type": "text", "text": said}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }
    empty: dict[str, Any] = {"type": "text", "text": ""}
    part = {"type": "text_delta", "text": said}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    if call is not None:
        empty = {"type": "tool_use", "id": _id("toolu"), "name": call.tool, "input": {}}
        part = {"type": "input_json_delta", "partial_json": json.dumps(call.given)}
        end["stop_reason"] = "tool_use"
        whole |= {"content": [{**empty, "input": call.given}], **end}
    begun = {**whole, "content": [], "stop_reason": None}
    return whole, [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": part},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(
    body: dict[str, Any], said: str, call: Call | None
) -> tuple[Any, list[Any]]:
    del body
    text = {"type": "output_text", "text": said, "annotations": []}
    item = {"type": "message", "role": "assistant", "id": _id("msg"), "content": [text]}
    if call is not None:
        item = {
            "type": "function_call",
            "id": _id("fc"),
            "call_id": _id("call"),
            "name": call.tool,
            "arguments": json.dumps(call.given),
            **({"namespace": call.space} if call.space else {}),
        }
    usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}
    whole = {"id": _id("resp"), "output": [item], "usage": usage}
    place = {"output_index": 0, "item": item}
    return whole, [
        {"type": "response.created", "response": {"id": whole["id"]}},
        {"type": "response.output_item.added", **place},
        {"type": "response.output_item.done", **place},
        {"type": "response.completed", "response": whole},
    ]


def _chat(body: dict[str, Any], said: str, call: Call | None) -> tuple[Any, list[Any]]:
    head = {"id": _id("chatcmpl"), "created": int(time.time()), "model": "stub"}
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    message: dict[str, Any] = {"role": "assistant", "content": said}
    reason = "stop"
    if call is not None:
        given = {"name": call.tool, "arguments": json.dumps(call.given)}
        one = {"index": 0, "id": _id("call"), "type": "function", "function": given}
        message, reason = {"role": "assistant", "tool_calls": [one]}, "tool_calls"

    def choice(**part: Any) -> dict[str, Any]:
        return {"choices": [{"index": 0, "finish_reason": None, **part}]}

    whole = {**head, "object": "chat.completion", "usage": usage}
    chunk = {**head, "object": "chat.completion.chunk"}
    return {**whole, **choice(message=message, finish_reason=reason)}, [
        {**chunk, **choice(delta=message)},
        {**chunk, **choice(delta={}, finish_reason=reason), "usage": usage},
        "[DONE]",
    ]


def _gemini(
    body: dict[str, Any], said: str, call: Call | None
) -> tuple[Any, list[Any]]:
    del body
    part: dict[str, Any] = {"text": said}
    if call is not None:
        part = {"functionCall": {"name": call.tool, "args": call.given}}
    content = {"role": "model", "parts": [part]}
    whole = {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 10},
        "modelVersion": "stub",
    }
    return whole, [whole]


_SPEAK = {
    "/messages": _anthropic,
    "/responses": _responses,
    "/chat/completions": _chat,
    ":generateContent": _gemini,
    ":streamGenerateContent": _gemini,
}


def _id(kind: str) -> str:
    return f"{kind}_{time.monotonic_ns():x}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
