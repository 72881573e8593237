package syncstate

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// The holder of the lock names itself in a small file next to the state file, because a locked file
// cannot be read. It is a help for people: the lock alone decides.
func holderFile(path string) string { return path + ".holder" }

func rememberHolder(path string) {
	host, _ := os.Hostname()
	line := fmt.Sprintf("process %d on %s since %s\n", os.Getpid(), host, time.Now().Format(time.DateTime))
	_ = os.WriteFile(holderFile(path), []byte(line), 0o600)
}

func forgetHolder(path string) { _ = os.Remove(holderFile(path)) }

// Holder is who has the state file open: a process, its computer, and since when. It is empty when
// that is not known.
func Holder(path string) string {
	line, err := os.ReadFile(holderFile(path))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(line))
}
