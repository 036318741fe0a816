#ifndef STAGEDOOR_CLIENT_SDK_STAGE_H_
#define STAGEDOOR_CLIENT_SDK_STAGE_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/attribute.h"  // IWYU pragma: export
#include "client/sdk/change_subscription.h"
#include "client/sdk/connection.h"
#include "client/sdk/frame.h"
#include "client/sdk/prim.h"  // IWYU pragma: export
#include "client/sdk/stage_options.h"
#include "client/sdk/stage_view.h"
#include "client/sdk/watch.h"

namespace stagedoor::sdk {

// A handle to an open stage. Copies refer to the same stage, as prims and attributes do; it is
// closed with the last of them. Thread-safe, but assigning to a handle is not.
//
//   auto stage = stagedoor::sdk::Stage::Open("127.0.0.1:50051", "/show/shot.usda");
//   if (!stage.ok()) …                      // DescribeError(stage.status())
//   auto points = stage->GetPrimAtPath("/World/Char")
//                     .GetAttribute("points")
//                     .Get<std::span<const stagedoor::sdk::Vec3f>>(12);
//
// The lease of the stage is renewed in the background. If it is lost all the same, because the
// daemon was restarted for example, the next call opens the stage again with its edits, with the
// next daemon if there are several; a stage with a session name that was edited is not, because its
// edits may be lost: LEASE_EXPIRED. A pinned snapshot that another daemon does not have is
// SNAPSHOT_GONE.
//
// All methods that ask the daemon take CallOptions: a deadline, metadata, a Cancellation. Calls are
// repeated as Client repeats them.
class Stage : public StageView {
 public:
  // Opens a stage, or joins one that the daemon has open. `address` is "HOST:PORT" or "unix:PATH";
  // if it is empty, it is that of a Connection without addresses. `root_layer` is an absolute
  // path or a URI, as the daemon sees it.
  static absl::StatusOr<Stage> Open(const std::string& address, const std::string& root_layer,
                                    const StageOptions& options = {}, const CallOptions& call = {});
  static absl::StatusOr<Stage> Open(std::shared_ptr<Connection> connection,
                                    const std::string& root_layer, const StageOptions& options = {},
                                    const CallOptions& call = {});

  // Gives the lease back now. All handles to this stage become useless: FAILED_PRECONDITION. Takes
  // up to a second, and fails only if `call` is invalid: a lease that is not given back expires by
  // itself.
  absl::Status Close(const CallOptions& call = {});

  // A handle that reads this snapshot, whatever edits are made. SNAPSHOT_GONE once the daemon does
  // not hold it any more.
  Stage AtSnapshot(std::string snapshot) const;

  // Handles. Making one asks the daemon nothing, and the object need not exist.
  Prim GetPrimAtPath(std::string path) const;
  Attribute GetAttributeAtPath(std::string path) const;
  Prim GetPseudoRoot() const;
  // The prim is the pseudo-root if the stage has no default prim.
  Prim GetDefaultPrim() const;

  // The prims that a default traversal visits, in stage order, of a schema type if one is given
  // (with its derived types), at and below `root`.
  absl::StatusOr<std::vector<Prim>> FindPrims(const std::string& schema_type = "",
                                              const std::string& root = "/",
                                              const CallOptions& call = {}) const;
  // As FindPrims, at and below each of several roots, in one call: root after root.
  absl::StatusOr<std::vector<Prim>> FindPrimsBelow(std::span<const std::string> roots,
                                                   const std::string& schema_type = "",
                                                   const CallOptions& call = {}) const;

  // --------------------------------------------------------------------------------------- frames

  // Everything that a renderer draws, frame by frame. Asks the daemon nothing before the first
  // Frame::Next.
  sdk::Frame Frame(const FrameOptions& options = {}) const;

  // -------------------------------------------------------------------------------------- watching

  // Watches for changes since snapshot(): by edits of any client of the session, by Reload, and by
  // changed files with CHANGE_POLICY_FOLLOW. Returns at once; errors are those of Watch::Next.
  sdk::Watch Watch(const WatchOptions& options = {}) const;
  // Calls `callback` for the changes, on a thread of the library.
  ChangeSubscription OnChange(const WatchOptions& options,
                              ChangeSubscription::Callback callback) const;

  // ---------------------------------------------------------------------------------------- edits

  // Edits are in the session of this stage; each returns the fingerprint of the new snapshot. With
  // `expected`, SNAPSHOT_CONFLICT unless it is the newest snapshot.

  // Replaces the session layer by usda text, or removes it if the text is empty.
  absl::StatusOr<std::string> SetSessionLayer(const std::string& text,
                                              const std::string& expected = "",
                                              const CallOptions& call = {}) const;
  absl::StatusOr<std::string> Load(std::span<const std::string> paths,
                                   const std::string& expected = "",
                                   const CallOptions& call = {}) const;
  absl::StatusOr<std::string> Unload(std::span<const std::string> paths,
                                     const std::string& expected = "",
                                     const CallOptions& call = {}) const;
  absl::StatusOr<std::string> MuteLayers(std::span<const std::string> mute,
                                         std::span<const std::string> unmute = {},
                                         const std::string& expected = "",
                                         const CallOptions& call = {}) const;
  absl::StatusOr<std::string> Reload(const std::string& expected = "",
                                     const CallOptions& call = {}) const;

 private:
  using StageView::StageView;

  template <typename Request, typename Response, typename Fold>
  absl::StatusOr<std::string> Edit(absl::StatusOr<Response> (Client::*method)(const Request&,
                                                                              const CallOptions&),
                                   Request request, const std::string& expected, const Fold& fold,
                                   const CallOptions& call) const;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_STAGE_H_
