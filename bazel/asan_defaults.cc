// Linked into every binary by --config=asan and --config=fuzz (--custom_malloc), so the options
// apply however the binary is started.
//
// Interned objects may live as long as the process. Their tables keep hash bits in the pointers,
// which the leak sanitizer therefore does not recognize.
//
// NOLINTNEXTLINE: the sanitizer requires this name
extern "C" const char* __lsan_default_suppressions() {
  return "leak:stagedoor::InternArena::\n"
         "leak:stagedoor::PathTable::\n";
}
