#ifndef STAGEDOOR_BASE_STANDARD_STREAMS_H_
#define STAGEDOOR_BASE_STANDARD_STREAMS_H_

namespace stagedoor {

// Call first in main. If standard input, output or error is closed, the next file or socket that is
// opened would take its number, and messages meant for a terminal would be written into it. This
// fills the gaps with descriptors on which the expected use fails with EBADF, as it would if they
// were still closed.
void ReserveStandardStreams();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_STANDARD_STREAMS_H_
