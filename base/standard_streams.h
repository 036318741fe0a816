#ifndef STAGEDOOR_BASE_STANDARD_STREAMS_H_
#define STAGEDOOR_BASE_STANDARD_STREAMS_H_

namespace stagedoor {

// Must be called first in main. If standard input, output or error is closed, the next file or
// socket to be opened would get its number, and messages meant for a terminal would be written into
// it. This fills the gaps with descriptors on which the expected operation fails with EBADF, as if
// they were still closed.
void ReserveStandardStreams();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_STANDARD_STREAMS_H_
