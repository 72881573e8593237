package simulation

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"spinsync/apiclient/sandbox"
)

const guestWrites = "a guest writes links, texts and packets to a folder"

const (
	guestTemplate = "alt.txt"
	packetText    = "from the guest's packet"
	mostText      = 2000 // characters, see docs/alt-texts.md
)

func isGuests(name string) bool { return strings.HasPrefix(name, guestFile) || name == guestTemplate }

// haveGuestWrite has somebody who may write to one folder put links there, to a photo that is not for
// publication, a text for all photos that becomes far too long, and a photo whose packet has too many texts.
// None of them holds the folder up.
func (w *world) haveGuestWrite() {
	r := random(w.seed, guestWrites)
	f := pick(r, w.studio.folders...)
	if f.root.away || !f.present || w.luck.guest {
		return
	}
	w.luck.guest = true
	w.trace.add("%s: a guest writes links, texts and a packet there", f.name)
	secret := w.studio.photoOf(1200)
	w.luck.secret = sumOf(secret.data)
	private := filepath.Join(w.dir, "private")
	w.studio.must(os.MkdirAll(private, 0o755))
	w.studio.must(os.WriteFile(filepath.Join(private, "secret.jpg"), secret.data, 0o644))
	w.studio.must(os.Symlink(filepath.Join(private, "secret.jpg"), f.path(guestFile+"link.jpg")))
	w.studio.must(os.Symlink(private, f.path(guestFile+"directory")))
	text, template := f.path(guestTemplate), strings.Repeat("{sku}", 10_000)
	if chance(r, 0.7) && f.files["product.toml"] == nil {
		template = strings.Repeat("{title}", mostText/len("{title}"))
		title := &content{data: []byte("title = \"Teapot of " + f.name + "\"\n")}
		w.studio.put(f, "product.toml", title)
		w.unsay(title)
	}
	w.studio.must(os.WriteFile(text, []byte(template), 0o644))
	w.studio.must(os.Chtimes(text, time.Now(), time.Now()))
	w.studio.changed(f)
	if name := f.frameName(0); f.files[name] != nil {
		w.writePacket(f, name)
	}
	w.carryOn(between(r, 10*time.Second, 10*time.Minute), w.dismissGuest)
}

// writePacket puts a photo with a packet in the place of another one, and some time later another one
// without.
func (w *world) writePacket(f *folder, name string) {
	var texts strings.Builder
	for i := range 60 {
		fmt.Fprintf(&texts, `<rdf:li xml:lang="en-x-a%d">%s %s</rdf:li>`, i, packetText, strings.Repeat("a", 800))
	}
	packet := "http://ns.adobe.com/xap/1.0/\x00" + `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description xmlns:c="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"><c:AltTextAccessibility><rdf:Alt>` + texts.String() +
		`</rdf:Alt></c:AltTextAccessibility></rdf:Description></rdf:RDF></x:xmpmeta>`
	photo := w.studio.photoOf(900)
	head := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(packet)+2))
	photo.data = slices.Concat(photo.data[:2], head, []byte(packet), photo.data[2:])
	w.studio.put(f, name, photo)
	w.takeOutPacket(photo)
}

// takeOutPacket puts another photo in the place of one with a packet, wherever that is by then.
func (w *world) takeOutPacket(photo *content) {
	w.carryOn(3*time.Minute, func() {
		if w.studio.lends() {
			w.takeOutPacket(photo)
			return
		}
		for _, f := range w.studio.folders {
			for _, name := range slices.Sorted(maps.Keys(f.files)) {
				switch off := f.files[name].off; {
				case off != nil && off.sum == photo.sum:
					w.takeOutPacket(photo) // it comes back with the packet
				case f.files[name].sum != photo.sum: // it may have been copied over itself
				case f.root.away:
					w.takeOutPacket(photo)
				default:
					w.studio.put(f, name, w.studio.photoOf(900))
					w.trace.add("%s: %s has no packet any more", f.name, name)
				}
			}
		}
	})
}

// judgeGuest: no link is followed, no text is set that is too long, and none of a packet with too many.
func (w *world) judgeGuest() {
	for _, e := range w.journal {
		if e.Effect == sandbox.FileStored && w.luck.secret != "" && e.File.SHA256 == w.luck.secret {
			w.breaks("%s is a photo to which a guest's link leads", e.Key)
		}
		for locale, text := range e.AltTexts {
			if e.Effect == sandbox.AltTextsSet && (utf8.RuneCountInString(text) > mostText || strings.HasPrefix(text, packetText)) {
				w.breaks("an image got a text of %d characters in %s: %.40s", utf8.RuneCountInString(text), locale, text)
			}
		}
	}
}
