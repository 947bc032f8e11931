#include "process_generation.h"

#include <pthread.h>

unsigned int process_generation;

/* Runs in the child of every fork(2), Ruby's or a library's, so that comparing two integers replaces a getpid() per query. */
static void count_fork(void) { process_generation++; }

void process_generation_watch(void) { pthread_atfork(0, 0, count_fork); }
