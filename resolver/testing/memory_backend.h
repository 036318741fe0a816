#ifndef STAGEDOOR_RESOLVER_TESTING_MEMORY_BACKEND_H_
#define STAGEDOOR_RESOLVER_TESTING_MEMORY_BACKEND_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {

// A memory resolver for the conformance tests, either directly or below the resolver that a
// subclass assigns to `outer_`.
class MemoryBackend : public ResolverBackend {
 public:
  explicit MemoryBackend(std::string prefix) : prefix_(std::move(prefix)) {}
  const Resolver& resolver() const override { return *outer_; }
  std::string Path(std::string_view name) const override { return Concat(prefix_, name); }
  void Write(std::string_view name, std::string_view content) override {
    EXPECT_TRUE(memory_->Put(Path(name), std::string(content)).ok());
  }
  void Remove(std::string_view name) override { memory_->Remove(Path(name)); }

 protected:
  const std::string prefix_;
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<const Resolver> outer_ = memory_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_TESTING_MEMORY_BACKEND_H_
