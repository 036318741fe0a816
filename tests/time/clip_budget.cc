// clip_budget ROOT MEBIBYTES [FILES] [PREFIX]: reads every attribute below PREFIX (default: all)
// whose values come from value clips, at every integer time code of the stage, within a clip
// budget. Prints the maximum bytes and layers of the cache, its opens and evictions, the growth of
// resident memory, and a checksum of the values, which must not depend on the budget.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/executor.h"
#include "scene/engine/local_engine.h"
#include "scene/stage/stage.h"
#include "scene/values/value.h"

namespace stagedoor {
namespace {

// Resident memory in KiB.
long ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long value = 0;
    if (word == "VmRSS:" && status >> value) return value;
  }
  return 0;
}

// The size of an element of this type in bytes; 0 for types that are not plain data, such as
// strings.
size_t PlainElementSize(ValueType type) {
  switch (type) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return std::is_trivially_copyable_v<cpp> && !std::is_same_v<cpp, Token> ? sizeof(cpp) : 0;
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return 0;
  }
}

// Updates a checksum with one byte per cache line of an array.
uint64_t Mix(uint64_t sum, const void* bytes, size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < size; i += 64) sum = (sum ^ at[i]) * 0x100000001b3ULL;
  return sum;
}

struct Most {
  uint64_t bytes = 0;
  uint64_t layers = 0;
  long resident_kib = 0;
};

void Watch(ClipCache& cache, Most* most) {
  const ClipCacheStats stats = cache.Stats();
  most->bytes = std::max(most->bytes, stats.bytes);
  most->layers = std::max(most->layers, stats.layers);
  most->resident_kib = std::max(most->resident_kib, ResidentKib());
}

std::vector<Attribute> ClipAttributes(RequestContext& context, const Stage& stage,
                                      const std::string& prefix) {
  std::vector<Attribute> attributes;
  for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::All())) {
    if (!prim.path().ToString().starts_with(prefix)) continue;
    for (const Token name : prim.AuthoredPropertyNames()) {
      const Property property = prim.GetProperty(name);
      if (!property.is_attribute()) continue;
      const Attribute attribute(property);
      if (attribute.Compile(context).kind() == ResolveInfoSource::kValueClips) {
        attributes.push_back(attribute);
      }
    }
  }
  return attributes;
}

int Run(const std::string& root, uint64_t budget, size_t files, const std::string& prefix) {
  InlineExecutor executor;
  LocalEngineOptions options;
  options.clips.max_bytes = budget;
  options.clips.max_layers = files;
  const auto engine = LocalEngine::Create(options, executor);
  if (!engine.ok()) return 1;
  RequestContext context;
  const auto stage = Stage::Open(context, (*engine)->environment(), StageOptions{.root = root});
  if (!stage.ok()) return 1;
  const std::vector<Attribute> attributes = ClipAttributes(context, **stage, prefix);
  const long before = ResidentKib();
  Most most;
  uint64_t sum = 0, values = 0;
  for (double t = (*stage)->start_time_code(); t <= (*stage)->end_time_code(); ++t) {
    for (const Attribute& attribute : attributes) {
      const Value value = attribute.Get(context, TimeCode::At(t));
      values += !value.empty();
      if (const ArrayBase* array = value.array()) {
        sum = Mix(sum, array->raw_data(), array->size() * PlainElementSize(value.type()));
      }
    }
    Watch((*engine)->clips().cache(), &most);
  }
  const ClipCacheStats stats = (*engine)->clips().cache().Stats();
  std::printf(
      "attributes %zu, values %llu, checksum %016llx\n"
      "cache: at most %.1f MiB and %llu layers; %llu opens, %llu evictions, %llu hits\n"
      "resident: %.1f MiB more at most\n",
      attributes.size(), static_cast<unsigned long long>(values),
      static_cast<unsigned long long>(sum), static_cast<double>(most.bytes) / (1 << 20),
      static_cast<unsigned long long>(most.layers), static_cast<unsigned long long>(stats.opens),
      static_cast<unsigned long long>(stats.evictions), static_cast<unsigned long long>(stats.hits),
      static_cast<double>(most.resident_kib - before) / 1024);
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: clip_budget ROOT MEBIBYTES [FILES] [PREFIX]\n", stderr);
    return 2;
  }
  const uint64_t mebibytes = std::strtoull(argv[2], nullptr, 10);
  const size_t files = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 16384;
  return stagedoor::Run(argv[1], mebibytes << 20, files, argc > 4 ? argv[4] : "/");
}
