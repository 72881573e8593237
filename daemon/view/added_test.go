package view

import (
	"testing"

	"spinsync/apiclient"
)

// Pictures that others added to a view are left out of its list, if what is left is what is expected.
func TestPicturesThatOthersAdded(t *testing.T) {
	rotation, gallery := apiclient.Image{ImageGroup: "rotation"}, apiclient.Image{ImageGroup: "gallery"}
	for name, test := range map[string]struct {
		images         []apiclient.Image
		expected, want int
	}{
		"nothing was added":        {[]apiclient.Image{rotation, rotation}, 2, 2},
		"one was added":            {[]apiclient.Image{rotation, gallery, rotation}, 2, 2},
		"our photos have groups":   {[]apiclient.Image{rotation, gallery}, 2, 2},
		"another number of photos": {[]apiclient.Image{rotation, gallery}, 3, 2},
		"too many photos":          {[]apiclient.Image{rotation, rotation, rotation, gallery}, 2, 4},
		"nothing else is there":    {[]apiclient.Image{gallery}, 0, 0},
	} {
		if got := OfFolder(test.images, test.expected); len(got) != test.want {
			t.Errorf("%s: %d images, want %d", name, len(got), test.want)
		}
	}
}
