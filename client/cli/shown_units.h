#ifndef STAGEDOOR_CLIENT_CLI_SHOWN_UNITS_H_
#define STAGEDOOR_CLIENT_CLI_SHOWN_UNITS_H_

#include <cstdint>
#include <string>

#include "google/protobuf/duration.pb.h"

namespace stagedoor {

// Numbers for people, in a few characters.

// "812 B", "3.4 kB", "1.2 GB": powers of 1000.
std::string ShownBytes(double bytes);
// "45 µs", "3.4 ms", "1.2 s", "3:07", "2:03:04", "5 d 02:03:04".
std::string ShownTime(double seconds);
// "0.3", "12.5", "1234".
std::string ShownNumber(double number);

double SecondsOf(const google::protobuf::Duration& duration);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SHOWN_UNITS_H_
