"""Several threads, each with a connection of its own to one database: argument 1 is the journal mode."""
import sqlite3
import sys
import threading

THREADS, ROWS = 4, 25
mode = sys.argv[1]


def connect():
    return sqlite3.connect("threads.db", timeout=60, isolation_level=None)


def insert(number):
    connection = connect()
    for row in range(ROWS):
        connection.execute("begin immediate")
        (count,) = connection.execute("select count(*) from entries").fetchone()
        connection.execute("insert into entries values (?, ?, ?)", (count, number, row))
        connection.execute("commit")
    connection.close()


connection = connect()
print(connection.execute(f"pragma journal_mode={mode}").fetchone())
connection.execute("pragma synchronous=off")
connection.execute("create table entries(n integer primary key, thread integer, value integer)")
threads = [threading.Thread(target=insert, args=(n,)) for n in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(connection.execute("select count(*), sum(n), sum(value) from entries").fetchone())
print([thread for (thread,) in connection.execute("select thread from entries order by n")])
