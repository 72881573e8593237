package nofollow

import "golang.org/x/sys/unix"

// isAway reports whether iCloud Drive, or another file provider, has the content of a file.
func isAway(s *unix.Stat_t) bool { return s.Flags&unix.SF_DATALESS != 0 }
