"""The metrics of a gateway."""

from prometheus_client import generate_latest

from gateway.metrics import Metrics

LATENCY = "tavolata_frame_to_ack_seconds"


def test_answers_are_counted_by_how_long_they_took() -> None:
    metrics = Metrics()
    for seconds in (0.0001, 0.001, 0.0015, 0.3, 60):
        metrics.answered(seconds)
    counts = [metrics.registry.get_sample_value(f"{LATENCY}_bucket", {"le": le}) for le in ("0.001", "0.5", "+Inf")]
    assert counts == [2, 4, 5]


def test_the_time_that_answers_took_is_summed_up() -> None:
    metrics = Metrics()
    for seconds in (0.25, 0.5):
        metrics.answered(seconds)
    assert [metrics.registry.get_sample_value(f"{LATENCY}_{what}") for what in ("count", "sum")] == [2, 0.75]


def test_limits_are_written_as_in_every_other_histogram() -> None:
    metrics = Metrics()
    metrics.answered(0.1)
    assert b'tavolata_frame_to_ack_seconds_bucket{le="1.0"} 1.0' in generate_latest(metrics.registry)


def test_the_status_tells_of_the_last_answers() -> None:
    metrics = Metrics()
    for number in range(1, 102):
        metrics.answered(number / 1_000)
    status = metrics.status()
    assert (status["answers"], status["half_ms"], status["slow_ms"]) == (101, 51.0, 100.0)
