"""The description of the machine."""

from benchmarks.peers.machine import cpu_model, memory_gib


def test_the_machine_is_read_from_proc() -> None:
    assert cpu_model("processor\t: 0\nmodel name\t: Some  CPU @ 2GHz\n") == "Some CPU @ 2GHz"
    assert cpu_model("processor\t: 0\n")
    assert memory_gib("MemTotal:        8388608 kB\nMemFree: 1 kB\n") == 8.0
