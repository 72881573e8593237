package service

import "io"

// systemLog is none: launchd writes what comes to stderr into a file, as it is.
func systemLog(io.Writer, func(string) string) putLine { return nil }
