// Heap options of programs that link //base:jemalloc.

// Freed pages are returned to the system within two seconds, by jemalloc's background threads. So
// consecutive large replies reuse the same pages, and calls that need memory rarely wait for the
// system. Blocks of all sizes are kept that long.
extern "C" {
const char* malloc_conf =
    "background_thread:true,dirty_decay_ms:2000,muzzy_decay_ms:0,oversize_threshold:0";
}
