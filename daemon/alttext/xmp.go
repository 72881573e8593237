package alttext

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Packet is what is kept of the XMP packet inside a frame: its few alt texts. The packet itself
// may have a megabyte.
type Packet struct {
	texts []entry
	err   error
}

// maxPacket bounds the memory that the texts of one packet take.
const maxPacket = 32 << 10

// ParsePacket reads the XMP packet inside a frame. It returns nil for a packet without alt texts.
func ParsePacket(data []byte) *Packet {
	text, err := decode(data)
	p := &Packet{err: err}
	if err == nil {
		p.texts, p.err = parseXMP(text)
	}
	size := 0
	for i, s := range p.texts {
		size += len(s.locale) + len(s.value) + textCost
		p.texts[i].line = 0 // which means nothing to a person
	}
	if size > maxPacket {
		p.texts, p.err = nil, fmt.Errorf("it has more than %d KiB of alt texts", maxPacket>>10)
	}
	if p.texts == nil && p.err == nil {
		return nil
	}
	return p
}

// An xmpDescription is what a packet has about the picture itself. Deeper ones belong to others, for
// instance to the pictures it was made of. The names are those of RDF, of IPTC Core (IPTC Photo
// Metadata Standard 2021.1) and of XML's own attributes. Prefixes are the writer's choice and mean
// nothing.
type xmpDescription struct {
	Plain      string               `xml:"http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/ AltTextAccessibility,attr"`
	Properties []lined[xmpProperty] `xml:"http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/ AltTextAccessibility"`
}

type xmpProperty struct {
	Plain string `xml:",chardata"`
	Lists []struct {
		Items []lined[xmpItem] `xml:"http://www.w3.org/1999/02/22-rdf-syntax-ns# li"`
	} `xml:",any"`
}

type xmpItem struct {
	Lang string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	Text string `xml:",chardata"`
}

// lined is an element and the line of its beginning.
type lined[T any] struct {
	value T
	line  int
}

// UnmarshalXML implements xml.Unmarshaler.
func (l *lined[T]) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	l.line, _ = d.InputPos()
	return d.DecodeElement(&l.value, &start)
}

// parseXMP reads the languages of AltTextAccessibility, named as the packet names them; a plain
// value is its x-default. After an error it returns no texts at all, because half a packet may be
// an old packet that is being overwritten.
func parseXMP(text string) (list []entry, err error) {
	d := xml.NewDecoder(strings.NewReader(strings.TrimRight(text, "\x00"))) // some programs pad a packet with zeros
	d.CharsetReader = alreadyDecoded
	for err == nil {
		var token xml.Token
		token, err = d.Token()
		switch t := token.(type) {
		case xml.StartElement:
			var rdf struct {
				Descriptions []lined[xmpDescription] `xml:"http://www.w3.org/1999/02/22-rdf-syntax-ns# Description"`
			}
			if t.Name == (xml.Name{Space: "http://www.w3.org/1999/02/22-rdf-syntax-ns#", Local: "RDF"}) {
				err = d.DecodeElement(&rdf, &t)
			}
			for _, d := range rdf.Descriptions {
				list = append(list, d.value.texts(d.line)...)
			}
		case xml.Directive:
			err = errors.New("it has a document type, which XMP does not know")
		}
	}
	if err != io.EOF {
		line, _ := d.InputPos()
		return nil, lineError{line, fmt.Sprintf("is no readable XMP (%.200s); write it again", err)}
	}
	return list, nil
}

// alreadyDecoded accepts a packet that calls itself UTF-16, because decode has turned it into
// UTF-8.
func alreadyDecoded(label string, input io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return input, nil
	}
	return nil, fmt.Errorf("its encoding is %s, not UTF-8", label)
}

// texts are those of a description that begins in this line.
func (d xmpDescription) texts(line int) []entry {
	list := plainText(d.Plain, line)
	for _, p := range d.Properties {
		if len(p.value.Lists) == 0 {
			list = append(list, plainText(p.value.Plain, p.line)...)
		}
		for _, l := range p.value.Lists {
			for _, item := range l.Items {
				list = append(list, entry{cmp.Or(item.value.Lang, "x-default"), item.value.Text, item.line})
			}
		}
	}
	return list
}

// plainText is the value of a property that is no list of languages. Exiv2 0.27 writes "lang=de …"
// as a value of this kind when it does not know that the type is LangAlt.
func plainText(value string, line int) []entry {
	if rest, ok := strings.CutPrefix(value, "lang="); ok {
		lang, text, _ := strings.Cut(rest, " ")
		if _, err := NormalizeLocale(lang); err == nil {
			return []entry{{lang, text, line}}
		}
	}
	if value == "" {
		return nil
	}
	return []entry{{"x-default", value, line}}
}
