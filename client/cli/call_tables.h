#ifndef STAGEDOOR_CLIENT_CLI_CALL_TABLES_H_
#define STAGEDOOR_CLIENT_CLI_CALL_TABLES_H_

#include <string>
#include <string_view>

#include "client/cli/text_table.h"
#include "stagedoor/v1/admin.pb.h"

namespace stagedoor {

// The calls of a daemon as tables for people.
TextTable CallsInFlightTable(const v1::ListCallsResponse& response);
TextTable SlowestCallsTable(const v1::ListCallsResponse& response);

// A method without the package, which all have in common. Safe to print.
std::string ShownMethod(std::string_view method);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_CALL_TABLES_H_
