"""Entry point of `python -m benchmarks.peers`."""

from benchmarks.peers.cli import main

if __name__ == "__main__":
    main()
