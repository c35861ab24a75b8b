"""Rankings at once in several threads: the limit of the BLAS is set by the first and undone by the last."""

from __future__ import annotations

from threading import Event, Thread

from crossgauge.ranking.workers import Workers, _blas


def blas_threads() -> set[int]:
    """Of numpy's: other packages may bring a BLAS of their own."""
    return {library["num_threads"] for library in _blas().select(user_api="blas").info()}


def test_whoever_ends_first_the_limit_ends_with_the_last() -> None:
    before, begun, end = blas_threads(), Event(), Event()

    def rank() -> None:
        with Workers(1):
            begun.set()
            end.wait()

    first = Thread(target=rank)
    first.start()
    begun.wait()
    with Workers(1):
        end.set()
        first.join()
        assert blas_threads() == {1}
    assert blas_threads() == before
