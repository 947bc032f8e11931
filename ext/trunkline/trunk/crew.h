/* Trunkline::Crew: who is aboard a trunk, of which world they are, who leads, and who is parked. */
#ifndef TRUNKLINE_CREW_H
#define TRUNKLINE_CREW_H

void Init_trunkline_crew(void);

#endif
