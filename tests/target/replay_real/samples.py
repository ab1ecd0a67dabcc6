"""Every sample of samples/samples.json."""
import json
import os

from harness import scenario

_BIN = os.path.join(os.environ["REPLAY_REAL_BIN"], "samples")
_LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/samples.json")


def _register(name, args):
    @scenario(" ".join(["sample", name, *args]), ci=True, seeds=True)
    def sample(session):
        session.expected = None
        session.start([os.path.join(_BIN, name), *args])


with open(_LIST, encoding="utf-8") as file:
    for entry in json.load(file):
        _register(entry["name"], entry["args"])
