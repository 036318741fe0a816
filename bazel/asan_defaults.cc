// Linked into every binary by --config=asan and fuzz (--custom_malloc), wherever it runs.
//
// What is interned may live as long as the process, and its tables keep hash bits in their
// pointers, which hides them from the leak sanitizer.
//
// NOLINTNEXTLINE: the sanitizer asks for this name
extern "C" const char* __lsan_default_suppressions() {
  return "leak:stagedoor::InternArena::\n"
         "leak:stagedoor::PathTable::Make\n";
}
