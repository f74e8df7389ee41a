"""Runs a gateway that speaks another version of `play`: `python -m tests.support.gateway_of_protocol 2.0`."""

import runpy
import sys

from gateway.dialects.play import conversation

if __name__ == "__main__":
    vars(conversation)["PROTOCOL"] = sys.argv.pop()
    runpy.run_module("gateway", run_name="__main__")
