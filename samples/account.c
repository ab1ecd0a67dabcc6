/* account - a transfer takes money from one account and then gives it to another; an auditor adds them up.
 *
 * Wrong:       each account is locked while it changes, the transfer as a whole is not: in between money is missing.
 * Shown by:    the transfer has withdrawn and not yet deposited when the auditor adds up.
 * Preemptions: 1 (the transfer, between its two halves)
 * Fix:         the transfer holds both locks, taken in the auditor's order.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct account {
  pthread_mutex_t lock;
  int balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 0};

static void* transfer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&savings.lock);
  savings.balance -= 40;
#ifndef FIXED
  pthread_mutex_unlock(&savings.lock);
#endif
  pthread_mutex_lock(&current.lock);
  current.balance += 40;
  pthread_mutex_unlock(&current.lock);
#ifdef FIXED
  pthread_mutex_unlock(&savings.lock);
#endif
  return NULL;
}

static void* audit(void* unused) {
  (void)unused;
  pthread_mutex_lock(&savings.lock);
  pthread_mutex_lock(&current.lock);
  int total = savings.balance + current.balance;
  pthread_mutex_unlock(&current.lock);
  pthread_mutex_unlock(&savings.lock);
  assert(total == 100);
  return NULL;
}

int main(void) {
  pthread_t customer, auditor;
  pthread_create(&customer, NULL, transfer, NULL);
  pthread_create(&auditor, NULL, audit, NULL);
  pthread_join(customer, NULL);
  pthread_join(auditor, NULL);
  printf("savings %d, current %d\n", savings.balance, current.balance);
  return 0;
}
