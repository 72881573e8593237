package volume

import "testing"

// The root of a volume has the same file id on every volume. There, only a volume with an id of its
// own is known for sure.
func TestRootOfAVolume(t *testing.T) {
	const root = "/"
	v, err := Survey(root)
	if err != nil {
		t.Fatal(err)
	}
	if !topmost(root, v.mount) {
		t.Errorf("no volume stands at %s", root)
	}
	if want := v.Lasting && v.ID != ""; v.Sure != want {
		t.Errorf("%+v", v)
	}
}

// A volume that was not surveyed is taken to stand anywhere.
func TestUnknownVolumeStandsAnywhere(t *testing.T) {
	if !(Volume{}).StandsAt(t.TempDir()) {
		t.Error("it does not stand at a directory")
	}
}
