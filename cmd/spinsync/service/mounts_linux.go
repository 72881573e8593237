package service

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"spinsync/packaging/unit"
)

// mountUnits returns systemd's names for the mounts on which places lie, by /proc/self/mountinfo
// and /etc/fstab. The root of all is always there.
func mountUnits(places []string, mountinfo, fstab string) []string {
	mounts := append(mountPoints(mountinfo, 4), mountPoints(fstab, 1)...)
	var units []string
	for _, place := range places {
		longest := "/"
		for _, mount := range mounts {
			if len(mount) > len(longest) && below(place, mount) {
				longest = mount
			}
		}
		if name := unit.MountUnit(longest); longest != "/" && !slices.Contains(units, name) {
			units = append(units, name)
		}
	}
	return units
}

// mountPoints reads one column of a table whose blanks within a path are written as octal numbers.
func mountPoints(table string, column int) []string {
	var points []string
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) <= column || strings.HasPrefix(fields[0], "#") || !strings.HasPrefix(fields[column], "/") {
			continue
		}
		if path, err := strconv.Unquote(`"` + strings.ReplaceAll(fields[column], `"`, `\"`) + `"`); err == nil {
			points = append(points, filepath.Clean(path))
		}
	}
	return points
}

func below(place, dir string) bool { return place == dir || strings.HasPrefix(place, dir+"/") }

// groupThatMayRead returns the group of a place when membership would open it.
func groupThatMayRead(place string) string {
	info, err := os.Stat(place)
	if err != nil {
		return ""
	}
	wanted := os.FileMode(0o040)
	if info.IsDir() {
		wanted = 0o050
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Gid == 0 || info.Mode()&wanted != wanted {
		return ""
	}
	group, err := user.LookupGroupId(strconv.FormatUint(uint64(stat.Gid), 10))
	if err != nil {
		return ""
	}
	return group.Name
}
