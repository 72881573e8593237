package daemon_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
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
	if got, want := w.calls.since(), []string{sandbox.ListImages, sandbox.SetAltTexts}; !slices.Equal(got, want) {
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

// TestLogOfAltTexts: the log tells once of how many images of a folder the texts were set, and says
// nothing when none was.
func TestLogOfAltTexts(t *testing.T) {
	w := newWorld(t, shortQuiet)
	var log bytes.Buffer
	w.log = slog.New(slog.NewTextHandler(&log, nil))
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
	w.write("Summer/SKU-1/1.txt", "A shoe")
	w.write("Summer/SKU-1/2.txt", "A shoe from the left")
	w.published()
	w.published()
	if n := strings.Count(log.String(), "alt texts set"); n != 1 || !strings.Contains(log.String(), `msg="alt texts set" folder=Summer/SKU-1 images=2`) {
		t.Errorf("told %d times:\n%s", n, log.String())
	}
}

// TestRefusedAltTexts: a text that the service does not take keeps no other photo from its own, and
// a person is told of which photo it is.
func TestRefusedAltTexts(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
	p := w.published()["Summer/SKU-1"]
	images := p.Images
	tooLong := fmt.Sprintf("/images/%d", images[0].ID)
	refused := func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.SetAltTexts && strings.HasSuffix(c.Request.URL.Path, tooLong) {
			return sandbox.Fault{Status: 422}
		}
		return sandbox.Fault{}
	}
	w.calls.setSpoil(refused)
	long := strings.Repeat("A shoe. ", 200)
	w.write("Summer/SKU-1/1.txt", long)
	w.write("Summer/SKU-1/2.txt", long)
	w.write("Summer/SKU-1/3.txt", "A shoe")
	w.while(func(_ *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool {
			reason := products[0].Reason
			return products[0].State == status.Attention && strings.Contains(reason, "1.jpg (1599 characters)") && !strings.Contains(reason, "2.jpg")
		})
		want := []string{"", strings.TrimSpace(long), "A shoe"}
		if diff := cmp.Diff(want, w.english(p.UUID)); diff != "" {
			t.Error(diff)
		}
		w.calls.setSpoil(nil)
		w.write("Summer/SKU-1/1.txt", "A shoe, shortly")
		until(func(products []status.ProductStatus) bool { return products[0].State == status.Published })
	})
	if got := w.published()["Summer/SKU-1"].Images[0].AltTexts["en"]; got != "A shoe, shortly" {
		t.Errorf("after the text was shortened it is %q", got)
	}
}

// english lists the English alt texts of a product's images, as the service holds them.
func (w *world) english(product string) (texts []string) {
	w.t.Helper()
	images, err := w.client().Images(w.t.Context(), product)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, image := range images {
		texts = append(texts, image.AltTexts["en"])
	}
	return texts
}

// TestFaultWithOneAltText: a service that fails with the text of one image gets those of the
// others.
func TestFaultWithOneAltText(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
	p := w.published()["Summer/SKU-1"]
	first := fmt.Sprintf("/images/%d", p.Images[0].ID)
	w.calls.setSpoil(func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.SetAltTexts && strings.HasSuffix(c.Request.URL.Path, first) {
			return sandbox.Fault{Status: 500}
		}
		return sandbox.Fault{}
	})
	w.write("Summer/SKU-1/alt.txt", "A shoe, frame {n}")
	w.while(func(_ *daemon.Daemon, until await) {
		until(func([]status.ProductStatus) bool {
			texts := w.english(p.UUID)
			return len(texts) == 3 && texts[1] != "" && texts[2] != ""
		})
	})
}
