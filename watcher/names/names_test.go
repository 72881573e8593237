package names

import (
	"path"
	"strings"
	"testing"
)

var imageNames = []string{"*.jpg", "*.jpeg", "*.png", "*.webp", "*.tif", "*.tiff", "*.mp4", "*.mov"}

func mustRules(t testing.TB, ignore ...string) *Rules {
	t.Helper()
	r, err := New(imageNames, ignore, "Done.txt")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every kind of name in the built-in list is recognised, whatever its letter case.
func TestClassify(t *testing.T) {
	r := mustRules(t)
	for want, names := range map[Kind][]string{
		Frame: {"a.jpg", "A.JPG", "frame 01.Tiff", "ä.mov", "backup~1.jpg", "a.tmp.jpg", "\xff\xfe.jpg", "a\nb.png"},
		Busy: {
			"a.jpg.part", "a.jpg.FILEPART", "a.jpg.crdownload", "a.download", "a.partial", "a.tmp", "ps1234.TMP", "a.temp", "~ps1.tmp",
			"a~8ea2.ffs_tmp", "a.jpg.!sync", "a.jpg.aria2", "a.jpg.opdownload",
			"~$a.docx", "a.jpg~", ".~lock.a.csv#", ".a.jpg.swp", ".syncthing.a.jpg.tmp", "~syncthing~a.jpg.tmp", ".a.jpg.Xy12Zz",
			".A B.TIFF.000000", ".hidden.jpg", ".a.jpg.icloud", ".product.toml.icloud", ".done.txt.icloud", ".in.a.jpg", ".a.jpg.12345", "a.jpg.sb-1a2b3c4d-AbCdEf", "(A Document Being Saved By Preview)", "~a.txt",
		},
		Sidecar: {"product.toml", "Product.TOML", "a.xmp", "a.jpg.xmp", "a.jpg.de.txt", "alt.csv"},
		Marker:  {"done.txt", "DONE.TXT", "Done.txt"},
		Photo:   {"a.raw", "a.CR3", "a.HEIC", "a.psd", "a.gif"},
		Foreign: {"a.json", "a.alt.json", "readme.md", "jpg", "noext"},
		Unseen: {
			".jpg", ".jpg.", ".raw.cr3", ".a.txt", ".a.xmp", ".git", ".picasa.ini", ".notes.pdf.icloud", ".icloud", "..icloud", ".DS_Store", "._a.jpg", "._notes.txt", "Thumbs.db", "THUMBS.DB",
			"desktop.ini", "a.jpg.lnk", "a.cos", "a.comask", ".BridgeCacheT", "SYNOFILE_THUMB_M.jpg", ".nfs0001", ".fuse_hidden0001",
			".smbdeleteAAA1", "Icon\r", ".a.txt.123456", "a.lrcat-lock", "frame.icm",
		},
	} {
		for _, name := range names {
			if got, reason := r.Classify("Summer/shoe", name); got != want || (got == Busy || got == Photo) && reason == "" {
				t.Errorf("%q is %d (%q), want %d", name, got, reason, want)
			}
		}
	}
	for name, want := range map[string]bool{
		"CaptureOne": true, "captureone": true, "Cat.lrdata": true, "@eaDir": true, "#recycle": true, "$RECYCLE.BIN": true,
		".Trashes": true, "__MACOSX": true, "lost+found": true, "._shoe": true, "Shoe": false, "tmp": false, "a.jpg": false,
		"done.txt": false, "Shoe.tmp": false, "notes.txt": false, ".stversions": true,
		".Trash-1000": true, ".recycle": true, ".Recycle.Bin": true, ".snapshot": true, "~snapshot": true, ".zfs": true,
		".git": true, ".SKU-2.tmp": true, "System Volume Information": true, "@Recently-Snapshot": true,
	} {
		if got := r.Hidden("Summer/" + name); got != want {
			t.Errorf("directory %q: hidden %v", name, got)
		}
	}
	for dir, want := range map[string]bool{"CaptureOne/Summer/shoe": true, "Summer/.git": true, "Summer/shoe": false, ".": false} {
		if got := r.HiddenAnywhere(dir); got != want {
			t.Errorf("%s, or a directory above it, is hidden: %v", dir, got)
		}
	}
	for name, want := range map[string]bool{".a.jpg.icloud": true, "a.jpg.icloud": false, ".a.jpg.Xy12Zz": false} {
		if got := IsPlaceholder(name); got != want {
			t.Errorf("%s is a placeholder: %v", name, got)
		}
	}
}

// Include may have patterns of every kind, for names without a path.
func TestInclude(t *testing.T) {
	r, err := New([]string{"frame_[0-9]?.jpg", "{left,right}_*.png", `a\*.tif`, "?b*c.webp", "cover.jpg"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"frame_07.jpg": true, "Frame_7x.JPG": true, "frame_x7.jpg": false, "left_1.png": true, "up_1.png": false,
		"a*.tif": true, "ab.tif": false, "abc.webp": true, "xbxxc.webp": true, "bc.webp": false, "cover.jpg": true,
	} {
		if k, _ := r.Classify("Summer/shoe", name); (k == Frame) != want {
			t.Errorf("%s is %d", name, k)
		}
	}
	for _, line := range []string{"", "[b", "a/b.jpg"} {
		if _, err := New([]string{line}, nil, ""); err == nil {
			t.Errorf("%q is taken for a pattern", line)
		}
	}
}

// A temporary name belongs to the frame that its program will give it.
func TestFrameOfTemporaryName(t *testing.T) {
	r, err := New([]string{"frame_*.jpg"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	const frame = "frame_07.jpg"
	for name, want := range map[string]string{
		"frame_07.jpg.part": frame, "Frame_07.JPG.tmp": frame, "frame_07.jpg.crdownload": frame, "frame_07.jpg.aria2": frame, "frame_07.jpg~": frame,
		".frame_07.jpg.x1Y2z3": frame, ".frame_07.jpg": frame, ".in.frame_07.jpg": frame, ".frame_07.jpg.icloud": frame, ".syncthing.frame_07.jpg.tmp": frame, "~syncthing~frame_07.jpg.tmp": frame,
		"frame_07.jpg.sb-1a2b3c4d-AbCdEf": frame, "~frame_07.jpg": frame,
		"ps1234.tmp": "", "frame_07.tmp": "", "notes.jpg.part": "", "~$a.docx": "", ".tmp": "", "~~": "", ".part": "",
	} {
		if got := r.FrameOf(name); got != want {
			t.Errorf("%q stands for %q, want %q", name, got, want)
		}
	}
}

// Each entry of the table fits a name of its own shape, and a busy one has a reason.
func TestBuiltinTable(t *testing.T) {
	r := mustRules(t)
	shaped := strings.NewReplacer("?", "x", "*", "y")
	for _, pattern := range unseenDirectories {
		if name := shaped.Replace(pattern); !r.Hidden("Summer/" + name) {
			t.Errorf("%q does not fit %q", pattern, name)
		}
	}
	for _, b := range r.lines {
		name := shaped.Replace(b.pattern)
		i := r.names.last(fold(name))
		if i < 0 || r.lines[i].kind != b.kind {
			t.Errorf("%q does not fit %q", b.pattern, name)
		}
		if b.kind == Busy && b.reason == "" {
			t.Errorf("%q has no reason", b.pattern)
		}
	}
}

// The ignore patterns of the configuration follow gitignore.
func TestIgnorePatterns(t *testing.T) {
	for _, c := range []struct {
		lines  string // one per line
		path   string // directories end in a slash
		hidden bool
	}{
		{"*.png", "a/b/c.png", true},
		{"*.PNG", "a/b/c.png", true},
		{"*.png\n!c.png", "a/b/c.png", false},
		{"*.png\n!c.png\n*.png", "a/b/c.png", true},
		{"test_*", "a/b/test_1.jpg", true},
		{"/test_*", "a/b/test_1.jpg", false},
		{"/test_*", "test_1.jpg", true},
		{"/a/b/*.jpg", "a/b/c.jpg", true},
		{"a/b/*.jpg", "a/b/c.jpg", true},
		{"a/b/*.jpg\n*.png", "a/b/c.jpg", true},
		{"b/*.jpg", "a/b/c.jpg", false},
		{"**/b/*.jpg", "a/b/c.jpg", true},
		{"a/**/c.jpg", "a/b/c.jpg", true},
		{"a/**", "a/b/c.jpg", true},
		{"a/**", "a/", false},
		{"a/**", "a/b/", true},
		{"raw/", "raw/", true},
		{"raw/", "a/raw/", true},
		{"/raw/", "a/raw/", false},
		{"raw.jpg/", "a/b/raw.jpg", false},
		{"raw", "a/raw/", true},
		{"# raw.jpg", "a/b/# raw.jpg", false},
		{`\#*.jpg`, "a/b/#1.jpg", true},
		{`\!*.jpg`, "a/b/!1.jpg", true},
		{"frame_[0-9].jpg", "a/b/frame_7.jpg", true},
		{"frame_[!0-9].jpg", "a/b/frame_7.jpg", false},
		{"frame_?.jpg", "a/b/frame_10.jpg", false},
		{"{a,b}.jpg", "a/b/a.jpg", false},
		{"{a,b}.jpg", "a/b/{a,b}.jpg", true},
		{"b.jpg   ", "a/b/b.jpg", true},
		{`b.jpg\   `, "a/b/b.jpg ", true},
		{`b.jpg\   `, "a/b/b.jpg", false},
		{"", "a/b/b.jpg", false},
		{"!", "a/b/b.jpg", false},
		{"/", "a/b/b.jpg", false},
		{"CAF\u00c9.jpg", "a/b/cafe\u0301.jpg", true}, // the same to the eye, as some systems hand it out
		{"!Thumbs.db\n!._*", "a/b/._c.jpg", false},
		{"!captureone/", "a/CaptureOne/", false},
		{"*", "a/b/c.png", true},
		{"*\n!*.png", "a/b/c.png", false},
		{"*.part", "a/b/c.jpg.part", true},
		{"!.special", "a/.special/", false},
		{"!.special", "a/.other/", true},
		{"!.*", "a/b/.c.raw", false},
	} {
		r := mustRules(t, strings.Split(c.lines, "\n")...)
		dir, isDir := strings.CutSuffix(c.path, "/")
		var got bool
		if isDir {
			got = r.Hidden(dir)
		} else {
			k, _ := r.Classify(path.Dir(c.path), path.Base(c.path))
			got = k == Unseen
		}
		if got != c.hidden {
			t.Errorf("%q: %s hidden %v, want %v", c.lines, c.path, got, c.hidden)
		}
	}
	for _, line := range []string{`b.jpg\`, "[b"} {
		if _, err := New(imageNames, []string{line}, ""); err == nil {
			t.Errorf("%q is taken for a pattern", line)
		}
	}
	if k, _ := mustRules(t, "!*.tmp").Classify("a/b", "c.tmp"); k != Foreign {
		t.Errorf("a name taken out of the built-in list is %d although Include does not name it", k)
	}
	if k, _ := mustRules(t, "!*.txt").Classify("a/b", "c.txt"); k != Sidecar {
		t.Errorf("a sidecar that nothing ignores is %d", k)
	}
}

// Any line and any name are answered without a panic, and the fast path agrees with the plain one.
func FuzzPatterns(f *testing.F) {
	f.Add("*.jpg", "a.jpg")
	f.Add("!/a/**/b?[x-z]{}/", "a/b/c")
	f.Add(`\`, "\xff")
	f.Add("*~", "a~")
	f.Fuzz(func(t *testing.T, line, name string) {
		if name == "" || name == "." || strings.ContainsAny(name, "/\x00") || len(line)+len(name) > 40 {
			return // a long enough row of stars takes for ever, in any language of patterns
		}
		if r, err := New(imageNames, []string{line}, ""); err == nil {
			r.Classify("a/b", name)
			r.HiddenAnywhere("a/" + name)
		}
		var set nameSet
		if set.add(line) != nil {
			return
		}
		g := glob{0, fold(line), ""}
		if fast, plain := set.last(fold(name)) == 0, g.match(fold(name)); fast != plain {
			t.Errorf("%q, %q: fast %v, plain %v", line, name, fast, plain)
		}
	})
}
