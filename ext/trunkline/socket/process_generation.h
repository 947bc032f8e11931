/* Identifies this process by the number of forks: a forked child's is larger than the one that its parent's objects have stored. */
#ifndef TRUNKLINE_PROCESS_GENERATION_H
#define TRUNKLINE_PROCESS_GENERATION_H

extern unsigned int process_generation;

/* Starts counting. Called once, when the extension is loaded. */
void process_generation_watch(void);

#endif
