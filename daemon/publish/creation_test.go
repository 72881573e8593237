package publish

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A product that is listed is the folder's, unless the service says over the patience of a look, or
// a person says, that it is not there. Any other answer proves nothing: a second product would be
// made.
func TestListedProduct(t *testing.T) {
	for name, test := range map[string]struct {
		product      string // the listed one; "" = one that is there
		status       int    // of the service's answer; 0 = its own
		since        time.Duration
		notMade      bool
		known, fails bool
		waits        bool
	}{
		"it is there":               {known: true},
		"the service is busy":       {status: 503, fails: true},
		"a stranger does not know":  {status: 404, fails: true},
		"it is not known just now":  {product: "none", fails: true, waits: true},
		"it was not known for long": {product: "none", since: time.Hour},
		"a person says it is gone":  {product: "none", notMade: true},
	} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ReadStatus {
				return sandbox.Fault{Status: test.status}
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		listed := s.Record.Product
		if test.product != "" {
			listed.UUID = test.product
			j.parts.creator.finder.ask.said[listed.UUID] = knowledge{at: time.Now().Add(-test.since), denied: hosting.Rungs + 1}
		}
		known, err := j.parts.creator.finder.knownProducts(t.Context(), []syncstate.Product{listed}, test.notMade)
		if (err != nil) != test.fails || outcome.Is(err, outcome.Waits) != test.waits || (len(known) == 1) != test.known {
			t.Errorf("%s: known are %v, %v", name, known, err)
		}
	}
}

// A create that is answered with the product of another folder, or of another title, may have made one
// all the same. Its failure says so, or the create would be sent once more.
func TestAnswerWithAnothersProduct(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"uuid": "theirs", "title": "Shoe", "path": "a", "policy": "p", "signature": "s",
			"hostname": "up.example.com", "access_key_id": "k", "acl": "private"}`)
	}))
	t.Cleanup(server.Close)
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, Username: "studio", Password: "the-secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	service, err := hosting.New(client, plantest.Store(t), "", slog.New(slog.DiscardHandler), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	p := &Publisher{Service: service, Records: NewRecords(nil)}
	p.Records.Index.File(syncstate.Folder{Path: "Summer/boot"}, syncstate.Record{Product: syncstate.Product{UUID: "theirs"}})
	j := NewJob(p, syncstate.Folder{Path: "Summer/shoe"}, nil)
	err = j.parts.creator.sendCreate(t.Context(), plan.Scene{}, syncstate.Intent{Title: "Shoe"}, 1)
	if !errors.Is(err, apiclient.ErrOtherAnswer) || !strings.Contains(err.Error(), "Summer/boot") {
		t.Errorf("the create ends with %v", err)
	}
	p.Records.Index.Drop(syncstate.Folder{Path: "Summer/boot"})
	err = j.parts.creator.sendCreate(t.Context(), plan.Scene{}, syncstate.Intent{Title: "Boot"}, 1)
	if !errors.Is(err, apiclient.ErrOtherAnswer) || !strings.Contains(err.Error(), "Shoe") {
		t.Errorf("the create of another title ends with %v", err)
	}
}

// An answer is about what was asked for if its title is the one asked for, as a service may keep it.
func TestTitleOfAnAnswer(t *testing.T) {
	for title, want := range map[string]bool{
		"Shoe & Boot, red": true, " Shoe &amp; Boot,  red": true, "SHOE & BOOT, RED": true, "Shoe & Bo": true, "": true,
		"Boot": false, "Shoe & Boot, red and blue": false,
	} {
		if err := isAnswerTo("create product", title, "Shoe & Boot, red"); (err == nil) != want || !want && !errors.Is(err, apiclient.ErrOtherAnswer) {
			t.Errorf("%q: %v", title, err)
		}
	}
}

// unanswered is the work on a folder whose create of a name had no answer. SKU-1 in its project is
// another folder's product.
func unanswered(t *testing.T, client *apiclient.Client, name string) (*Job, plan.Scene) {
	t.Helper()
	p, s := unansweredOf(t, client, name)
	return NewJob(p, syncstate.Folder{Root: "/shoots", Path: "new"}, nil), s
}

// unansweredOf is what that job has in common with others, with its scene.
func unansweredOf(t *testing.T, client *apiclient.Client, name string) (*Publisher, plan.Scene) {
	t.Helper()
	p, other, s := publisherOf(t, client, 1, func(commit func() error) error { return commit() })
	projects, err := client.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p.Service, err = hosting.New(client, p.Records.Store, "", p.Log, shortestPause, ""); err != nil {
		t.Fatal(err)
	}
	p.Records.Index.File(other, s.Record)
	s = plan.Scene{Facts: plan.Facts{Wanted: plan.Product{Project: "Summer", Title: name, SKU: name}}}
	s.Record.Shown.State, s.Record.Project = "queued", syncstate.Project{UUID: projects[0].UUID, Title: "Summer"}
	s.Record.Run = plantest.Making(name)
	s.Record.Run.Intent.Project = projects[0].UUID
	return p, s
}

// A folder that has another name now leaves the name of its unanswered create to the folder that
// has it, and asks for nothing more under it. So does one that is of another project now.
func TestNothingIsCreatedUnderAnEarlierName(t *testing.T) {
	for name, wanted := range map[string]plan.Product{
		"SKU-1": {Project: "Summer", Title: "Other", SKU: "Other"}, "SKU-2": {Project: "Winter", Title: "SKU-2", SKU: "SKU-2"},
	} {
		creates := 0
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.CreateProduct {
				creates++
			}
			return sandbox.Fault{}
		})
		j, s := unanswered(t, client, name)
		s.Facts.Wanted, s.Record.Wishes.NotMade, creates = wanted, true, 0
		keep(t, j, s.Record)
		if err := j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 1}); err != nil || creates > 0 {
			t.Errorf("%s: %d requests, %v", name, creates, err)
		}
		if r, err := j.record.records.Store.Record(j.record.key); err != nil || r.Product.UUID != "" || r.Run != nil {
			t.Errorf("%s: the record has product %q and the run %+v, %v", name, r.Product.UUID, r.Run, err)
		}
	}
}

// A folder that went while its product was searched for gets none: it may have another name.
func TestNothingIsCreatedForAFolderThatWent(t *testing.T) {
	for _, stands := range []bool{true, false} {
		creates, root := 0, t.TempDir()
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.CreateProduct {
				creates++
			}
			return sandbox.Fault{}
		})
		p, s := unansweredOf(t, client, "SKU-2")
		p.Files.Watcher = atRest(t, root)
		s.Record.Run.Intent.Sent, creates = false, 0
		if stands {
			if err := os.Mkdir(filepath.Join(root, "new"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		j := NewJob(p, syncstate.Folder{Root: root, Path: "new"}, nil)
		j.Folder.Snapshot.Present = true
		keep(t, j, s.Record)
		err := j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 1})
		if outcome.Is(err, outcome.Changed) == stands || (creates == 1) != stands {
			t.Errorf("it stands: %t, %d requests, %v", stands, creates, err)
		}
	}
}

// Two folders of one SKU and title that ask for their product at the same time make it once, also where
// the service lists a new product late.
func TestNamesakesThatStartTogether(t *testing.T) {
	for _, lags := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var creates atomic.Int32
			client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
				switch {
				case c.Op == sandbox.ListProductsOfProject && lags:
					return sandbox.Fault{Status: 200, Body: "[]", Header: http.Header{"Content-Type": {"application/json"}}}
				case c.Op != sandbox.CreateProduct:
					return sandbox.Fault{}
				}
				creates.Add(1)
				return sandbox.Fault{Delay: time.Second}
			})
			p, s := unansweredOf(t, client, "SKU-2")
			root := t.TempDir()
			p.Neighbours, p.Files.Watcher = cleared{}, atRest(t, root)
			s.Record.Run.Intent.Sent = false
			creates.Store(0)
			var asked sync.WaitGroup
			made := make(chan error, 2)
			for _, path := range []string{"a", "b"} {
				if err := os.Mkdir(filepath.Join(root, path), 0o755); err != nil {
					t.Fatal(err)
				}
				j := NewJob(p, syncstate.Folder{Root: root, Path: path}, nil)
				keep(t, j, s.Record)
				asked.Go(func() { made <- j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 1}) })
			}
			asked.Wait()
			one, other := <-made, <-made
			if one != nil { // whoever comes second may end first
				one, other = other, one
			}
			if creates.Load() != 1 || one != nil || !outcome.Needs(other, status.OthersProduct) {
				t.Errorf("the lists lag: %t, %d products, %v, %v", lags, creates.Load(), one, other)
			}
		})
	}
}

// A service may trim the names of a product and compose their letters otherwise. It is found all
// the same, unless another one has them to the letter.
func TestProductWithTrimmedNames(t *testing.T) {
	const asked = " K\u00e4se  1"
	for name, made := range map[string][]string{
		"trimmed and composed":         {"Ka\u0308se 1"},
		"trimmed, beside the very one": {"K\u00e4se 1", asked},
	} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
		j, s := unanswered(t, client, asked)
		want := ""
		for _, kept := range made {
			form, err := client.CreateProduct(t.Context(), apiclient.NewProduct{
				Title: kept, SKU: kept, Project: s.Record.Project.UUID, Images: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			want = form.UUID
		}
		found, err := j.parts.creator.finder.lookForProduct(t.Context(), *s.Record.Run.Intent, false)
		if err != nil || len(found) != 1 || found[0].UUID != want {
			t.Errorf("%s: found are %v, %v", name, found, err)
		}
	}
}

// A renewed state file knows of no create that was sent before. So nothing is created until a list
// would show what such a create made.
func TestNothingIsCreatedSoonAfterARenewal(t *testing.T) {
	creates := 0
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.CreateProduct || c.Op == sandbox.CreateProject {
			creates++
		}
		return sandbox.Fault{}
	})
	j, s := unanswered(t, client, "SKU-2")
	s.Record.Run.Intent.Sent, creates = false, 0
	keep(t, j, s.Record)
	j.gate.service.Began = time.Now()
	for _, test := range []struct {
		age  time.Duration
		want int
	}{{time.Minute, 0}, {time.Hour, 2}} {
		j.gate.service.Renewed = time.Now().Add(-test.age)
		product := j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 1})
		project := j.parts.projects.makeProject(t.Context(), "Winter", false)
		if waits := test.want == 0; outcome.Is(product, outcome.Waits) != waits || outcome.Is(project, outcome.Waits) != waits || creates != test.want {
			t.Errorf("%s after the renewal: %d creates, %v, %v", test.age, creates, product, project)
		}
		creates = 0
	}
}

// A run stands with its frames from before the create, so that the folder is known by them whatever
// becomes of the answer. The run goes on with them.
func TestRunStandsBeforeTheCreate(t *testing.T) {
	root := t.TempDir()
	for answer, want := range map[int]syncstate.Phase{0: syncstate.Sending, http.StatusBadGateway: syncstate.Making} {
		var j *Job
		var before *syncstate.Run
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op != sandbox.CreateProduct || j == nil {
				return sandbox.Fault{}
			}
			r, err := j.record.records.Store.Record(j.record.key)
			if err != nil {
				t.Error(err)
			}
			before = r.Run
			return sandbox.Fault{Status: answer}
		})
		p, s := unansweredOf(t, client, "SKU-2")
		p.Neighbours, p.Files.Watcher = cleared{}, atRest(t, root)
		if err := os.MkdirAll(filepath.Join(root, "new"), 0o755); err != nil {
			t.Fatal(err)
		}
		s.Facts.Snapshot, s.Facts.Readings = plantest.AScene(2).Facts.Snapshot, plantest.AScene(2).Facts.Readings
		s = plantest.Judged(s)
		s.Record.Run.Intent.Sent = false
		j = NewJob(p, syncstate.Folder{Root: root, Path: "new"}, nil)
		j.Folder.Snapshot, j.record.unchecked = s.Facts.Snapshot, true
		keep(t, j, s.Record)
		err := j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 3})
		r, failed := j.record.records.Store.Record(j.record.key)
		if failed != nil {
			t.Fatal(failed)
		}
		if !before.In(syncstate.Making) || !before.Intent.Sent || before.Images != 3 || len(before.Frames) != 2 {
			t.Errorf("%d: before the create the run is %+v", answer, before)
		}
		if (err == nil) != (answer == 0) || !r.Run.In(want) || len(r.Run.Frames) != 2 || r.Run.Frames[1].Uploaded || j.record.unchecked != (answer != 0) {
			t.Errorf("%d: after it the run is %+v, unchecked %t, %v", answer, r.Run, j.record.unchecked, err)
		}
	}
}

// What a lost create made is uploaded to, as a run of the same frames. What was found is compared
// first, without a run.
func TestRunOfAProductThatIsAdopted(t *testing.T) {
	for _, found := range []bool{false, true} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
		j, s := unanswered(t, client, "SKU-2")
		s.Record.Run.Frames = []syncstate.RunFrame{{File: syncstate.File{Name: "1.jpg"}}}
		keep(t, j, s.Record)
		if err := j.parts.creator.adoptProduct(syncstate.Product{UUID: "shoe"}, found); err != nil {
			t.Fatal(err)
		}
		r, err := j.record.read()
		owed := r.Run.In(syncstate.Owed) && len(r.Run.Frames) == 1
		if err != nil || r.Doubted != found || owed == found || found && r.Run != nil {
			t.Errorf("found %t: the record is %+v with the run %+v, %v", found, r, r.Run, err)
		}
	}
}

// What somebody made and filled by hand under the name of a create without an answer is compared with the
// folder first. What is empty is what the create made.
func TestViewUnderTheNameOfAnOpenCreate(t *testing.T) {
	for _, filled := range []bool{true, false} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
		j, s := unanswered(t, client, "SKU-2")
		s.Facts.Snapshot.Present = true
		keep(t, j, s.Record)
		form, err := client.CreateProduct(t.Context(), apiclient.NewProduct{
			Title: "SKU-2", SKU: "SKU-2", Project: s.Record.Project.UUID, Images: 1,
		})
		if err == nil && filled {
			err = errors.Join(client.Upload(t.Context(), form, servicetest.Photo("1.jpg", 20, 20, 1)), client.FinishUpload(t.Context(), form.UUID))
		}
		if err != nil {
			t.Fatal(err)
		}
		err = j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 1})
		r, failed := j.record.read()
		if err != nil || failed != nil || r.Product.UUID != form.UUID || r.Doubted != filled || r.Run.In(syncstate.Owed) == filled {
			t.Errorf("filled %t: the record is %+v with the run %+v, %v", filled, r, r.Run, err)
		}
	}
}

// The run of a folder that is gone keeps the frames that its product was asked for with.
func TestMakingRunOfAFolderThatIsGone(t *testing.T) {
	s := plantest.AScene(2)
	asked := makingRun(s, new(syncstate.Intent), 2)
	s.Record.Run, s.Facts.Snapshot = asked, watcher.Snapshot{}
	if run := makingRun(s, asked.Intent, asked.Images); len(run.Frames) != 2 {
		t.Errorf("the frames are %+v", run.Frames)
	}
}

// keep records what the state file is to say of a job's folder.
func keep(t *testing.T, j *Job, record syncstate.Record) {
	t.Helper()
	j.record.write(t, record)
}

// kept is the record of the job's folder as it is now.
func kept(t *testing.T, j *Job) syncstate.Record {
	t.Helper()
	record, err := j.record.read()
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// A look for what an unanswered create made asks for a list of its own: the last one may be older.
func TestLookAfterACreateIsFresh(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := unanswered(t, client, "SKU-2")
	asked := *s.Record.Run.Intent
	if found, err := j.parts.creator.finder.lookForProduct(t.Context(), asked, false); err != nil || len(found) > 0 {
		t.Fatalf("found are %v, %v", found, err)
	}
	late := apiclient.NewProduct{Title: asked.Title, SKU: asked.SKU, Project: asked.Project, Images: 1}
	if _, err := client.CreateProduct(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	if found, err := j.parts.creator.finder.lookForProduct(t.Context(), asked, false); err != nil || len(found) != 1 {
		t.Errorf("found are %v, %v", found, err)
	}
}

// A person's word that a create made nothing has one request sent, of the project or the product.
// It does not outlast that request, or what is found in its place.
func TestPersonsWordIsForOneRequest(t *testing.T) {
	for name, test := range map[string]struct {
		op       string
		do       func(*Job, plan.Scene) error
		sent     int
		noAnswer bool // and the person repeats the word before that is known
	}{
		"of the product": {sandbox.CreateProduct, func(j *Job, s plan.Scene) error {
			return j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 1})
		}, 1, false},
		"of the product, repeated during the request": {sandbox.CreateProduct, func(j *Job, s plan.Scene) error {
			return j.parts.creator.createProduct(t.Context(), s, plan.Step{Count: 1})
		}, 1, true},
		"of a product that is there": {sandbox.CreateProduct, func(j *Job, s plan.Scene) error {
			return j.parts.creator.adoptProduct(syncstate.Product{UUID: "found"}, true)
		}, 0, false},
		"of the project": {sandbox.CreateProject, func(j *Job, s plan.Scene) error {
			err := j.record.records.Store.UpdateProject("Winter", func(p *syncstate.ProjectRecord) error {
				p.Intent = &syncstate.Intent{Title: "Winter", Sent: true}
				return nil
			})
			return errors.Join(err, j.parts.projects.makeProject(t.Context(), "Winter", s.Record.Wishes.NotMade))
		}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			sent, fails := 0, false
			var saidMeanwhile func()
			client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
				if c.Op != test.op || !fails {
					return sandbox.Fault{}
				}
				sent++
				if test.noAnswer {
					saidMeanwhile()
					return sandbox.Fault{DropBefore: true}
				}
				return sandbox.Fault{Status: http.StatusBadGateway}
			})
			j, s := unanswered(t, client, "SKU-2")
			saidMeanwhile = func() {
				if err := j.record.records.Update(j.record.key, func(r *syncstate.Record) error { r.Wishes.NotMade = true; return nil }); err != nil {
					t.Error(err)
				}
			}
			s.Record.Wishes.NotMade, fails = true, true
			keep(t, j, s.Record)
			if err := test.do(j, s); outcome.Is(err, outcome.Waits) != (test.sent > 0) || sent != test.sent {
				t.Errorf("%d requests, %v", sent, err)
			}
			if r, err := j.record.read(); err != nil || r.Wishes.NotMade {
				t.Errorf("the word stands still: %v", err)
			}
		})
	}
}
