#ifndef STAGEDOOR_TESTS_TOOLS_IMAGING_RECORD_H_
#define STAGEDOOR_TESTS_TOOLS_IMAGING_RECORD_H_

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "tests/tools/value_json.h"

namespace stagedoor {

// The output of imaging_dump.

// One line of JSON.
class Record {
 public:
  Record(std::string_view kind, const Prim& prim) : text_("{\"record\":") {
    AppendJsonString(kind, &text_);
    Text("path", prim.path().ToString());
  }
  void Text(std::string_view name, std::string_view text) {
    Name(name);
    AppendJsonString(text, &text_);
  }
  void Put(std::string_view name, const Value& value) {
    Name(name);
    AppendValueJson(value, &text_);
  }
  void Bool(std::string_view name, bool value) { Json(name, value ? "true" : "false"); }
  // `json` is the text of a value.
  void Json(std::string_view name, std::string_view json) {
    Name(name);
    text_ += json;
  }
  void Print() { std::cout << text_ << "}\n"; }

 private:
  void Name(std::string_view name) {
    text_ += ',';
    AppendJsonString(name, &text_);
    text_ += ':';
  }

  std::string text_;
};

struct NamedTime {
  std::string name;
  TimeCode time;
};

using Times = std::vector<NamedTime>;

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_IMAGING_RECORD_H_
