package service

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMountUnits(t *testing.T) {
	const mountinfo = `22 1 252:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
30 22 0:26 / /srv rw - tmpfs tmpfs rw
41 30 8:1 / /srv/photo\040nas rw - cifs //nas/photo rw
`
	const fstab = `# <file system> <mount point>
UUID=1 / ext4 defaults 0 1
//nas/day /mnt/day/ cifs noauto,x-systemd.automount 0 0
UUID=2 none swap sw 0 0
`
	places := []string{"/srv/photo nas/shoots", "/mnt/day", "/srv/photo nasty", "/mnt/daylight", "/home/anna"}
	want := []string{`srv-photo\x20nas.mount`, "mnt-day.mount", "srv.mount"}
	if diff := cmp.Diff(want, mountUnits(places, mountinfo, fstab)); diff != "" {
		t.Errorf("mount units (-want +got):\n%s", diff)
	}
}
