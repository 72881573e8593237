package reading

import (
	"strings"
	"testing"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/watcher"
)

// A text that cannot be read is not taken for one that was withdrawn.
func TestTextsThatCannotBeReadAreNotWithdrawn(t *testing.T) {
	folder := aFolder(t, nil)
	folder.textsOf = folder.sourceOfTexts(folder.factsNow())
	for _, unread := range []bool{false, true} {
		folder.Problems = []alttext.Problem{{File: "alt.csv", Unread: unread}}
		if partly := folder.factsNow().Texts.Partly; partly != unread {
			t.Errorf("unread %t, and partly %t", unread, partly)
		}
	}
}

// TestTextsHaveTheTitleAsItIs: the products file gives a folder another title, and no file in the
// folder changes.
func TestTextsHaveTheTitleAsItIs(t *testing.T) {
	p := aFolder(t, map[string]string{"1.jpg": photo(t)})
	p.Root.Rules.Locale = "en"
	p.Snapshot.Sidecars = []watcher.File{put(t, p, "alt.csv", "file,alt\n*,{title}\n")}
	if err := p.ReadTexts(t.Context(), p.factsNow(), p.Snapshot.Frames); err != nil {
		t.Fatal(err)
	}
	if known := p.factsNow().Texts.Said; known["1.jpg"]["en"].Value != "SKU-1" {
		t.Errorf("the texts are %v", known)
	}
	table, err := config.ParseProductTable([]byte("folder,title\nSKU-1,A shoe\n"))
	if err != nil {
		t.Fatal(err)
	}
	p.Root.Products = products.New(p.Key.Root, "products.csv", 0)
	p.Root.Products.Take(&products.Content{Table: table})
	if known := p.factsNow().Texts.Said; known != nil {
		t.Errorf("with another title the texts are still %v", known)
	}
}

// The text within a photo is that of the photo as it is, and not of one of the same name that
// was read before.
func TestTextWithinAPhotoIsItsOwn(t *testing.T) {
	folder, _, _ := aFile(t)
	f := folder.Snapshot.Frames[0]
	older := f
	older.ModTime = f.ModTime.Add(-time.Second)
	ofThisPhoto := new(alttext.Packet)
	for read, want := range map[watcher.File]*alttext.Packet{f: ofThisPhoto, older: nil} {
		folder.Readings = map[string]plan.Reading{f.Name: {File: plan.FileOf(read), XMP: ofThisPhoto}}
		if packet, _ := folder.packet(t.Context(), f); packet != want {
			t.Errorf("the packet is %v, want %v", packet, want)
		}
	}
}

// A text file that changed after the watcher's snapshot is being written, however still it was then.
func TestTextThatIsWrittenMeanwhile(t *testing.T) {
	p := aFolder(t, map[string]string{"1.jpg": photo(t)})
	p.Root.Rules.Locale = "en"
	p.Snapshot.Sidecars = []watcher.File{put(t, p, "1.txt", "A shoe")}
	for _, written := range []bool{false, true} {
		if written {
			put(t, p, "1.txt", "A boot, seen f")
		}
		if err := p.ReadTexts(t.Context(), p.factsNow(), p.Snapshot.Frames); err != nil {
			t.Fatal(err)
		}
		if text := p.texts["1.jpg"]["en"].Value; (text == "A shoe") == written || strings.Contains(text, "boot") ||
			(len(p.Problems) > 0) != written || written && !p.Problems[0].BeingWritten {
			t.Errorf("written %t: %q, problems %v", written, text, p.Problems)
		}
	}
}
