// shade_dump: prints the bound materials of all prims of a stage without a daemon, for comparisons
// with usd-core.
//
//   shade_dump ROOT
#include <iostream>
#include <string>

#include "base/thread_pool_executor.h"
#include "scene/engine/local_engine.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/stage.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

void Print(const Prim& prim, std::string_view purpose, const MaterialBinding* binding) {
  std::string out = "{\"record\":\"material\",\"path\":";
  AppendJsonString(prim.path().ToString(), &out);
  out += ",\"purpose\":";
  AppendJsonString(purpose, &out);
  if (binding != nullptr) {
    if (!binding->material.empty()) {
      out += ",\"material\":";
      AppendJsonString(binding->material.ToString(), &out);
    }
    out += ",\"binding\":";
    AppendJsonString(binding->prim.path().AppendProperty(binding->relationship).ToString(), &out);
  }
  std::cout << out << "}\n";
}

int Run(const std::string& root) {
  RequestContext context;
  ThreadPoolExecutor executor(1);
  const auto engine = LocalEngine::Create({}, executor);
  if (!engine.ok()) return 1;
  const auto stage = Stage::Open(context, (*engine)->environment(), {.root = root});
  if (!stage.ok()) {
    std::cerr << stage.status() << "\n";
    return 1;
  }
  MaterialBindings bindings(context);
  for (const Prim& prim : (*stage)->Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
    for (const char* purpose : {"", "full", "preview", "odd"}) {
      Print(prim, purpose, bindings.Find(prim, Token(purpose)));
    }
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: shade_dump ROOT\n";
    return 2;
  }
  return stagedoor::Run(argv[1]);
}
