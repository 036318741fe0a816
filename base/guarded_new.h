#ifndef STAGEDOOR_BASE_GUARDED_NEW_H_
#define STAGEDOOR_BASE_GUARDED_NEW_H_

#include "absl/base/config.h"

// 1 if this library replaces operator new; 0 in builds with sanitizers, which have their own.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
#define STAGEDOOR_GUARDS_NEW 0
#else
#define STAGEDOOR_GUARDS_NEW 1
#endif

#endif  // STAGEDOOR_BASE_GUARDED_NEW_H_
