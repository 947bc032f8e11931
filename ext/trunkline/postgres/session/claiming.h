#ifndef TRUNKLINE_CLAIMING_H
#define TRUNKLINE_CLAIMING_H

/* Defines methods of Postgres::Request; called once, after that is defined. */
void Init_trunkline_claiming(void);

#endif
