#ifndef STAGEDOOR_BASE_STATUS_MACROS_H_
#define STAGEDOOR_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// SD_RETURN_IF_ERROR(DoThing()): returns the status from the enclosing function unless it is OK.
#define SD_RETURN_IF_ERROR(expression)      \
  do {                                      \
    absl::Status sd_status_ = (expression); \
    if (!sd_status_.ok()) [[unlikely]]      \
      return sd_status_;                    \
  } while (false)

// SD_ASSIGN_OR_RETURN(auto x, MakeX()): assigns the value, or returns the error from the enclosing
// function. Corresponds to the ASSIGN_OR_RETURN macros of Google's code. Declares a variable, so it
// is not a single statement.
#define SD_ASSIGN_OR_RETURN(target, expression) \
  SD_ASSIGN_OR_RETURN_IMPL_(SD_CONCAT_(sd_status_or_, __LINE__), target, expression)

#define SD_ASSIGN_OR_RETURN_IMPL_(temporary, target, expression) \
  auto temporary = (expression);                                 \
  if (!temporary.ok()) [[unlikely]]                              \
    return temporary.status();                                   \
  target = *std::move(temporary)

#define SD_CONCAT_(a, b) SD_CONCAT_INNER_(a, b)
#define SD_CONCAT_INNER_(a, b) a##b

#endif  // STAGEDOOR_BASE_STATUS_MACROS_H_
