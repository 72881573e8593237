package daemon_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAltTexts(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.write("Summer/SKU-1/1.txt", "Ours")
	w.published()
	w.calls.since()

	w.write("Summer/SKU-1/1.de.txt", "Unserer")
	p := w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "Ours", "de": "Unserer"}, p.Images[0].AltTexts); diff != "" {
		t.Error(diff)
	}
	if got, want := w.calls.since(), []string{"4.12", "4.13"}; !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
	w.describe(p.Images[0].ID, map[string]string{"en": "Ours", "de": "Unserer", "fr": "Le leur"})
	w.describe(p.Images[1].ID, map[string]string{"en": "Theirs"})
	w.write("Summer/SKU-1/2.txt", "Not wanted")
	remove(t, w.path("Summer/SKU-1/1.de.txt"))
	p = w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "Ours", "fr": "Le leur"}, p.Images[0].AltTexts); diff != "" {
		t.Errorf("ours and theirs beside each other: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{"en": "Theirs"}, p.Images[1].AltTexts); diff != "" {
		t.Errorf("theirs against ours: %s", diff)
	}

	w.shoot("b", "Summer/SKU-1/2.jpg")
	p = w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "Ours", "fr": "Le leur"}, p.Images[0].AltTexts); diff != "" {
		t.Errorf("after a reupload: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{"en": "Theirs"}, p.Images[1].AltTexts); diff != "" {
		t.Errorf("after a reupload: %s", diff)
	}
}

func TestAltTextsOfOthersOutliveTheStateFile(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	p := w.published()["Summer/SKU-1"]
	theirs := map[string]string{"fr": "Le leur"}
	w.describe(p.Images[1].ID, theirs)
	remove(t, w.state)
	w.shoot("b", "Summer/SKU-1/1.jpg")
	p = w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(theirs, p.Images[1].AltTexts); diff != "" {
		t.Error(diff)
	}
}
