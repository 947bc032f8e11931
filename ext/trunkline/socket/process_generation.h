/* Which process this is, counted in forks: a child finds a larger number than the one its parent's objects remember. */
#ifndef TRUNKLINE_PROCESS_GENERATION_H
#define TRUNKLINE_PROCESS_GENERATION_H

extern unsigned int process_generation;

/* Starts counting. Called once, when the extension is loaded. */
void process_generation_watch(void);

#endif
