#ifndef STAGEDOOR_CLIENT_CLI_DIFFERENCE_H_
#define STAGEDOOR_CLIENT_CLI_DIFFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"

namespace stagedoor {

// A fact about a prim or spec, such as its type or the value of an attribute, as text.
struct DiffFact {
  // Makes a fact of text of any length; what is kept of it is short.
  DiffFact(std::string subject, std::string_view text, bool implied = false);

  std::string subject;  // "/World.x default"; names the fact
  std::string text;     // the beginning of a long text
  uint64_t hash;        // of the whole text
  // Whether a schema implies the fact. If the other side lacks it, the types differ, which is a
  // difference already.
  bool implied;
};

// A prim of a stage, or a spec of a layer.
struct DiffEntry {
  std::string path;
  std::string title;  // what is printed, besides the path, if one side lacks it: "Mesh"
  // Whether the facts are printed, too, if one side lacks it.
  bool shows_facts = false;
  std::vector<DiffFact> facts;
};

// One side of a comparison: passes all entries to `sink`, depth first, and can do so repeatedly.
using DiffSink = std::function<absl::Status(DiffEntry)>;
using DiffSource = std::function<absl::Status(const DiffSink&)>;

// Compares two sides, whose entries may be in different orders.
//
// The sides are read several times rather than kept: first the right one, of which each entry
// leaves 16 bytes in a table; then the left one, which is looked up there; then the right one
// again, to print what it has more. Facts are only kept of entries that differ, and only so many at
// a time; if they are more, both sides are read again. Not thread-safe.
class Difference {
 public:
  // Receives the lines: '-' for what only the left side has, '+' for the right side. `subject` is
  // that of the fact, or the path of an entry that one side lacks.
  using Print =
      std::function<absl::Status(char sign, const std::string& text, std::string_view subject)>;

  Difference(DiffSource left, DiffSource right, Print print,
             size_t max_held_bytes = size_t{64} << 20);

  // Prints all differences. The error of a side or of printing.
  absl::Status Run();
  // Whether anything was printed.
  bool found() const { return found_; }

 private:
  // The topmost entry that one side lacks, while its descendants pass.
  class Missing {
   public:
    // Whether an entry that the other side lacks is to be printed; not if it is below the last.
    bool Begins(const std::string& path);

   private:
    std::string path_;
  };

  absl::Status ReadRight();
  absl::Status CompareLeft();
  absl::Status HoldLeft();
  absl::Status PrintRight(bool first_round);
  void Hold(uint64_t key, DiffEntry entry);
  absl::Status PrintWhole(char sign, const DiffEntry& entry);
  absl::Status PrintFacts(const std::vector<DiffFact>& left, const std::vector<DiffFact>& right);
  absl::Status Line(char sign, const std::string& text, std::string_view subject);
  absl::Status FactLine(char sign, const DiffFact& fact);

  const DiffSource left_, right_;
  const Print print_;
  const size_t max_held_bytes_;
  bool found_ = false;
  // By hashes of paths: hashes of the facts of the right side's entries, without those that the
  // left side has alike.
  absl::flat_hash_map<uint64_t, uint64_t> right_facts_;
  absl::flat_hash_set<uint64_t> differing_;  // paths of entries that differ and are not printed yet
  absl::flat_hash_map<uint64_t, std::vector<DiffFact>> held_;  // of the left side
  size_t held_bytes_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_DIFFERENCE_H_
