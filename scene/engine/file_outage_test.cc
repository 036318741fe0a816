// Tests the outcome of requests when one file of a scene cannot be read: a table of errors,
// operations and uses of the file.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/request_context.h"
#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "base/testing/thread_pool_executor.h"
#include "scene/engine/local_engine.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr const char* kRoot = R"(#usda 1.0
(subLayers = [@./sub.usda@])
def "World" (prepend references = @./ref.usda@</R>)
{
    asset texture = @./texture.png@
    asset searched = @texture.png@
}
def "Clipped" (
    clips = {
        dictionary default = {
            asset[] assetPaths = [@./clip.usda@]
            string primPath = "/M"
            asset manifestAssetPath = @./manifest.usda@
            double2[] active = [(0, 0)]
        }
    }
)
{
    double x
}
)";

// The content of the scene if all of its files can be read.
struct Seen {
  absl::Status status;
  bool sub = false;
  bool reference = false;
  double clip = 0;
  size_t assets = 0;
  size_t errors = 0;

  bool complete() const { return sub && reference && clip == 7 && assets == 2 && errors == 0; }
};

class FileOutageTest : public testing::Test {
 protected:
  FileOutageTest() {
    folder_.Write("root.usda", kRoot);
    folder_.Write("sub.usda", "#usda 1.0\ndef \"Sub\" {}\n");
    folder_.Write("ref.usda", "#usda 1.0\ndef \"R\" {\ndef \"Child\" {}\n}\n");
    folder_.Write("manifest.usda", "#usda 1.0\ndef \"M\" {\ndouble x\n}\n");
    folder_.Write("clip.usda", "#usda 1.0\ndef \"M\" {\ndouble x.timeSamples = {0: 7}\n}\n");
    folder_.Write("texture.png", "x");
  }

  // Files that are never read must not fail, so each reading starts anew.
  std::unique_ptr<LocalEngine> NewEngine() {
    auto engine = LocalEngine::Create({.allowed_roots = {folder_.path()}}, executor_);
    EXPECT_TRUE(engine.ok()) << engine.status();
    return *std::move(engine);
  }

  // Reads everything in one request.
  Seen Read(LocalEngine& engine) {
    RequestContext context;
    Seen seen;
    const auto stage = Stage::Open(context, engine.environment(), {.root = folder_ / "root.usda"});
    if (!stage.ok()) return {.status = stage.status()};
    seen.sub = (*stage)->FindPrim("/Sub").valid();
    seen.reference = (*stage)->FindPrim("/World/Child").valid();
    const Property clipped = (*stage)->FindProperty(*Path::Parse("/Clipped.x"));
    if (clipped.valid()) {
      const Value value = Attribute(clipped).Get(context, TimeCode::At(0));
      if (const double* x = value.Get<double>()) seen.clip = *x;
    }
    for (const char* name : {"/World.texture", "/World.searched"}) {
      const Property asset = (*stage)->FindProperty(*Path::Parse(name));
      if (!asset.valid()) continue;
      const Value value = Attribute(asset).Get(context, TimeCode::Default());
      const AssetPath* path = value.Get<AssetPath>();
      seen.assets += path != nullptr && !path->resolved.empty();
    }
    (*stage)->VisitErrors([&](const CompositionError&) {
      ++seen.errors;
      return true;
    });
    seen.status = context.Check();
    return seen;
  }

  const TempDir folder_;
  ThreadPoolExecutor executor_{2};
};

struct Use {
  const char* what;
  const char* file;
  int opens = 3;  // calls of open: the first looks the file up, further ones may find out its
                  // version, and the last one opens it
};
constexpr Use kUses[] = {{"root", "root.usda"},         {"sublayer", "sub.usda"},
                         {"reference", "ref.usda"},     {"clip", "clip.usda", 2},
                         {"manifest", "manifest.usda"}, {"asset", "texture.png", 1}};

struct Operation {
  const char* call;
  int successes;  // before the one that fails
  bool opening;   // whether only files that are opened are concerned
};
constexpr Operation kOperations[] = {{"open", 0, false},  {"open", 1, true},  {"open", 2, true},
                                     {"fstat", 0, false}, {"fstat", 1, true}, {"fstat", 2, true},
                                     {"fstat", 3, true},  {"pread", 0, true}};

constexpr int kOutages[] = {EIO,      ESTALE,    EMFILE,    ENFILE,
                            ENOTCONN, ETIMEDOUT, EHOSTDOWN, EKEYEXPIRED};

TEST_F(FileOutageTest, ARequestFailsWithTheErrorOfAFileAndTheNextOneIsComplete) {
  const Seen whole = Read(*NewEngine());
  ASSERT_TRUE(whole.status.ok()) << whole.status;
  ASSERT_TRUE(whole.complete());
  for (const Use& use : kUses) {
    for (const Operation& operation : kOperations) {
      const bool is_open = std::string_view(operation.call) == "open";
      if (operation.opening && use.opens == 1) continue;
      if (is_open && operation.successes >= use.opens) continue;
      for (const int error : kOutages) {
        SCOPED_TRACE(Concat(use.what, ", ", operation.call, " ", operation.successes, ", ",
                            strerrorname_np(error)));
        const auto engine = NewEngine();
        {
          const SystemCallHook fault(operation.call, folder_ / use.file,
                                     Fail(error, 1 << 30, operation.successes));
          const Seen seen = Read(*engine);
          EXPECT_EQ(seen.status.code(), absl::StatusCode::kUnavailable) << seen.status;
          EXPECT_NE(Message(seen.status).find(strerrorname_np(error)), std::string_view::npos)
              << seen.status;
          EXPECT_NE(Message(seen.status).find(use.file), std::string_view::npos) << seen.status;
        }
        const Seen after = Read(*engine);
        EXPECT_TRUE(after.status.ok()) << after.status;
        EXPECT_TRUE(after.complete()) << "nothing of the failure was kept";
      }
    }
  }
}

// These say something about the file, so that the scene is composed without it.
TEST_F(FileOutageTest, AMissingOrForbiddenFileIsNotAnOutage) {
  for (const Use& use : kUses) {
    for (const int error : {ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EACCES}) {
      SCOPED_TRACE(Concat(use.what, ", ", strerrorname_np(error)));
      const SystemCallHook fault("open", folder_ / use.file, Fail(error));
      const Seen seen = Read(*NewEngine());
      EXPECT_NE(seen.status.code(), absl::StatusCode::kUnavailable) << seen.status;
      EXPECT_EQ(seen.status.ok(), std::string_view(use.what) != "root") << seen.status;
      // Without a manifest, the clips themselves say what they have.
      EXPECT_TRUE(!seen.complete() || std::string_view(use.what) == "manifest");
    }
  }
}

}  // namespace
}  // namespace stagedoor
