"""The log of signals: no line is torn or lost, it stays small, and it hurts nobody."""

import json
import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Vault
from memcli.entries import layout
from memcli.vault.health import usage
from memcli.vault.signals import event, summary
from memcli.vault.signals import log as events
from tests.conftest import NOW, VaultMaker, state_of

TEXT = st.text(max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.fixed_dictionaries(
    {
        "id": TEXT,
        "rank": st.none() | st.integers(1, 99),
        "score": NUMBERS,
        "channels": st.lists(TEXT, max_size=3),
        "features": st.dictionaries(TEXT, NUMBERS, max_size=3),
    },
    optional={"skill": st.just(True)},
)
HEAD = {"v": st.just(1), "at": st.integers(0, 2**37)}
SIGNALS = st.one_of(
    st.fixed_dictionaries(
        {
            **HEAD,
            "event": st.just("recall"),
            "recall": TEXT,
            "question": st.none() | TEXT,
            "via": TEXT,
            "agent": st.none() | TEXT,
            "hit": st.booleans(),
            "rows": st.lists(ROWS, max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {
            **HEAD,
            "event": st.just("write"),
            "id": st.none() | TEXT,
            **dict.fromkeys(("action", "writer", "kind", "type"), TEXT),
        },
        optional={"count": st.integers(0, 10**6)},
    ),
    st.fixed_dictionaries(
        {
            **HEAD,
            "event": st.just("feedback"),
            "recall": st.none() | TEXT,
            "id": TEXT,
            "useful": st.booleans(),
            "by": TEXT,
        }
    ),
)


def write(number: int, **fields: Any) -> Any:
    return {
        "v": 1,
        "at": NOW,
        "event": "write",
        "id": f"{number:016}",
        "action": "save",
        "writer": "manual",
        "kind": "note",
        "type": "unknown",
        **fields,
    }


def written(root: Path) -> list[Any]:
    """The events, which are of writing alone."""
    return [*events.read(str(root)).events]


def ids(root: Path) -> list[str]:
    return [one["id"] for one in written(root)]


def log(root: Path) -> Path:
    return state_of(root, layout.EVENTS)


@given(SIGNALS)
def test_a_signal_comes_back_as_it_went_in(signal: dict[str, Any]):
    line = events.encode(signal)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert events.decode(line) == signal
    dumped = json.dumps(signal, separators=(",", ":"))
    assert line == dumped.encode() + b"\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, b"x"])
def test_what_json_cannot_say_is_no_event(tmp_path: Path, value: Any):
    assert not events.append(str(tmp_path), [write(1), write(2, extra=value)])
    assert events.read(str(tmp_path)).events == []


@given(SIGNALS, st.data())
def test_a_line_that_was_cut_is_no_signal(signal: dict[str, Any], data: st.DataObject):
    line = events.encode(signal)
    assert events.decode(line[: data.draw(st.integers(0, len(line) - 2))]) is None


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)


@given(SIGNALS, st.data())
def test_any_lines_of_a_log_can_be_counted(signal: dict[str, Any], data: st.DataObject):
    """Another version, a hand, or a virus scanner may have been at it."""
    name = data.draw(st.sampled_from(sorted(signal)))
    broken = {**signal, name: data.draw(ANYTHING)}
    line = json.dumps(broken).encode()
    found = [one for one in [events.decode(line)] if one]
    summary.summary(found)
    event.uses(found)


@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_passed_over(data: bytes):
    events.decode(data)


def test_signals_are_read_in_the_order_of_their_writing(tmp_path: Path):
    for number in range(3):
        assert events.append(str(tmp_path), [write(number)])
    assert [int(one) for one in ids(tmp_path)] == [0, 1, 2]
    newest: list[Any] = [*events.newest(str(tmp_path))]
    assert [int(one["id"]) for one in newest] == [2, 1, 0]
    (holding,) = events.newest(str(tmp_path), write(1)["id"])
    assert holding == newest[1]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_the_log_is_for_its_owner_alone(vault: Vault):
    vault.save(vault.draft({"text": "We deploy on Mondays"}))
    vault.recall("deploy")
    for name in (layout.EVENTS, layout.EVENTS_KEY):
        mode = stat.S_IMODE(os.stat(state_of(vault.root, name)).st_mode)
        assert mode == 0o600


def test_what_a_kill_has_cut_is_passed_over_and_the_next_line_is_whole(tmp_path: Path):
    events.append(str(tmp_path), [write(1), write(2)])
    log(tmp_path).write_bytes(log(tmp_path).read_bytes()[:-20])
    assert [int(one) for one in ids(tmp_path)] == [1]
    events.append(str(tmp_path), [write(3)])
    assert [int(one) for one in ids(tmp_path)] == [1, 3]


def test_the_log_is_bounded_and_keeps_the_newest(tmp_path: Path):
    full = 2_000
    for number in range(300):
        assert events.append(str(tmp_path), [write(number)], full)
    found = [int(one) for one in ids(tmp_path)]
    assert found == list(range(found[0], 300))
    line = len(events.encode(write(0)))
    assert 3 * full < len(found) * line <= 4 * full + 4 * line
    assert events.size(str(tmp_path)) == len(found) * line
    assert len(list(log(tmp_path).parent.glob("events*.jsonl"))) <= 4


def test_more_at_once_than_a_file_holds_is_spread_over_files(tmp_path: Path):
    events.append(str(tmp_path), [write(number) for number in range(30)], 2_000)
    assert [int(one) for one in ids(tmp_path)] == list(range(30))
    assert list(log(tmp_path).parent.glob("events-*.jsonl"))


def test_uses_of_skills_outlive_the_rotation(tmp_path: Path):
    for number in range(300):
        events.append(str(tmp_path), [write(number % 3, kind="skill")], 2_000)
    assert len(ids(tmp_path)) < 100
    assert events.read(str(tmp_path)).uses() == {f"{n:016}": 100 for n in range(3)}


@pytest.mark.parametrize("step", ["before", "after"])
def test_uses_are_counted_once_though_the_rotation_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
):
    """Before the total is written, and after it, while the file is still there."""
    made = 0

    def use(times: int) -> None:
        nonlocal made
        for _ in range(times):
            made += 1
            events.append(str(tmp_path), [write(0, kind="skill")], 2_000)

    use(45)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    place = "memcli.storage.files.write_atomic" if step == "before" else "os.unlink"
    with monkeypatch.context() as patch:
        patch.setattr(place, killed)
        with pytest.raises(KeyboardInterrupt):
            use(60)
    assert events.read(str(tmp_path)).uses() == {f"{0:016}": made}
    use(100)
    assert events.read(str(tmp_path)).uses() == {f"{0:016}": made}
    assert len(list(log(tmp_path).parent.glob("events*.jsonl"))) <= 4


def append_many(root: str, process: int, count: int, full: int) -> None:
    for number in range(count):
        # A skill each: the total must be exact, too.
        one = write(
            process * 10_000 + number, kind="skill", padding="x" * (number % 90)
        )
        assert events.append(root, [one], full)


def read_often(root: str, stop: Any) -> None:
    """What a reader sees is whole, and in each writer's order."""
    while not stop.is_set():
        last: dict[int, int] = {}
        for one in written(Path(root)):
            process, number = divmod(int(one["id"]), 10_000)
            assert number > last.get(process, -1), (process, number, last)
            last[process] = number


@pytest.mark.slow
def test_sixteen_processes_append_and_rotate_at_once(tmp_path: Path):
    """No line is torn; inside the window none is lost; no use is counted wrongly."""
    root, processes, count, full = str(tmp_path), 16, 150, 40_000
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    reader = context.Process(target=read_often, args=(root, stop))
    crowd = [
        context.Process(target=append_many, args=(root, n, count, full))
        for n in range(processes)
    ]
    for one in (reader, *crowd):
        one.start()
    for one in crowd:
        one.join()
    stop.set()
    reader.join()
    assert [one.exitcode for one in (reader, *crowd)] == [0] * (processes + 1)
    folder = log(tmp_path).parent
    lines = [
        line
        for path in folder.glob("events*.jsonl")
        for line in path.read_bytes().splitlines()
        # Who looks while another one's line is half there puts its own on a new line,
        # which leaves an empty one.
        if line
    ]
    assert all(events.decode(line) for line in lines)
    kept = events.read(root)
    assert len(kept.events) == len(lines)
    # One that a process was writing to waits for the next rotation.
    assert 3 <= len(list(folder.glob("events-*.jsonl"))) <= 5
    # Rotated away or kept, each of them is there once.
    everything = {
        f"{n * 10_000 + i:016}": 1 for n in range(processes) for i in range(count)
    }
    assert kept.uses() == everything


def test_one_vault_has_one_key_though_many_ask_first(tmp_path: Path):
    path = state_of(tmp_path, layout.EVENTS_KEY)
    first = events.key(str(tmp_path), b"a" * 32)
    assert events.key(str(tmp_path), b"b" * 32) == first == path.read_bytes()
    assert sorted(os.listdir(path.parent)) == [path.name, "vault"]


def test_a_key_that_a_full_disk_has_cut_is_made_anew(tmp_path: Path):
    """With an empty one the hash of a short question could be guessed."""
    path = state_of(tmp_path, layout.EVENTS_KEY)
    path.write_bytes(b"")
    assert events.key(str(tmp_path), b"a" * 32) == path.read_bytes() == b"a" * 32
    assert sorted(os.listdir(path.parent)) == [path.name, "vault"]


def test_a_hash_tells_nothing_without_the_key():
    one, other = (events.hashed("deploy", secret * 32) for secret in (b"a", b"b"))
    assert one != other
    assert one == events.hashed("  DEPLOY ", b"a" * 32)


# --- what cannot be written ---------------------------------------------------------


def rows(vault: Vault, question: str) -> list[str]:
    return [row.text for row in vault.recall(question).rows]


def test_a_log_that_cannot_be_written_fails_nothing(vault: Vault):
    log(Path(vault.root)).mkdir(parents=True)  # a folder is in the way
    vault.save(vault.draft({"text": "We deploy on Mondays"}))
    assert rows(vault, "deploy") == ["We deploy on Mondays"]
    assert events.read(vault.root).events == []


def test_a_full_disk_fails_nothing(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    vault.save(vault.draft({"text": "We deploy on Mondays"}))
    before = len(events.read(vault.root).events)

    def full(root: str, data: bytes, limit: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(events, "_write", full)
    assert rows(vault, "deploy") == ["We deploy on Mondays"]
    assert len(events.read(vault.root).events) == before


def test_a_log_that_cannot_be_rotated_stops_growing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "rename", refused)
    monkeypatch.setattr(events, "_MOST", 5_000)
    said = [events.append(str(tmp_path), [write(n)], 1_000) for n in range(100)]
    assert said[0]
    assert not said[-1]
    assert 5_000 <= log(tmp_path).stat().st_size < 5_500


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
@pytest.mark.parametrize(
    "name", [layout.EVENTS, layout.EVENTS_KEY, layout.EVENTS_TOTAL]
)
def test_a_pipe_in_its_place_stops_nobody(vault: Vault, name: str):
    """Each of these waited for another process to write into the pipe."""
    entry = vault.save(vault.draft({"text": "We deploy on Mondays", "kind": "skill"}))
    path = Path(vault.root, name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    program = (
        "import sys; from memcli import Vault; from memcli.vault.health import usage; "
        "vault = Vault.open(sys.argv[1]);"
        "print(vault.recall('deploy').rows[0].id, usage.usage(vault).bytes);"
        "vault.resolve(sys.argv[2])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, vault.root, entry.id],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.split()[0] == entry.id
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
def test_nothing_is_written_where_a_link_leads(tmp_path: Path):
    """As another user of the machine might leave one."""
    root, outside = tmp_path / "vault", tmp_path / "outside"
    outside.write_text("precious\n")
    root.mkdir()
    log(root).symlink_to(outside)
    assert not events.append(str(root), [write(1)])
    log(root).unlink()
    for name in (layout.EVENTS_TOTAL, layout.EVENTS_LOCK):
        state_of(root, name).symlink_to(outside)
    for number in range(300):
        assert events.append(str(root), [write(number, kind="skill")], 2_000)
    assert outside.read_text() == "precious\n"
    state_of(root, layout.EVENTS_LOCK).unlink()
    for number in range(300, 600):
        assert events.append(str(root), [write(number, kind="skill")], 2_000)
    assert outside.read_text() == "precious\n"
    assert sum(events.read(str(root)).uses().values()) == 600


@pytest.mark.parametrize(
    "total",
    ['{"upto": 1e999, "uses": {}}', '{"upto": 1, "uses": {"a": 1e999}}', "[" * 10**5],
)
def test_a_total_of_impossible_numbers_counts_as_none(tmp_path: Path, total: str):
    state_of(tmp_path, layout.EVENTS_TOTAL).parent.mkdir(parents=True, exist_ok=True)
    (state_of(tmp_path, layout.EVENTS_TOTAL)).write_text(total)
    for number in range(300):
        assert events.append(str(tmp_path), [write(number, kind="skill")], 2_000)
    assert len(events.read(str(tmp_path)).uses()) == 300


def test_numbers_that_no_clock_gives_and_no_count_reaches_are_passed_over(vault: Vault):
    row = {"id": "a", "rank": 10**400, "score": 10**400, "channels": [], "features": {}}
    asked = {
        "recall": "r",
        "question": "q",
        "via": "recall",
        "agent": None,
        "hit": True,
    }
    head = {"v": 1, "at": NOW, "event": "recall"}
    log(Path(vault.root)).parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {**head, **asked, "rows": [row]},
        {**head, **asked, "rows": [{**row, "rank": 1, "score": 2.0}]},
        {
            **head,
            "event": "feedback",
            "recall": "r",
            "id": "a",
            "useful": True,
            "by": "x",
        },
        write(1, at=-(10**300)),
        write(2, at=10**300),
        write(3, count=9 * 10**4298),
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    log(Path(vault.root)).write_text(text)
    found = usage.usage(vault).summary
    assert (found.events, found.writes, found.pairs, found.mrr) == (2, {}, 0, 1.0)


# --- who does not want one ----------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "[signals]\nlog = false\n",
        "signals.log = false\n",
        'signals = { "log" = false }\n',
        '"sign\\u0061ls" = { log = false }\n',
        '[signals]\nlog = "no"\n',
        "[signals\nlog = false\n",
        "[limits]\nbody = -1\n[signals]\nlog = true\n",
    ],
)
def test_off_means_off_and_what_is_unclear_is_off(vault: Vault, text: str):
    vault.save(vault.draft({"text": "We deploy on Mondays"}))
    assert len(events.read(vault.root).events) == 1
    Path(vault.root, layout.CONFIG).write_text(text, encoding="utf-8")
    # A recall itself may refuse a config that is broken.
    vault.recorder.recalled("deploy", [])
    vault.recorder.wrote([write(1)])
    vault.recorder.judged([write(1)["id"]], useful=True, by="user")
    assert len(events.read(vault.root).events) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# [signals]\n# log = false\n",
        "[signals]\n# log = false\n",
        "[signals]\nlog = true\n",
    ],
)
def test_on_is_the_default(vault: Vault, text: str):
    Path(vault.root, layout.CONFIG).write_text(text, encoding="utf-8")
    vault.recall("deploy")
    assert len(events.read(vault.root).events) == 1


def test_a_new_vault_pays_for_no_parser(vault: Vault):
    """Parsing TOML costs a recall 11 ms."""
    path = Path(vault.root, layout.CONFIG)
    assert "[signals]" in path.read_text(encoding="utf-8")
    code = (
        "import sys; from memcli.storage import settings; "
        f"assert settings.logs_signals({vault.root!r}); "
        "assert 'tomllib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_vault_that_may_only_be_read_gets_no_log(
    make_vault: VaultMaker, monkeypatch: pytest.MonkeyPatch
):
    vault = make_vault()
    vault.save(vault.draft({"text": "We deploy on Mondays"}))
    before = events.read(vault.root).events
    folder = Path(os.environ["XDG_CONFIG_HOME"], "memcli")
    folder.mkdir(parents=True)
    settings = f"[vaults.team]\npath = {json.dumps(vault.root)}\nrole = 'ro'\n"
    (folder / "config.toml").write_text(settings, encoding="utf-8")
    again = make_vault()
    assert rows(again, "deploy") == ["We deploy on Mondays"]
    assert events.read(vault.root).events == before
