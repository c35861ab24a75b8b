"""Workers that encode, write and die: the same bytes as in one process, and every loss told."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from crossgauge.cache import Cache
from crossgauge.captioning import caption_items
from crossgauge.embeddings import encode_items
from crossgauge.engines import Engine, Recipe, open_engine
from crossgauge.errors import EnvironmentFault, Fault, InputError, Interrupted, UsageError
from crossgauge.evaluation import evaluate
from crossgauge.models import load_model
from crossgauge.types import Item
from tests.encoders import Hashing
from tests.unit.test_embeddings import Noting, texts

ROOT = Path(__file__).parents[2]
PARENT = """
import sys
from pathlib import Path
from crossgauge.cache import Cache
from crossgauge.embeddings import encode_items
from crossgauge.engines import Recipe, open_engine
from crossgauge.models import load_model
from crossgauge.types import Item

spec, cache = sys.argv[1:]
engine = open_engine("processes", 2, Recipe(spec, load_model))
items = [Item(str(n), text=f"text {n:03}") for n in range(100)]
encode_items(load_model(spec), items, role="query", cache=Cache(Path(cache)), batch_size=5, engine=engine)
"""


@contextmanager
def crew(spec: str, workers: int = 2, name: str = "processes") -> Iterator[Engine]:
    with closing(open_engine(name, workers, Recipe(spec, load_model))) as engine:
        yield engine


def many(count: int = 60) -> list[Item]:
    return [Item(f"t{n}", text="word " * (n % 7) + str(n)) for n in range(count)]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look for modules where this process does."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_same_bytes_as_in_one_process(tmp_path: Path, picture: Callable[..., Item], workers: int) -> None:
    spec = f"python:tests.engine_models:Logging:{tmp_path},0.02"
    model, items = load_model(spec), [*many(), picture("p"), picture("q", "blue")]
    with crew(spec, workers) as engine:
        found = encode_items(
            model, items, role="query", batch_size=4, engine=engine, cache=Cache(tmp_path / "c")
        )
    pids = set((tmp_path / "pids").read_text().split())
    assert len(pids) == workers, "each worker had something to do"
    assert str(os.getpid()) not in pids
    log = (tmp_path / "log").read_text().split()
    assert len(log) == len(set(log)) == len(items), "nothing is encoded twice"
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()
    (contents,) = Cache(tmp_path / "c").contents()
    assert contents.rows == len(items)


def test_a_killed_worker_is_replaced_and_changes_nothing(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Mortal:{tmp_path}"
    items, told = [*many(30), *texts("die once")], Noting()
    with crew(spec) as engine:
        found = encode_items(
            load_model(spec), items, role="query", batch_size=4, engine=engine, progress=told
        )
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()
    assert (tmp_path / "died").exists()
    (note,) = told.notes
    assert note.startswith("W671 worker ")
    assert "signal SIGKILL" in note
    assert sum(told.done) == len(items)


def test_a_batch_that_always_kills_is_given_up_and_the_rest_is_kept(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Mortal:{tmp_path}"
    model, cache = load_model(spec), Cache(tmp_path / "cache")
    items, told = [*texts("die"), *(Item(f"n{n}", text=f"text {n}") for n in range(20))], Noting()
    (tmp_path / "deadly").touch()
    with crew(spec) as engine, pytest.raises(InputError) as caught:
        encode_items(model, items, role="query", batch_size=2, engine=engine, cache=cache, progress=told)
    assert [(fault.code, fault.place) for fault in caught.value.faults] == [
        ("E672", "item t0"), ("E672", "item n0"),
    ]  # fmt: skip
    assert [note[:4] for note in told.notes].count("W671") == 3, "once and two more tries"
    assert cache.store("mortal", "1").contents().rows == 19

    (tmp_path / "deadly").unlink()
    before = len((tmp_path / "log").read_text().split())
    found = encode_items(model, items, role="query", cache=cache)
    assert len((tmp_path / "log").read_text().split()) == before + 2, "only what was lost is encoded again"
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()


def test_a_worker_killed_from_outside(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Logging:{tmp_path},0.05"

    class Killing(Noting):
        def advance(self, done: int) -> None:
            super().advance(done)
            if sum(self.done) == 20:
                os.kill(int((tmp_path / "pids").read_text().split()[-1]), signal.SIGKILL)

    items, told = many(60), Killing()
    with crew(spec) as engine:
        found = encode_items(
            load_model(spec), items, role="query", batch_size=5, engine=engine, progress=told
        )
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()
    assert len(set((tmp_path / "pids").read_text().split())) == 3
    assert [note[:4] for note in told.notes] == ["W671"]


def test_kill_9_of_the_parent_ends_the_workers_and_is_resumed(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Logging:{tmp_path},0.05"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, spec, str(tmp_path / "cache")], cwd=ROOT)
    log, pids = tmp_path / "log", tmp_path / "pids"
    wait_for(lambda: log.exists() and len(log.read_text().split()) >= 30)
    parent.kill()
    parent.wait()
    workers = set(map(int, pids.read_text().split()))
    wait_for(lambda: not any(alive(pid) for pid in workers))
    encoded = len(log.read_text().split())
    kept = Cache(tmp_path / "cache").contents()[0].rows
    assert encoded - kept <= 2 * 5 * 2, "what two workers were at, and what was on the way"
    items = [Item(str(n), text=f"text {n:03}") for n in range(100)]
    model = load_model(spec)
    found = encode_items(model, items, role="query", cache=Cache(tmp_path / "cache"), batch_size=5)
    assert len(log.read_text().split()) == encoded + 100 - kept, "only what is missing is encoded"
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()


def test_broken_items_are_listed_in_order_and_the_rest_is_kept(
    tmp_path: Path, picture: Callable[..., Item]
) -> None:
    spec = f"python:tests.engine_models:Logging:{tmp_path}"
    items = [picture(f"p{n}", size=(4, 3 + n)) for n in range(12)]
    for n in (9, 3):
        path = items[n].image
        assert path is not None
        path.write_bytes(b"no picture %d" % n)
    with crew(spec) as engine, pytest.raises(InputError) as caught:
        encode_items(load_model(spec), items, role="corpus", batch_size=2, engine=engine)
    assert [(fault.code, fault.place[-4:]) for fault in caught.value.faults] == [
        ("E162", " p3)"), ("E162", " p9)"),
    ]  # fmt: skip
    assert len((tmp_path / "log").read_text().split()) == 10


@pytest.mark.parametrize(
    ("how", "kind", "wanted"),
    [
        ("raise", InputError, "E406 model odd, items t0 … t1: encode.. raised ZeroDivisionError: oh"),
        ("exit", InputError, "E676 worker 1: it raised SystemExit: enough"),
        ("environment", EnvironmentFault, "E610 model odd: no memory"),
        ("unsendable", InputError, "E676 .*cannot be sent"),
    ],
)
def test_what_a_worker_raises_is_raised_here(how: str, kind: type[Exception], wanted: str) -> None:
    spec = f"python:tests.engine_models:Odd:{how}"
    with crew(spec, 1) as engine, pytest.raises(kind, match=wanted) as caught:
        encode_items(load_model(spec), texts("a", "b"), role="query", engine=engine)
    if how == "raise":
        assert 'raise ZeroDivisionError("oh")' in "".join(caught.value.__notes__), "where, for --debug"


def test_what_a_model_prints_and_says(capfd: pytest.CaptureFixture[str]) -> None:
    spec, told = "python:tests.engine_models:Odd:print", Noting()
    with crew(spec) as engine:
        encode_items(load_model(spec), many(20), role="query", engine=engine, batch_size=2, progress=told)
    assert told.notes == ["odd: I was asked to print (said by 2 of 2 workers)"]
    out, err = capfd.readouterr()
    assert out == "", "standard output is for results"
    assert "in the way of everything" in err
    assert "even here" in err


def test_cores_are_divided_and_ctrl_c_is_the_parent_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    spec = "python:tests.engine_models:Threads"
    monkeypatch.setattr("crossgauge.engines.worker.usable_cpus", lambda: 6)
    with crew(spec) as engine:
        found = encode_items(load_model(spec), texts("a"), role="query", engine=engine)
    assert found.vectors.tolist() == [[3, 1]]
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    with crew(spec) as engine:
        found = encode_items(load_model(spec), texts("a"), role="query", engine=engine)
    assert found.vectors.tolist() == [[5, 1]], "what the user says counts"


def test_a_worker_with_another_model_is_refused() -> None:
    spec = "python:tests.engine_models:Changing"
    with crew(spec) as engine, pytest.raises(EnvironmentFault, match=r"E673 worker \d: changing at revision"):
        encode_items(load_model(spec), texts("a"), role="query", engine=engine)


def test_workers_that_only_die_are_not_started_for_ever() -> None:
    spec = "python:tests.engine_models:deadly"
    with crew(spec) as engine, pytest.raises(EnvironmentFault, match=r"E674 worker \d: 9 deaths in a row"):
        encode_items(load_model(spec), many(40), role="query", batch_size=2, engine=engine)


def test_stopping_keeps_what_is_done_and_the_engine_goes_on(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Logging:{tmp_path},0.02"
    model, items, cache = load_model(spec), many(40), Cache(tmp_path / "cache")
    with crew(spec) as engine:
        with pytest.raises(Interrupted, match="after 9 of 40"):
            encode_items(
                model, items, role="query", batch_size=3, engine=engine, cache=cache, progress=Noting(3)
            )
        assert cache.contents()[0].rows == 9
        found = encode_items(model, items, role="query", batch_size=3, engine=engine, cache=cache)
    assert found.vectors.tobytes() == encode_items(Hashing(), items, role="query").vectors.tobytes()


def test_captions_come_from_workers_too() -> None:
    spec = "python:tests.engine_models:both"
    model = load_model(spec)
    with crew(spec) as engine:
        found = caption_items(model, many(), language="de", batch_size=4, engine=engine)
    assert found == caption_items(model, many(), language="de")


def test_work_that_cannot_be_sent_and_answers_that_cannot_be_read() -> None:
    items = [Item("a", text=Unpicklable("x"))]
    spec = "python:tests.engine_models:both"
    with crew(spec) as engine, pytest.raises(InputError, match=r"E676 worker 1: work cannot be sent: .*no"):
        encode_items(load_model(spec), items, role="query", engine=engine)
    told = Noting()
    spec = "python:tests.engine_models:Odd:unreadable"
    with crew(spec) as engine, pytest.raises(InputError, match=r"E672 .*cannot be read: .*only here"):
        encode_items(load_model(spec), texts("a"), role="query", engine=engine, progress=told)
    assert [note[:4] for note in told.notes] == ["W671"] * 3


class Unpicklable(str):
    def __reduce__(self) -> str:
        raise TypeError("no")


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    spec = f"python:tests.engine_models:Logging:{tmp_path}"
    with crew(spec) as engine:
        encode_items(load_model(spec), many(20), role="query", batch_size=2, engine=engine)
        pids = set(map(int, (tmp_path / "pids").read_text().split()))
        assert all(alive(pid) for pid in pids)
    assert not any(alive(pid) for pid in pids)


def test_engines_are_named_and_need_a_name() -> None:
    with pytest.raises(UsageError, match="E670 engine 'cloud': no such engine; wanted one of local"):
        open_engine("cloud")
    with pytest.raises(UsageError, match="E670 engine local: 0 workers"):
        open_engine("local", 0)
    with pytest.raises(UsageError, match=r"E671 engine processes: .*python:MODULE:ATTRIBUTE"):
        evaluate("emoji", Hashing(), engine="processes")


def test_errors_keep_their_faults_between_processes() -> None:
    error = EnvironmentFault([Fault("E502", "disk", "full"), Fault("E501", "x", "y")])
    error.add_note("where")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  (our own)
    assert (type(again), again.faults, again.__notes__) == (EnvironmentFault, error.faults, ["where"])
    assert str(again) == str(error)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text() if Path("/proc").is_dir() else True


def wait_for(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline, "waited for a minute"
        time.sleep(0.02)
