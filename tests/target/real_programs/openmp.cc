// An OpenMP program that uses the constructs which block in libgomp (raw futexes after a bounded spin): parallel for,
// reduction, critical, ordered, barrier, single, sections, tasks, locks. Only the main thread prints; the text is the
// same in every schedule. Ends with 1 and a line on stderr where a result is wrong.
#include <omp.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int kThreads = 4;

long sum_with_reduction(int schedule_kind) {
  long sum = 0;
  omp_set_schedule(static_cast<omp_sched_t>(schedule_kind), 7);
#pragma omp parallel for num_threads(kThreads) schedule(runtime) reduction(+ : sum)
  for (int i = 1; i <= 10000; i++) sum += i;
  return sum;
}

int count_in_critical() {
  int count = 0;
#pragma omp parallel num_threads(kThreads)
  for (int i = 0; i < 100; i++) {
#pragma omp critical(counting)
    count++;
  }
  return count;
}

bool ordered_loop_is_in_order() {
  std::vector<int> seen;
#pragma omp parallel for num_threads(kThreads) ordered schedule(dynamic, 1)
  for (int i = 0; i < 50; i++) {
#pragma omp ordered
    seen.push_back(i);
  }
  for (int i = 0; i < 50; i++) {
    if (seen[static_cast<std::size_t>(i)] != i) return false;
  }
  return seen.size() == 50;
}

bool barrier_separates_phases() {
  int arrived = 0, early = 0, initialised = 0;
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single
    initialised++;
    for (int phase = 1; phase <= 10; phase++) {
#pragma omp atomic
      arrived++;
#pragma omp barrier
      int now;
#pragma omp atomic read
      now = arrived;
      if (now != phase * omp_get_num_threads()) {
#pragma omp atomic
        early++;
      }
#pragma omp barrier
    }
  }
  return early == 0 && initialised == 1;
}

int sections_run_once() {
  int first = 0, second = 0, third = 0;
#pragma omp parallel sections num_threads(kThreads)
  {
#pragma omp section
    first += 1;
#pragma omp section
    second += 10;
#pragma omp section
    third += 100;
  }
  return first + second + third;
}

long fibonacci(int n) {
  if (n < 2) return n;
  long left = 0, right = 0;
#pragma omp task shared(left) if (n > 8)
  left = fibonacci(n - 1);
#pragma omp task shared(right) if (n > 8)
  right = fibonacci(n - 2);
#pragma omp taskwait
  return left + right;
}

long fibonacci_with_tasks() {
  long result = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  result = fibonacci(15);
  return result;
}

int chain_of_dependent_tasks() {
  int value = 1;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : value) shared(value)
    value = value * 2 + 1;
  }
  return value;
}

int count_with_lock() {
  int count = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for num_threads(kThreads)
  for (int i = 0; i < 200; i++) {
    omp_set_lock(&lock);
    count++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return count;
}

bool expect(const char* what, long got, long wanted) {
  std::printf("%s %ld\n", what, got);
  if (got != wanted) std::fprintf(stderr, "%s: got %ld, wanted %ld\n", what, got, wanted);
  return got == wanted;
}

}  // namespace

int main() {
  omp_set_dynamic(0);
  bool good = expect("static reduction", sum_with_reduction(omp_sched_static), 50005000);
  good &= expect("dynamic reduction", sum_with_reduction(omp_sched_dynamic), 50005000);
  good &= expect("guided reduction", sum_with_reduction(omp_sched_guided), 50005000);
  good &= expect("critical", count_in_critical(), 400);
  good &= expect("ordered", ordered_loop_is_in_order(), 1);
  good &= expect("barrier", barrier_separates_phases(), 1);
  good &= expect("sections", sections_run_once(), 111);
  good &= expect("tasks", fibonacci_with_tasks(), 610);
  good &= expect("dependent tasks", chain_of_dependent_tasks(), 2047);
  good &= expect("lock", count_with_lock(), 200);
  return good ? 0 : 1;
}
