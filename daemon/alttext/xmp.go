package alttext

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The namespaces of the RDF syntax, of IPTC Core (IPTC Photo Metadata Standard 2021.1) and of XML's
// own attributes. Prefixes are the writer's choice and mean nothing.
const (
	nsRDF  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsIPTC = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
	nsXML  = "http://www.w3.org/XML/1998/namespace"
)

const maxDepth = 100

// parseXMP reads the languages of AltTextAccessibility, named as the packet names them; a plain
// value is its x-default. After an error it returns no texts at all, because half a packet may be
// an old packet that is being overwritten.
func parseXMP(text string) ([]entry, error) {
	x := xmpReader{dec: xml.NewDecoder(strings.NewReader(text))}
	x.dec.CharsetReader = alreadyDecoded
	for {
		token, err := x.dec.Token()
		if err == io.EOF {
			return x.list, nil
		}
		if err == nil {
			err = x.token(token)
		}
		if err != nil {
			return nil, lineError{x.line(), "is no readable XMP (" + err.Error() + "); write it again"}
		}
	}
}

// alreadyDecoded accepts a packet that calls itself UTF-16, because decode has turned it into
// UTF-8.
func alreadyDecoded(label string, input io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return input, nil
	}
	return nil, fmt.Errorf("its encoding is %s, not UTF-8", label)
}

type xmpReader struct {
	dec  *xml.Decoder
	path []xml.Name
	list []entry

	lang     string          // of the rdf:li that is open
	value    strings.Builder // of the rdf:li or property that is open
	opened   int             // its line
	itemized bool            // the open property has an rdf:li
}

func (x *xmpReader) line() int {
	line, _ := x.dec.InputPos()
	return line
}

func (x *xmpReader) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		x.path = append(x.path, t.Name)
		if len(x.path) > maxDepth {
			return fmt.Errorf("it is nested more than %d deep", maxDepth)
		}
		x.start(t)
	case xml.CharData:
		if x.inProperty() || x.inItem() {
			x.value.Write(t)
		}
	case xml.EndElement:
		x.end()
		x.path = x.path[:len(x.path)-1]
	case xml.Directive:
		return fmt.Errorf("it has a document type, which XMP does not know")
	}
	return nil
}

func (x *xmpReader) start(t xml.StartElement) {
	switch {
	case x.inDescription():
		for _, a := range t.Attr {
			if isAltText(a.Name) {
				x.addPlain(a.Value, x.line())
			}
		}
	case x.inProperty():
		x.open("x-default")
		x.itemized = false
	case x.inItem():
		lang := "x-default"
		for _, a := range t.Attr {
			if a.Name == (xml.Name{Space: nsXML, Local: "lang"}) {
				lang = a.Value
			}
		}
		x.open(lang)
		x.itemized = true
	}
}

func (x *xmpReader) open(lang string) {
	x.lang, x.opened = lang, x.line()
	x.value.Reset()
}

func (x *xmpReader) end() {
	switch {
	case x.inItem():
		x.list = append(x.list, entry{x.lang, x.value.String(), x.opened})
		x.value.Reset()
	case x.inProperty() && !x.itemized:
		x.addPlain(x.value.String(), x.opened)
	}
}

// addPlain adds the value of a property that is no list of languages. Exiv2 0.27 writes "lang=de …"
// as such a value when it is not told that the type is LangAlt.
func (x *xmpReader) addPlain(value string, line int) {
	if rest, ok := strings.CutPrefix(value, "lang="); ok {
		lang, text, _ := strings.Cut(rest, " ")
		if _, err := NormalizeLocale(lang); err == nil {
			x.list = append(x.list, entry{lang, text, line})
			return
		}
	}
	x.list = append(x.list, entry{"x-default", value, line})
}

// inDescription tells whether the innermost open element is a description of the picture itself.
// Deeper ones belong to others, for instance to the pictures it was made of.
func (x *xmpReader) inDescription() bool { return x.ends("RDF", "Description") }

func (x *xmpReader) inProperty() bool {
	return x.ends("RDF", "Description", "AltTextAccessibility")
}

func (x *xmpReader) inItem() bool {
	return x.ends("RDF", "Description", "AltTextAccessibility", "*", "li")
}

// ends tells whether the open elements end like this, "*" being any.
func (x *xmpReader) ends(names ...string) bool {
	if len(x.path) < len(names) {
		return false
	}
	for i, open := range x.path[len(x.path)-len(names):] {
		want := xml.Name{Space: nsRDF, Local: names[i]}
		if names[i] == "AltTextAccessibility" {
			want.Space = nsIPTC
		}
		if open != want && names[i] != "*" {
			return false
		}
	}
	return true
}

func isAltText(name xml.Name) bool {
	return name == xml.Name{Space: nsIPTC, Local: "AltTextAccessibility"}
}
