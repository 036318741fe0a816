// How programs that are linked with //base:jemalloc use their heap.

// Freed pages go back to the system within two seconds, on threads of jemalloc's own: large replies
// that follow each other take the same pages again, and calls that need memory rarely wait for it.
// Blocks of any size are kept that long.
extern "C" {
const char* malloc_conf =
    "background_thread:true,dirty_decay_ms:2000,muzzy_decay_ms:0,oversize_threshold:0";
}
