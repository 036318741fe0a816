#ifndef STAGEDOOR_SCENE_USDC_CRATE_PLACEMENT_H_
#define STAGEDOOR_SCENE_USDC_CRATE_PLACEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "scene/usdc/crate_format.h"

namespace stagedoor {

// Decides where the values of a crate are in the file while it is written.
//
// A file begins with the offset of its table of contents, which is known only once all values have
// their places. A crate that is generated while it is read is therefore laid out first (by a
// CrateRecorder without a file) and then written (by a CrateReplay). The log between them holds
// places, not bytes. Not thread-safe.
class CratePlacement {
 public:
  virtual ~CratePlacement() = default;

  // Returns the representation of a value whose bytes are `head` followed by `bulk`, at a multiple
  // of eight if `aligned`. Equal values of the same type and flags share one place.
  virtual CrateValueRep Place(CrateType type, uint64_t flags, std::string_view head,
                              std::string_view bulk, bool aligned) = 0;
};

// The places that a CrateRecorder gave, in order, for a CrateReplay.
struct CrateLog {
  std::vector<CrateValueRep> reps;
  std::vector<bool> fresh;  // whether the value was new

  size_t size() const { return reps.size(); }
  void Resize(size_t size) {
    reps.resize(size);
    fresh.resize(size);
  }
};

// Assigns the places and, if it has a file, writes the values.
class CrateRecorder final : public CratePlacement {
 public:
  // With a file, values are appended to it. Without, the first value is placed at kCrateBootSize
  // and the places are appended to `log`. Both must outlive the recorder.
  explicit CrateRecorder(std::string* file);
  explicit CrateRecorder(CrateLog* log);

  CrateValueRep Place(CrateType type, uint64_t flags, std::string_view head, std::string_view bulk,
                      bool aligned) override;

  // The offset after the last value.
  uint64_t end() const { return end_; }
  // The number of distinct values that were placed.
  uint64_t placed() const { return places_.size(); }
  // RESOURCE_EXHAUSTED once the file is too large for 48-bit offsets.
  const absl::Status& status() const { return status_; }
  size_t byte_size() const;

 private:
  // A hash of a value's type and bytes, with random keys for each recorder, so that a layer in
  // which two values have the same digest cannot be prepared.
  struct Digest {
    uint64_t a = 0, b = 0;
    friend bool operator==(const Digest&, const Digest&) = default;
  };
  struct DigestHash {
    size_t operator()(const Digest& digest) const { return digest.a; }
  };
  void DrawKeys();
  void Take(std::string_view bytes, Digest* digest) const;

  uint64_t keys_[4];
  std::string* file_ = nullptr;
  CrateLog* log_ = nullptr;
  uint64_t end_ = kCrateBootSize;
  std::unordered_map<Digest, CrateValueRep, DigestHash> places_;
  absl::Status status_;
};

// Returns the recorded places, in the order in which they were recorded, and generates the bytes of
// the values that were new.
class CrateReplay final : public CratePlacement {
 public:
  // `log` must outlive the replay.
  explicit CrateReplay(const CrateLog& log) : log_(log) {}

  CrateValueRep Place(CrateType type, uint64_t flags, std::string_view head, std::string_view bulk,
                      bool aligned) override;

  // The bytes that were placed and not taken yet: text() followed by bulk(). bulk() is a view of
  // the value placed last, if it was placed while `keeps` was set; the caller must keep that value
  // alive until the bulk is taken.
  std::string& text() { return text_; }
  std::string_view bulk() const { return bulk_; }
  void TakeBulk(size_t bytes) { bulk_.remove_prefix(bytes); }
  void set_keeps(bool keeps) { keeps_ = keeps; }
  // False if the values differ from those that were recorded because their file has changed.
  bool consistent() const { return consistent_; }
  // True if all recorded values have been placed and the values end at `end`.
  bool Ended(uint64_t end) const { return consistent_ && next_ == log_.size() && end_ == end; }

 private:
  const CrateLog& log_;
  size_t next_ = 0;
  uint64_t end_ = kCrateBootSize;
  bool keeps_ = false;
  bool consistent_ = true;
  std::string text_;
  std::string_view bulk_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_PLACEMENT_H_
