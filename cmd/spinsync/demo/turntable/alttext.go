package turntable

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"math"
	"strings"
)

// altText is what a frame shows, in one language.
type altText struct{ locale, text string }

// altTexts are the frame's texts in English and German. They name no colour:
// those of a shoot stay true when a frame of another variant takes its place.
func (s Shoot) altTexts(i int) []altText {
	share := float64(s.index(i)) / float64(s.Frames)
	eighth := int(math.Round(share*8)) % 8
	degrees := int(math.Round(share * 360))
	spout := [8]string{
		"to the right", "to the back right", "away from us", "to the back left",
		"to the left", "to the front left", "towards us", "to the front right",
	}
	tuelle := [8]string{
		"nach rechts", "nach hinten rechts", "von uns weg", "nach hinten links",
		"nach links", "nach vorn links", "auf uns zu", "nach vorn rechts",
	}
	return []altText{
		{"en", fmt.Sprintf("Teapot with a painted landscape, turned by %d°, its spout pointing %s",
			degrees, spout[eighth])},
		{"de", fmt.Sprintf("Teekanne mit gemalter Landschaft, um %d° gedreht, die Tülle zeigt %s",
			degrees, tuelle[eighth])},
	}
}

// xmp is a packet with the IPTC property AltTextAccessibility. Its first text is
// also the default one.
func xmp(texts []altText) []byte {
	var items strings.Builder
	for _, t := range append([]altText{{"x-default", texts[0].text}}, texts...) {
		fmt.Fprintf(&items, `<rdf:li xml:lang="%s">%s</rdf:li>`, html.EscapeString(t.locale), html.EscapeString(t.text))
	}
	return fmt.Appendf(nil, `<?xpacket begin="%s" id="W5M0MpCehiHzreSzNTczkc9d"?>`+
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`+
		`<rdf:Description rdf:about="" xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/">`+
		`<Iptc4xmpCore:AltTextAccessibility><rdf:Alt>%s</rdf:Alt></Iptc4xmpCore:AltTextAccessibility>`+
		`</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`, "\ufeff", items.String())
}

// sidecars are the files with texts that are not embedded: a table for the frames without XMP, and a
// text of the first frame's own, which wins over the English one embedded there.
func (s Shoot) sidecars() (map[string][]byte, error) {
	var table bytes.Buffer
	rows := csv.NewWriter(&table)
	records := [][]string{{"file", "locale", "alt"}}
	for i := range s.Frames {
		for _, t := range s.altTexts(i) {
			if !s.embedsAltTexts(i) {
				records = append(records, []string{s.Name(i), t.locale, t.text})
			}
		}
	}
	if err := rows.WriteAll(records); err != nil {
		return nil, err
	}
	const first = "Hand-made stoneware teapot with a painted landscape, its spout pointing to the right\n"
	return map[string][]byte{"alt.csv": table.Bytes(), s.Name(0) + ".txt": []byte(first)}, nil
}
