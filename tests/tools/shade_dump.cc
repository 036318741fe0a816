// shade_dump: prints the bound materials of all prims of a stage, or their shader networks, without
// a daemon, for comparisons with usd-core.
//
//   shade_dump ROOT [networks]
#include <iostream>
#include <string>
#include <string_view>

#include "base/testing/thread_pool_executor.h"
#include "scene/engine/local_engine.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/stage.h"
#include "tests/tools/shade_dump_lights.h"
#include "tests/tools/shade_dump_networks.h"
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

int Run(const std::string& root, std::string_view what) {
  RequestContext context;
  ThreadPoolExecutor executor(1);
  const auto engine = LocalEngine::Create({}, executor);
  if (!engine.ok()) return 1;
  const auto stage = Stage::Open(context, (*engine)->environment(), {.root = root});
  if (!stage.ok()) {
    std::cerr << stage.status() << "\n";
    return 1;
  }
  if (what == "lights") {
    PrintLights(context, **stage);
    return 0;
  }
  MaterialBindings bindings(context);
  for (const Prim& prim : (*stage)->Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
    if (what == "networks") {
      PrintNetworks(context, prim);
      continue;
    }
    for (const char* purpose : {"", "full", "preview", "physics", "odd"}) {
      Print(prim, purpose, bindings.Find(prim, purpose));
    }
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[2] : "";
  if (argc != 2 && what != "networks" && what != "lights") {
    std::cerr << "usage: shade_dump ROOT [networks|lights]\n";
    return 2;
  }
  return stagedoor::Run(argv[1], what);
}
