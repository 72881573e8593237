package alttext

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A text is bounded as it comes out: few bytes of a template make many once its fields are filled
// in. A text that is too long is not known, so that the one on the service is not withdrawn.
func TestTextsAreBounded(t *testing.T) {
	title := strings.Repeat("ä", 100)
	tests := map[string]struct {
		file, text, want, problem string
	}{
		"a text":          {"1.txt", strings.Repeat("ä", maxText), strings.Repeat("ä", maxText), "1.txt: the text has 2000 characters; shorten it to 250"},
		"a long text":     {"1.txt", strings.Repeat("ä", maxText+1), "", "1.txt: the text has 2001 characters, and is left out; shorten it to 250"},
		"a template":      {"alt.txt", strings.Repeat("{title}", 20), strings.Repeat(title, 20), ""},
		"a long template": {"alt.txt", strings.Repeat("{title}", 20) + "{n}", "", "alt.txt: the text has 2001 characters once its fields are filled in, and is left out; shorten it to 250"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := folder(t, map[string]string{test.file: test.text}, "1.jpg")
			f.Title = title
			texts, problems := Read(f)
			if got := texts["1.jpg"]["en"].Value; got != test.want {
				t.Errorf("%d bytes of text, want %d", len(got), len(test.want))
			}
			if reported := strings.Trim(fmt.Sprint(problems), "[]"); (reported == "") != (test.problem == "") || !strings.HasPrefix(reported, test.problem) {
				t.Errorf("reported %q, want %q", reported, test.problem)
			}
			for _, p := range problems {
				if p.Unread != (test.want == "") {
					t.Errorf("unread is %t: %s", p.Unread, p)
				}
			}
		})
	}
}

// The texts of a folder are bounded together, whether many photos share a text or a template. A
// folder with too many keeps those on the service.
func TestAllTextsOfAFolderAreBounded(t *testing.T) {
	var frames []string
	for i := range 100 {
		frames = append(frames, fmt.Sprintf("a.%d", i))
	}
	for _, file := range []string{"*", "a"} {
		table := "file,locale,alt\n"
		for i := range 400 {
			table += fmt.Sprintf("%s,en-x-%d,%s\n", file, i, strings.Repeat("a", advisedLength))
		}
		texts, problems := Read(folder(t, map[string]string{"alt.csv": table}, frames...))
		if len(texts) != 0 || len(problems) != 1 || !problems[0].Unread ||
			!strings.HasPrefix(problems[0].String(), "alt.csv: all alt texts of the folder are left out, because they have more than 8 MiB") {
			t.Errorf("%s: texts of %d frames, problems %v", file, len(texts), problems)
		}
	}
}

// Of the packets inside the frames only the alt texts stay in memory: packets of a
// megabyte take little of it, whatever fills them.
func TestPacketsTakeLittleMemory(t *testing.T) {
	stuffing := strings.Repeat("a", 1<<20)
	for name, packet := range map[string]string{
		"documents that it was made of": strings.Replace(packet("en", "Shoe"), "<i:", "<i:Ingredients>"+stuffing+"</i:Ingredients><i:", 1),
		"one text":                      packet("en", stuffing),
		"many texts":                    packet(slices.Repeat([]string{"en", "Shoe"}, 1000)...),
		"a mistake":                     packetHead + "<" + stuffing + "></a>",
	} {
		kept := make([]*Packet, 10)
		before := heap()
		for i := range kept {
			kept[i] = ParsePacket([]byte(packet))
		}
		if took := heap() - before; took > 2<<20 {
			t.Errorf("%s: %d MiB are kept", name, took>>20)
		}
		if p := kept[0]; p == nil || (p.err == nil) != (name == "documents that it was made of") {
			t.Errorf("%s: %+v", name, p)
		}
		runtime.KeepAlive(kept)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
