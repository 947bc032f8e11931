/* Methods of Request in Ruby for requests that may go to several hosts. */
#ifndef TRUNKLINE_REQUEST_ROUTE_H
#define TRUNKLINE_REQUEST_ROUTE_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_request_route(void);

#endif
