"""A run that tests kill: `python rollout_driver.py STORE EXECUTOR WORKERS COUNT SECONDS`."""

import sys

from rollout_items import mixed
from rollout_players import Slow

from coworkgym.rollouts import collect, executor_from


def main():
    folder, name, workers, count, seconds = sys.argv[1:]
    executor = executor_from(name, None if name == "inline" else int(workers))
    policy = Slow(float(seconds))
    for _ in collect(mixed(int(count)), policy, store=folder, executor=executor, concurrency=4):
        sys.stdout.write("one\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
