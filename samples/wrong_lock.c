/* wrong_lock - two threads protect the same data with different locks.
 *
 * Wrong:       deposit takes the account's lock, pay_interest the bank's. Neither keeps the other out.
 * Shown by:    deposit has read the balance and counts the access (a lock of its own, which it releases);
 *              pay_interest changes the balance; deposit writes back what it read.
 * Preemptions: 1 (deposit, after the access is counted)
 * Fix:         both take the account's lock.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t account_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t bank_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, accesses;

static void count_access(void) {
  pthread_mutex_lock(&statistics_lock);
  accesses++;
  pthread_mutex_unlock(&statistics_lock);
}

static void add_under(pthread_mutex_t* lock, int amount) {
  pthread_mutex_lock(lock);
  int old_balance = balance;
  count_access();
  balance = old_balance + amount;
  pthread_mutex_unlock(lock);
}

static void* deposit(void* unused) {
  (void)unused;
  add_under(&account_lock, 50);
  return NULL;
}

static void* pay_interest(void* unused) {
  (void)unused;
#ifdef FIXED
  add_under(&account_lock, 5);
#else
  add_under(&bank_lock, 5);
#endif
  return NULL;
}

int main(void) {
  pthread_t customer, bank;
  pthread_create(&customer, NULL, deposit, NULL);
  pthread_create(&bank, NULL, pay_interest, NULL);
  pthread_join(customer, NULL);
  pthread_join(bank, NULL);
  pthread_mutex_destroy(&bank_lock);
  assert(balance == 155);
  printf("balance %d after %d accesses\n", balance, accesses);
  return 0;
}
