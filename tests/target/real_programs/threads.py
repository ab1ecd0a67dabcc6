"""A python3 program that uses every blocking part of `threading`, and prints the same text in every schedule."""

import concurrent.futures
import queue
import threading

WORKERS = 4


def locked_counter():
    lock, total = threading.Lock(), 0

    def add():
        nonlocal total
        for _ in range(200):
            with lock:
                value = total
                total = value + 1

    run_all([add] * WORKERS)
    return total


def recursive_lock():
    lock, visits = threading.RLock(), []

    def visit(depth):
        with lock:
            visits.append(depth)
            if depth:
                visit(depth - 1)

    run_all([lambda: visit(5)] * WORKERS)
    return visits == [5, 4, 3, 2, 1, 0] * WORKERS


def ping_pong():
    condition, turn, log = threading.Condition(), 0, []

    def play(me):
        nonlocal turn
        for _ in range(25):
            with condition:
                condition.wait_for(lambda: turn == me)
                log.append("ab"[me])
                turn = 1 - me
                condition.notify_all()

    run_all([lambda: play(0), lambda: play(1)])
    return "".join(log) == "ab" * 25


def pipeline():
    numbers, squares = queue.Queue(maxsize=3), queue.Queue(maxsize=3)

    def square():
        while (number := numbers.get()) is not None:
            squares.put(number * number)
            numbers.task_done()
        squares.put(None)

    def feed():
        for number in range(100):
            numbers.put(number)
        numbers.join()
        for _ in range(WORKERS):
            numbers.put(None)

    threads = [threading.Thread(target=square) for _ in range(WORKERS)] + [threading.Thread(target=feed)]
    for thread in threads:
        thread.start()
    results, ended = [], 0
    while ended < WORKERS:
        result = squares.get(timeout=30)
        if result is None:
            ended += 1
        else:
            results.append(result)
    for thread in threads:
        thread.join()
    return sum(results), len(results)


def semaphore_limit():
    permits, guard, inside, most = threading.BoundedSemaphore(2), threading.Lock(), 0, 0

    def enter():
        nonlocal inside, most
        for _ in range(20):
            with permits:
                with guard:
                    inside += 1
                    most = max(most, inside)
                with guard:
                    inside -= 1

    run_all([enter] * WORKERS)
    return most <= 2


def events_and_barrier():
    go, barrier, rounds = threading.Event(), threading.Barrier(WORKERS), []

    def wait_and_meet():
        go.wait()
        for number in range(3):
            if barrier.wait() == 0:
                rounds.append(number)
            barrier.wait()

    timer = threading.Timer(0.01, go.set)
    timer.start()
    run_all([wait_and_meet] * WORKERS)
    timer.join()
    return rounds


def thread_pool():
    with concurrent.futures.ThreadPoolExecutor(max_workers=WORKERS) as pool:
        lengths = list(pool.map(lambda number: len(str(2**number)), range(0, 2000, 50)))
        failing = pool.submit(int, "no number")
        try:
            failing.result()
            error = "none"
        except ValueError as exception:
            error = type(exception).__name__
    return sum(lengths), error


def thread_locals():
    local, results = threading.local(), [0] * WORKERS

    def use(index):
        local.value = index
        for _ in range(50):
            local.value += 1
        results[index] = local.value

    run_all([lambda index=index: use(index) for index in range(WORKERS)])
    return results


def run_all(functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    parts = [locked_counter, recursive_lock, ping_pong, pipeline, semaphore_limit, events_and_barrier, thread_pool]
    for part in parts + [thread_locals]:
        print(part.__name__, part())
