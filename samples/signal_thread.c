/* signal_thread - one thread takes the process's signals with sigwait, the others block them.
 *
 * Wrong:       nothing. SIGUSR1 is sent to the thread, then SIGTERM to the process; sigwait takes them in that order.
 * Needs memory-access switch points: no
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sigset_t handled_signals;
static pthread_t signal_thread;
static int wake_ups;

static void* take_signals(void* unused) {
  (void)unused;
  for (;;) {
    int signal_number = 0;
    int error = sigwait(&handled_signals, &signal_number);
    assert(error == 0);
    if (signal_number == SIGTERM) return NULL;
    assert(signal_number == SIGUSR1);
    wake_ups++;
  }
}

static void* send_wake_up(void* unused) {
  (void)unused;
  pthread_kill(signal_thread, SIGUSR1);
  return NULL;
}

int main(void) {
  sigemptyset(&handled_signals);
  sigaddset(&handled_signals, SIGUSR1);
  sigaddset(&handled_signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &handled_signals, NULL); /* inherited by both threads */

  pthread_t sender;
  pthread_create(&signal_thread, NULL, take_signals, NULL);
  pthread_create(&sender, NULL, send_wake_up, NULL);
  pthread_join(sender, NULL);
  kill(getpid(), SIGTERM);
  pthread_join(signal_thread, NULL);
  assert(wake_ups == 1);
  printf("wake-ups %d\n", wake_ups);
  return 0;
}
