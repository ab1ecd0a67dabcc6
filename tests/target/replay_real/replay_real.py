#!/usr/bin/env python3
"""Records real programs while they are used, replays each recording twice, and compares: standard output, standard
error and exit status. Each event, and a hash of the memory at the end, is compared by `xbdbg replay` itself.

  replay_real.py XBDBG [--only TEXT] [--without TEXT] [--seeds N] [--jobs N] [--mode native|run|record] [--ci]
                 [--keep] [--list]

A failure says what differed and how to repeat it. Ends with "N passed, N failed, N skipped"; status 1 if any failed.
"""
import argparse
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import harness

REPLAYS = 2


def compare(session, recorded):
    for number in range(1, REPLAYS + 1):
        replayed = session.replay(number)
        difference = recorded.difference(replayed)
        if difference:
            raise harness.Failed(f"replay {number}: {difference}\n"
                                 f"{replayed.err[-3000:].decode(errors='replace')}")


def run_one(options, one, seed):
    """Returns (verdict, text)."""
    label = one["name"] + (f", seed {seed}" if seed else "")
    work = tempfile.mkdtemp(prefix="xb-replay-")
    policy = ["--policy", "random", "--seed", str(seed)] if seed else []
    session = harness.Session(options.mode, options.xbdbg, work, policy, options.timeout)
    try:
        one["function"](session)
        outcome = session.finish()
        if options.mode == "record":
            compare(session, outcome)
        return "pass", label
    except harness.Skipped as reason:
        return "skip", f"{label}: {reason}"
    except Exception as problem:  # pylint: disable=broad-except  # whatever it was, the others still run
        return "fail", f"{label}: {problem or type(problem).__name__}" + (f"\n  kept: {work}" if options.keep else "")
    finally:
        session.close()
        if not options.keep:
            shutil.rmtree(work, ignore_errors=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("xbdbg")
    parser.add_argument("--bin", help="folder of the build's programs (default: that of xbdbg)")
    parser.add_argument("--only", default="", help="scenarios whose name contains this text")
    parser.add_argument("--without", help="leave out the scenarios whose name contains this text")
    parser.add_argument("--seeds", type=int, default=0, help="random schedules besides the default one")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one run")
    parser.add_argument("--mode", choices=("native", "run", "record"), default="record")
    parser.add_argument("--ci", action="store_true", help="leave out what takes long")
    parser.add_argument("--keep", action="store_true", help="keep the folders of failed scenarios")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def load(binaries):
    os.environ["REPLAY_REAL_BIN"] = binaries
    import crashes, samples, servers, terminal, tools  # noqa: F401  pylint: disable=all  # they register themselves


def main():
    options = arguments()
    options.xbdbg = os.path.realpath(options.xbdbg)
    load(options.bin or os.path.dirname(options.xbdbg))
    chosen = [one for one in harness.SCENARIOS
              if options.only in one["name"] and (one["ci"] or not options.ci)
              and not (options.without and options.without in one["name"])]
    if options.list:
        print("\n".join(one["name"] for one in chosen))
        return 0
    work = [(one, seed) for one in chosen for seed in range(1 + (options.seeds if one["seeds"] else 0))]
    count = {"pass": 0, "fail": 0, "skip": 0}
    with ThreadPoolExecutor(options.jobs) as pool:
        for verdict, text in pool.map(lambda item: run_one(options, *item), work):
            count[verdict] += 1
            if verdict == "fail":
                print(f"FAILED {text}", flush=True)
            elif verdict == "skip":
                print(f"skipped {text}", flush=True)
    print(f"{count['pass']} passed, {count['fail']} failed, {count['skip']} skipped")
    return 0 if count["fail"] == 0 and count["pass"] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
