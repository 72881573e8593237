package service

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Readers tells which groups may read a file beyond its owner and the accounts that run the
// machine, and the command that ends it. It is empty for none. An account that was let in by name
// is no news.
func Readers(path string) (who, remedy string, err error) {
	descriptor, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return "", "", err
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		return "", "", err
	}
	owner, _, err := descriptor.Owner()
	if err != nil {
		return "", "", err
	}
	remedy = fmt.Sprintf(`icacls "%s" /inheritance:r /grant:r *S-1-5-18:F *S-1-5-32-544:F`, path)
	if !runsMachine(owner) {
		remedy += fmt.Sprintf(" *%s:F", owner)
	}
	if list == nil {
		return "everybody", remedy, nil
	}
	groups, err := readingGroups(list)
	return strings.Join(groups, ", "), remedy, err
}

// readingGroups names the groups of a list that may read.
func readingGroups(list *windows.ACL) (groups []string, err error) {
	const reads = windows.FILE_READ_DATA | windows.GENERIC_READ | windows.GENERIC_ALL
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return nil, err
		}
		sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		inert := entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || inert || entry.Mask&reads == 0 ||
			runsMachine(sid) {
			continue
		}
		if name, isGroup := groupName(sid); isGroup && !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	return groups, nil
}

// runsMachine reports whether an account is the system, its administrators or a service account, or
// stands for the owner. Such an account reads passwords anyway, or was chosen to.
func runsMachine(sid *windows.SID) bool {
	known := []string{"S-1-5-18", "S-1-5-19", "S-1-5-20", "S-1-5-32-544", "S-1-3-0", "S-1-3-4"}
	return slices.Contains(known, sid.String()) || strings.HasPrefix(sid.String(), "S-1-5-80-")
}

// groupName is the name of a group, or of an account that the system no longer knows.
func groupName(sid *windows.SID) (name string, isGroup bool) {
	name, _, kind, err := sid.LookupAccount("")
	if err != nil {
		return sid.String(), true
	}
	return name, kind != windows.SidTypeUser
}
