package dashboard

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image/color"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/dashboard/qrcode"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// holds fails unless the text has all the pieces.
func holds(t *testing.T, text string, pieces ...string) {
	t.Helper()
	for _, piece := range pieces {
		if !strings.Contains(text, piece) {
			t.Errorf("%q is missing in:\n%s", piece, text)
		}
	}
}

func TestPagesShowWhatIsPublished(t *testing.T) {
	inStudio(t, "", Options{Version: "1.2.3"}, func(t *testing.T, s *studio) {
		s.until("the root was read", (*moment).allRead)
		holds(t, s.text("/"), "<h1>Ready</h1>", filepath.Join(s.w.Root, "project", "sku")+"</code>", "spinsync 1.2.3")
		s.shoot("Summer/SKU-1", "1.jpg", "2.jpg")
		s.write("Summer/SKU-1/1.de.txt", []byte("Eine Kanne"))
		p := s.untilState("Summer/SKU-1", status.Published)

		s.untilShown("/", "<h1>Published</h1>", "The view is live", "SKU-1", "2 frames", `data-state="published">Published`)
		s.untilShown("/folder/"+p.ID, "SKU-1", "1.jpg", "2.jpg", `<dd lang="de">Eine Kanne</dd>`, "/resize;w_960/image.webp", "Copy HTML code", "revision 0", "1 of 2 have no text (de)")
		holds(t, s.text("/activity"), `data-state="published">Published`)
		holds(t, s.text("/folder/"+p.ID+"/embed?plain"), "<iframe")
		if w := s.get("/folder/" + p.ID + "/embed?open"); w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "http://127.0.0.1") {
			t.Errorf("open the view: %d %s", w.Code, w.Header().Get("Location"))
		}
		if w := s.get("/folder/" + p.ID + "/thumb"); w.Code != http.StatusFound || !strings.HasSuffix(w.Header().Get("Location"), "/resize;w_320/image.webp") {
			t.Errorf("thumbnail: %d %s", w.Code, w.Header().Get("Location"))
		}
		if policy := s.get("/").Header().Get("Content-Security-Policy"); !strings.Contains(policy, "img-src 'self' http://127.0.0.1:") {
			t.Errorf("the policy lets no published image in: %s", policy)
		}
	})
}

// The expected number of frames is shown once.
func TestExpectedFramesOfAFolderThatArrives(t *testing.T) {
	inStudio(t, "frames = 3\nmarker = \"done.txt\"", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg", "2.jpg")
		text := s.untilShown("/folder/"+s.id("Summer/SKU-1"), "<dd>2 of 3 frames")
		if strings.Contains(text, "expected") {
			t.Errorf("it is shown twice in:\n%s", text)
		}
	})
}

// A folder whose number of frames is wrong shows the remedy and offers it, whether the number is
// from the configuration or from names.
func TestPersonPublishesAsIs(t *testing.T) {
	t.Run("of sync.toml", func(t *testing.T) { publishAsIs(t, "frames = 3", "1.jpg", "2.jpg") })
	t.Run("of names", func(t *testing.T) { publishAsIs(t, "", "001of003.jpg", "002of003.jpg") })
}

func publishAsIs(t *testing.T, toml string, frames ...string) {
	inStudio(t, toml, Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", frames...)
		id := s.id("Summer/SKU-1")
		s.untilShown("/folder/"+id, `2 frames <span class="faint">of 3 expected`)
		s.untilShown("/", "<h1>Attention</h1>", "1 folder needs attention", "2 of 3 frames: too few; add the missing frames, or publish the folder as it is with <b>Publish 2 frames</b>", `data-tone="bad"`, "Needs you: 1 frame is missing")

		w := s.post("/retry", url.Values{"id": {id}, "as_is": {"yes"}, "back": {"/folder/" + id}})
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/folder/"+id {
			t.Fatalf("retry: %d to %q", w.Code, w.Header().Get("Location"))
		}
		s.untilShown("/", "You may clear the table")
	})
}

// A frame that is not whole shows why in the place of its picture.
func TestBrokenFrameShowsWhy(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		whole := photo(t, 40, 30, color.Black)
		s.write("Summer/SKU-1/1.jpg", whole)
		s.write("Summer/SKU-1/2.jpg", whole[:len(whole)-20])
		page := s.untilShown("/folder/"+s.id("Summer/SKU-1"), `id="frame-2" data-frame="broken"`, "broken: the file is cut off")
		if strings.Contains(page, "/frame?name=2.jpg") {
			t.Error("a broken frame has a picture")
		}
	})
}

// The button that tries again does not announce the deletion of views whose folders went at once.
func TestRetryDeletesNoView(t *testing.T) {
	inStudio(t, "frames = 1\non_remove = \"delete\"\nrescan = \"1s\"", Options{}, func(t *testing.T, s *studio) {
		gone := []string{"Summer/SKU-1", "Summer/SKU-2"}
		s.shoot("Winter/SKU-3", "1.jpg")
		for _, folder := range gone {
			s.shoot(folder, "1.jpg")
			s.untilState(folder, status.Published)
		}
		if err := os.Rename(filepath.Join(s.w.Root, "Summer"), s.w.Root+"-away"); err != nil {
			t.Fatal(err)
		}
		for _, folder := range gone {
			id := s.id(folder)
			page := s.untilShown("/folder/"+id, "spinsync retry "+folder)
			if strings.Contains(page, `action="/retry"`) {
				t.Errorf("the page of %s has a button to try again", folder)
			}
			if w := s.post("/retry", url.Values{"id": {id}}); w.Code != http.StatusConflict {
				t.Errorf("a retry of %s: %d", folder, w.Code)
			}
		}
	})
}

// TestMissingFolderIsForgotten: the page of a folder that is gone asks before it is forgotten, or its view
// deleted; a folder that is there has no such button.
func TestMissingFolderIsForgotten(t *testing.T) {
	inStudio(t, "frames = 1\nrescan = \"1s\"", Options{}, func(t *testing.T, s *studio) {
		for _, folder := range []string{"Summer/SKU-1", "Summer/SKU-2", "Summer/SKU-3"} {
			s.shoot(folder, "1.jpg")
			s.untilState(folder, status.Published)
		}
		stands := s.id("Summer/SKU-3")
		if page := s.untilShown("/folder/"+stands, "published"); strings.Contains(page, `action="/forget"`) {
			t.Error("the page of a folder that is there has a button to forget it")
		}
		if w := s.post("/forget", url.Values{"id": {stands}, "delete_view": {"yes"}}); w.Code != http.StatusConflict {
			t.Errorf("a folder that is there: %d", w.Code)
		}
		if w := s.post("/forget", url.Values{"all": {"yes"}}); w.Code != http.StatusConflict {
			t.Errorf("all folders: %d", w.Code)
		}
		for folder, field := range map[string]string{"Summer/SKU-1": "", "Summer/SKU-2": "delete_view"} {
			if err := os.RemoveAll(filepath.Join(s.w.Root, folder)); err != nil {
				t.Fatal(err)
			}
			s.untilState(folder, status.Missing)
			id := s.id(folder)
			s.untilShown("/folder/"+id, "Delete the view on the service, with all its images?")
			form := url.Values{"id": {id}}
			if field != "" {
				form.Set(field, "yes")
			}
			if w := s.post("/forget", form); w.Code != http.StatusSeeOther {
				t.Errorf("%s: %d %s", folder, w.Code, w.Body)
			}
			s.until(folder+" is forgotten", func(m *moment) bool { _, there := m.find(id); return !there })
		}
	})
}

func TestPauseAndResume(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		s.post("/pause", everything)
		s.shoot("Summer/SKU-1", "1.jpg")
		p := s.untilState("Summer/SKU-1", status.Paused)
		holds(t, s.text("/"), "<h1>Paused</h1>", "<p>Nothing new is published</p>", `action="/resume"`, `name="all" value="yes"`)
		text := s.text("/folder/" + p.ID)
		if strings.Contains(text, `action="/resume"`) {
			t.Error("a folder is offered to go on while everything is paused")
		}
		if strings.Contains(text, "spinsync resume") {
			t.Error("the page names the command of a button of the overview")
		}
		s.post("/resume", everything)
		s.untilState("Summer/SKU-1", status.Published)
		s.post("/pause", url.Values{"id": {p.ID}})
		holds(t, s.text("/folder/"+p.ID), "Published", ", paused</span>", `action="/resume"`)
		s.shoot("Summer/SKU-1", "2.jpg")
		s.untilState("Summer/SKU-1", status.Paused)
		if n := strings.Count(s.text("/folder/"+p.ID), `action="/resume"`); n != 1 {
			t.Errorf("the page of a paused folder has %d buttons that end the pause", n)
		}
		if w := s.post("/pause", url.Values{"id": {"nothing"}}); w.Code != http.StatusNotFound {
			t.Errorf("pause of an unknown folder: %d", w.Code)
		}
	})
}

// The page shows the limit that holds for uploads.
func TestHeldLimitIsShown(t *testing.T) {
	inStudio(t, "[upload]\nlimit = \"5MB/s\"", Options{}, func(t *testing.T, s *studio) {
		holds(t, s.text("/"), "Uploads are limited to 5 MB/s ([upload] limit in sync.toml)")
		holds(t, s.text("/api/status"), `"bytes_per_second": 5000000`)
		s.d.SetUpload(config.Upload{})
		s.until("no limit", func(m *moment) bool { return m.status.UploadLimit == nil })
		if strings.Contains(s.text("/"), "limited") {
			t.Error("the page shows a limit that is no more")
		}
	})
}

// The page shows what of sync.toml does not hold, as long as it does not.
func TestSettingsThatDoNotHoldAreShown(t *testing.T) {
	reload := func() {}
	inStudio(t, "", Options{Reload: func() { reload() }}, func(t *testing.T, s *studio) {
		reload = func() { s.d.ShowSettings("") }
		s.shoot("Summer/SKU-1", "1.jpg")
		p := s.untilState("Summer/SKU-1", status.Published)
		s.d.ShowSettings("sync.toml is wrong:\n  line 7; run `spinsync check`")
		s.until("shown", func(m *moment) bool { return m.status.Settings != "" })
		holds(t, s.text("/"), "sync.toml is wrong:; line 7; run <code>spinsync check</code>", `action="/reload"`, "Reload settings")
		holds(t, s.text("/api/status"), `"settings": "sync.toml is wrong`)
		if w := s.post("/reload", url.Values{"id": {p.ID}}); w.Code < 400 || s.d.Status().Settings == "" {
			t.Errorf("a folder alone is reloaded: %d %s", w.Code, w.Body)
		}
		if w := s.post("/reload", everything); w.Code != http.StatusSeeOther || s.d.Status().Settings != "" {
			t.Errorf("reload: %d %s, %q", w.Code, w.Body, s.d.Status().Settings)
		}
		s.until("not shown any more", func(m *moment) bool { return m.status.Settings == "" })
		if text := s.text("/"); strings.Contains(text, "line 7") || strings.Contains(text, "/reload") {
			t.Error("the page shows what is no more")
		}
	})
}

// A reload leaves the activity as it was, also where the page itself is served otherwise then.
func TestActivityOutlivesAReload(t *testing.T) {
	inStudio(t, "frames = 1", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg")
		p := s.untilState("Summer/SKU-1", status.Published)
		event := `href="/folder/` + p.ID + `"`
		before := strings.Count(s.text("/activity"), event)
		s.d.ShowSettings("of the daemon before")
		s.until("shown", func(m *moment) bool { return m.status.Settings != "" })
		err := s.page.d.Replace(func(before *daemon.Daemon) (*daemon.Daemon, error) {
			return s.w.Next(before)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.until("the next daemon", func(m *moment) bool { return m.status.Settings == "" })
		next, err := New(s.page.d, Options{Listen: "localhost:8360", Before: s.page})
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []*Dashboard{s.page, next} {
			s.page = page
			if text := s.text("/activity"); before == 0 || strings.Count(text, event) != before {
				t.Errorf("the activity is %s", text)
			}
		}
	})
}

// A folder that is not published can be made to go first. Its page and the overview show that until
// it is published.
func TestRushEndsWithThePublication(t *testing.T) {
	inStudio(t, "frames = 2", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg")
		p := s.untilState("Summer/SKU-1", status.Attention)
		page := "/folder/" + p.ID
		holds(t, s.text(page), `action="/rush"`, "<button>Rush</button>")
		s.post("/rush", url.Values{"id": {p.ID}})
		holds(t, s.text(page), ", goes first", `name="off"`, "<button>End rush</button>")
		holds(t, s.text("/"), "Goes first.")
		holds(t, s.text("/api/status"), "; goes first\"")
		holds(t, s.text("/api/folder/"+p.ID), "; goes first\"")
		s.post("/rush", url.Values{"id": {p.ID}, "off": {"yes"}})
		holds(t, s.text(page), "<button>Rush</button>")
		s.post("/rush", url.Values{"id": {p.ID}})
		s.shoot("Summer/SKU-1", "2.jpg")
		s.until("published and not in a hurry", func(m *moment) bool {
			p, _ := m.find(p.ID)
			return p.State == status.Published && !p.Priority
		})
		if text := s.text(page); strings.Contains(text, `action="/rush"`) {
			t.Error("a published folder is offered to go first")
		}
		if w := s.post("/rush", everything); w.Code != http.StatusConflict {
			t.Errorf("all folders are to go first: %d", w.Code)
		}
	})
}

func TestReadOnlyPageHasNoVerbs(t *testing.T) {
	inStudio(t, "frames = 3", Options{ReadOnly: true}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg")
		p := s.untilState("Summer/SKU-1", status.Attention)
		for _, path := range []string{"/", "/folder/" + p.ID} {
			if text := s.text(path); strings.Contains(text, `method="post"`) {
				t.Errorf("%s has a form:\n%s", path, text)
			}
		}
		for _, path := range []string{"/retry", "/pause", "/resume", "/rush"} {
			if w := s.post(path, nil); w.Code/100 != 4 {
				t.Errorf("POST %s: %d", path, w.Code)
			}
		}
		if s.d.Status().Paused {
			t.Error("it was paused")
		}
	})
}

// A search and a filter outlive one another without script.
func TestSearchKeepsTheFilter(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		holds(t, s.text("/?q=%22tea+pot%22&state=published"), `value="&#34;tea pot&#34;"`, `name="state" value="published"`)
		if text := s.text("/"); strings.Contains(text, `name="state"`) {
			t.Error("a filter is kept that nobody chose")
		}
	})
}

// A folder whose media are on another host than those of the others shows them too.
func TestFolderShowsItsOwnMedia(t *testing.T) {
	m := momentOf(status.Status{}, noon)
	m.history.media = []string{"https://new.example.com"}
	v := &folderView{details: status.Details{Frames: []status.FrameDetails{
		{MediaURL: "https://old.example.com/1", ThumbnailURL: "https://new.example.com/1"}, {MediaURL: "https://old.example.com/2"},
	}}}
	want := []string{"https://new.example.com", "https://old.example.com"}
	if diff := cmp.Diff(want, mediaOf(v, m)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:1], mediaOf(activityView{}, m)); diff != "" {
		t.Error(diff)
	}
}

// Names of files and folders, and texts, are what anybody writes there.
func TestHostileNamesAreText(t *testing.T) {
	const hostile = `<img src=x onerror=alert(1)>`
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		s.shoot(hostile+`/"><script>alert(2)<`+"\u2044"+`script>`, `"><b onload=alert(3)>.jpg`, "2.jpg")
		s.write(hostile+`/"><script>alert(2)<`+"\u2044"+`script>/2.txt`, []byte("</td><script>alert(4)</script>"))
		p := s.untilState(hostile+`/"><script>alert(2)<`+"\u2044"+`script>`, status.Published)
		s.untilShown("/folder/"+p.ID, "&lt;script&gt;alert(4)", "&lt;b onload=alert(3)&gt;")
		for _, path := range []string{"/", "/?q=" + url.QueryEscape(hostile), "/folder/" + p.ID, "/activity"} {
			text := s.text(path)
			for _, raw := range []string{"<img src=x", "<script>alert", "<b onload", `""><`} {
				if strings.Contains(text, raw) {
					t.Errorf("%s holds %s as it is", path, raw)
				}
			}
		}
	})
}

// A name that turns the direction of writing turns nothing around it.
func TestNamesAreIsolated(t *testing.T) {
	inStudio(t, "frames = 2", Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/\u202egnp", "1.jpg")
		p := s.untilState("Summer/\u202egnp", status.Attention)
		holds(t, s.text("/"), "<bdi>\u202egnp</bdi></a>", "<bdi>Summer/\u202egnp</bdi>")
		holds(t, s.text("/folder/"+p.ID), "<bdi>Summer/\u202egnp</bdi>")
	})
}

func TestListIsSearchedFilteredAndPaged(t *testing.T) {
	var current status.Status
	for i := range 5000 {
		p := status.ProductStatus{Root: "/shoots", Folder: "Summer/SKU-" + grouped(i), State: status.Published}
		if i%1000 == 7 {
			p.State, p.Reason = status.Attention, "the drive is full"
		}
		current.Products = append(current.Products, p)
	}
	m := momentOf(current, current.Started)
	list := func(query string) folderList {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		return (&Dashboard{}).overviewOf(q).list(m, place{})
	}
	for _, c := range []struct {
		query      string
		rows, all  int
		next, prev string
	}{
		{"", 50, 5000, "/?page=2", ""},
		{"page=100", 50, 5000, "", "/?page=99"},
		{"page=1000", 50, 5000, "", "/?page=99"},
		{"page=-1", 50, 5000, "/?page=2", ""},
		{"state=attention", 5, 5, "", ""},
		{"state=nonsense", 50, 5000, "/?page=2", ""},
		{"q=DRIVE+full", 5, 5, "", ""},
		{"q=sku-4", 50, 1111, "/?page=2&q=sku-4", ""},
		{"q=nowhere", 0, 0, "", ""},
	} {
		l := list(c.query)
		if len(l.Rows) != c.rows || l.Found != c.all || l.Next != c.next || l.Previous != c.prev {
			t.Errorf("%q: %d rows of %d, next %q, previous %q", c.query, len(l.Rows), l.Found, l.Next, l.Previous)
		}
	}
	if first := list("").Rows[0]; first.State != status.Attention {
		t.Errorf("first comes a folder that is %s", first.State)
	}
}

// The data for programs holds all that the pages show, and never the password.
func TestDataForPrograms(t *testing.T) {
	inStudio(t, "", Options{Version: "1.2.3"}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg")
		p := s.untilState("Summer/SKU-1", status.Published)
		var current struct {
			Word     string
			Counts   map[string]int
			Products []struct{ Folder, State string }
			Today    struct{ Published, Frames int }
		}
		if err := json.Unmarshal([]byte(s.text("/api/status")), &current); err != nil {
			t.Fatal(err)
		}
		if current.Word != "Published" || current.Counts["published"] != 1 || len(current.Products) != 1 || current.Today.Published != 1 || current.Today.Frames != 1 {
			t.Errorf("the status is %+v", current)
		}
		var details status.Details
		if err := json.Unmarshal([]byte(s.text("/api/folder/"+p.ID)), &details); err != nil {
			t.Fatal(err)
		}
		if len(details.Frames) != 1 || details.Frames[0].State != status.FramePublished || details.Frames[0].MediaURL == "" {
			t.Errorf("the folder is %+v", details)
		}
		holds(t, s.text("/api/status"), `"path": "`, `"online": true`)
		if strings.Contains(s.text("/api/status"), `"LastRead"`) {
			t.Error("the status has what is nobody's business")
		}
		if text := s.text("/healthz"); text != "ok\n" {
			t.Errorf("healthz says %q", text)
		}
		for _, path := range []string{"/", "/folder/" + p.ID, "/api/status", "/api/folder/" + p.ID, "/metrics"} {
			if strings.Contains(s.text(path), "the-secret") {
				t.Errorf("%s has the password", path)
			}
		}
	})
}

// A root that is read for the first time, which takes minutes on a network drive, is not offline.
func TestRootThatIsBeingRead(t *testing.T) {
	for _, root := range []watcher.RootStatus{{Unread: true, Reason: "is being read for the first time"}, {Reason: "is missing"}} {
		parts, err := render(overview{number: 1}.parts(momentOf(status.Status{Roots: []watcher.RootStatus{root}}, noon)))
		if err != nil {
			t.Fatal(err)
		}
		places := string(parts["places"])
		if shown := strings.Contains(places, "offline"); shown != root.Offline() || strings.Contains(places, `"bad"`) != shown {
			t.Errorf("a root that %s is shown as %s", root.Reason, places)
		}
	}
}

// A drive that went away is shown before anything else that goes on.
func TestOfflineRootIsShown(t *testing.T) {
	inStudio(t, `rescan = "1s"`, Options{}, func(t *testing.T, s *studio) {
		s.shoot("Summer/SKU-1", "1.jpg")
		s.untilState("Summer/SKU-1", status.Published)
		if err := os.Rename(s.w.Root, s.w.Root+"-away"); err != nil {
			t.Fatal(err)
		}
		s.until("the root is offline", func(m *moment) bool { return len(m.status.OfflineRoots()) > 0 })
		holds(t, s.text("/"), "<h1>Offline</h1>", s.w.Root)
		if w := s.get("/healthz"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), s.w.Root) {
			t.Errorf("healthz: %d %s", w.Code, w.Body)
		}
		holds(t, s.text("/metrics"), `spinsync_root_online{root="`+s.w.Root+`"} 0`+"\n")
	})
}

// enlarged changes the size in a JPEG's header.
func enlarged(jpeg []byte, width, height uint16) []byte {
	frame := bytes.Index(jpeg, []byte{0xff, 0xc0, 0, 17, 8}) // the header of a frame of three components
	binary.BigEndian.PutUint16(jpeg[frame+5:], height)
	binary.BigEndian.PutUint16(jpeg[frame+7:], width)
	return jpeg
}

// A page asks for the pictures of folders at any time, also while a camera's program rewrites their
// first frame.
func TestAFolderWithoutAWholeFrameHasNoPicture(t *testing.T) {
	inStudio(t, "frames = 9", Options{}, func(t *testing.T, s *studio) {
		whole := photo(t, 200, 100, color.White)
		s.write("Summer/SKU-1/1.jpg", whole[:len(whole)/2])
		id := s.id("Summer/SKU-1")
		s.until("the frame was read", func(m *moment) bool {
			found, _ := m.find(id)
			return strings.Contains(found.Reason, "cut off")
		})
		if w := s.get("/folder/" + id + "/thumb"); w.Code != http.StatusNoContent {
			t.Errorf("thumb: %d %s", w.Code, w.Body)
		}
	})
}

// A photo is shown small. One that is too large to be decoded has a note in the place of its picture.
func TestFramesAreShownSmall(t *testing.T) {
	inStudio(t, "frames = 9", Options{}, func(t *testing.T, s *studio) {
		s.write("Summer/SKU-1/alt.txt", []byte("no picture"))
		s.write("Summer/SKU-1/1.jpg", photo(t, 2000, 1000, color.White))
		s.write("Summer/SKU-1/huge.jpg", enlarged(photo(t, 200, 100, color.White), 10_000, 8_000))
		p := s.untilState("Summer/SKU-1", status.Attention)
		for path, want := range map[string]int{
			"frame?name=1.jpg":               http.StatusOK,
			"frame?name=1.jpg&size=large":    http.StatusOK,
			"thumb":                          http.StatusOK,
			"frame?name=2.jpg":               http.StatusNotFound,
			"frame?name=" + "../SKU-1/1.jpg": http.StatusNotFound,
			"frame?name=..":                  http.StatusNotFound,
			"frame?name=alt.txt":             http.StatusUnsupportedMediaType,
		} {
			w := s.get("/folder/" + p.ID + "/" + path)
			if w.Code != want {
				t.Errorf("%s: %d", path, w.Code)
			}
			if w.Code == http.StatusOK && (w.Header().Get("Content-Type") != "image/jpeg" || w.Body.Len() > 20_000) {
				t.Errorf("%s: %s of %d bytes", path, w.Header().Get("Content-Type"), w.Body.Len())
			}
			keep := map[string]string{"frame": "3600", "thumb": "60"}[path[:5]] // a thumb's photo may become another one
			if got := w.Header().Get("Cache-Control"); w.Code == http.StatusOK && got != "private, max-age="+keep {
				t.Errorf("%s is kept as %q", path, got)
			}
		}
		w := s.get("/folder/" + p.ID + "/frame?name=huge.jpg")
		if kind := w.Header().Get("Content-Type"); kind != "image/svg+xml" || !strings.Contains(w.Body.String(), "Too large to be read here") {
			t.Errorf("%d %s: %s", w.Code, kind, w.Body)
		}
	})
}

// A page that others can reach shows its address for their cameras, and another one shows none.
func TestAddressForOtherScreens(t *testing.T) {
	const address = "https://studio.local:8360/"
	t.Run("shared", func(t *testing.T) {
		inStudio(t, "", Options{Address: address}, func(t *testing.T, s *studio) {
			holds(t, s.text("/"), address, `src="/qr.svg"`)
			if want, err := qrcode.SVG(address); err != nil || s.text("/qr.svg") != want {
				t.Errorf("the code is another one, %v", err)
			}
		})
	})
	t.Run("alone", func(t *testing.T) {
		inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
			if strings.Contains(s.text("/"), "qr.svg") || s.get("/qr.svg").Code != http.StatusNotFound {
				t.Error("a page that nobody else reaches shows an address")
			}
		})
	})
}
