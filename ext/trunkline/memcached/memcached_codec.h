#ifndef TRUNKLINE_MEMCACHED_CODEC_H
#define TRUNKLINE_MEMCACHED_CODEC_H

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_memcached_codec(void);

#endif
