#ifndef STAGEDOOR_RESOLVER_TESTING_RESOLVER_CONFORMANCE_H_
#define STAGEDOOR_RESOLVER_TESTING_RESOLVER_CONFORMANCE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "resolver/resolver.h"

namespace stagedoor {

// The backend under test of ResolverConformance: where assets can be written, and the resolver that
// reads them. One instance per test. Names are relative ("dir/a.usd").
class ResolverBackend {
 public:
  virtual ~ResolverBackend() = default;

  virtual const Resolver& resolver() const = 0;
  // The absolute path (or URI) of the asset `name` of this backend.
  virtual std::string Path(std::string_view name) const = 0;
  // Creates or replaces an asset atomically, as a well-behaved writer does.
  virtual void Write(std::string_view name, std::string_view content) = 0;
  virtual void Remove(std::string_view name) = 0;
  // Whether an open asset can be read after it was replaced. If not, reading what was not read
  // before is DATA_LOSS then.
  virtual bool KeepsOldContent() const { return true; }
  // The context to resolve in, which must not concern the assets of the tests.
  virtual ResolverContext context() const { return {}; }
};

// The tests that every backend must pass:
//   INSTANTIATE_TEST_SUITE_P(File, ResolverConformance, testing::Values(&MakeFileBackend));
class ResolverConformance
    : public testing::TestWithParam<std::function<std::unique_ptr<ResolverBackend>()>> {
 protected:
  void SetUp() override {
    backend_ = GetParam()();
    resolver_context_ = backend_->context();
  }

  const Resolver& resolver() const { return backend_->resolver(); }
  // Returns the whole content, read in steps of `step` bytes. An error fails the test.
  std::string ReadInSteps(const Asset& asset, size_t step);
  std::shared_ptr<const Asset> Open(std::string_view name);

  std::unique_ptr<ResolverBackend> backend_;
  RequestContext context_;
  ResolverContext resolver_context_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_TESTING_RESOLVER_CONFORMANCE_H_
