package daemon_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// refusing is an upload host's refusal of a form.
func refusing(code string) sandbox.Fault {
	status := http.StatusForbidden
	if code == "NoSuchBucket" {
		status = http.StatusNotFound
	}
	return sandbox.Fault{Status: status, Body: `<?xml version="1.0"?><Error><Code>` + code + `</Code><Message>as the host says it</Message></Error>`}
}

// TestFormsThatAreAlwaysRefused: a person sees the host's words about the last form, and each refusal
// is counted by its cause. A retry asks for a new form, whatever was refused.
func TestFormsThatAreAlwaysRefused(t *testing.T) {
	t.Parallel()
	for code, test := range map[string]struct {
		sent, forms int
		counted     map[string]float64
	}{
		"SignatureDoesNotMatch": {2, 2, map[string]float64{
			"spinsync_requests_total upload 403": 2, "spinsync_refused_forms_total rejected": 2,
			"spinsync_failures_total form replaced": 1, "spinsync_failures_total form refused": 1,
			"spinsync_retries_total form replaced": 1, "spinsync_retries_total form refused": 0,
			"spinsync_requests_total create product ok": 1,
		}},
		"ExpiredToken": {3, 3, map[string]float64{"spinsync_refused_forms_total expired": 3}},
		"NoSuchBucket": {3, 1, nil}, // which is not taken for the form's fault
	} {
		t.Run(code, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Calls.Spoil(daemontest.Always(sandbox.Upload, refusing(code)))
				w.Shoot("a", "Summer/SKU-1/1.jpg")
				w.While(func(d *daemon.Daemon, until daemontest.Await) {
					until(daemontest.In(status.Attention, 1))
					reason := d.Status().Products[0].Reason
					if !strings.Contains(reason, "as the host says it") || !strings.Contains(reason, "retry") {
						t.Errorf("the reason is %s", reason)
					}
					calls := w.Calls.Since()
					if countOp(calls, sandbox.Upload) != test.sent || countOp(calls, sandbox.UpdateProduct) != test.forms-1 {
						t.Errorf("the calls were %v, want %d forms", calls, test.forms)
					}
					if diff := cmp.Diff(test.counted, counted(t, d, test.counted), cmpopts.EquateEmpty()); diff != "" {
						t.Error(diff)
					}
					w.Calls.Spoil(nil)
					retry(t, d, w.Key("Summer/SKU-1"))
					until(daemontest.In(status.Published, 1))
				})
				if calls := w.Calls.Since(); countOp(calls, sandbox.UpdateProduct) != 1 {
					t.Errorf("the calls after a retry were %v", calls)
				}
			})
		})
	}
}

// TestRefusedPhotoUnderShortForms: a person is asked after three refusals, although a form does not last
// until the third.
func TestRefusedPhotoUnderShortForms(t *testing.T) {
	short := func(o *servicetest.Options) { o.FormLifetime, o.Habits.OpenPolicy = 75*time.Second, true }
	daemontest.OddStory(t, shortQuiet, short, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.Upload, refusing("NoSuchBucket")))
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			calls := w.Calls.Since()
			if countOp(calls, sandbox.Upload) != 3 || countOp(calls, sandbox.UpdateProduct) != 1 {
				t.Errorf("the calls were %v", calls)
			}
		})
	})
}

// TestFinishThatIsAlwaysRefused: a person is asked after three forms, and the set is not uploaded
// without an end. A retry begins with a new form.
func TestFinishThatIsAlwaysRefused(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.FinishUpload, sandbox.Fault{Status: 422, Body: `{"errors":["no room for this view"]}`}))
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			if reason := d.Status().Products[0].Reason; !strings.Contains(reason, "no room for this view") || !strings.Contains(reason, "retry") {
				t.Errorf("the reason is %s", reason)
			}
			calls := w.Calls.Since()
			if countOp(calls, sandbox.FinishUpload) != 3 || countOp(calls, sandbox.Upload) != 6 || countOp(calls, sandbox.UpdateProduct) != 2 {
				t.Errorf("the calls were %v", calls)
			}
			w.Calls.Spoil(nil)
			retry(t, d, w.Key("Summer/SKU-1"))
			until(daemontest.In(status.Published, 1))
		})
	})
}

// counted are the counters of a daemon that are asked for, by name and labels.
func counted(t *testing.T, d *daemon.Daemon, asked map[string]float64) map[string]float64 {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(d.Metrics)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			all[name] = m.GetCounter().GetValue()
		}
	}
	found := map[string]float64{}
	for name := range asked {
		found[name] = all[name]
	}
	return found
}

// TestAccessKeyFieldIsFound: a name that the form does not tell is found with the smallest frame
// alone, is remembered, and serves all that follows.
func TestAccessKeyFieldIsFound(t *testing.T) {
	daemontest.OddStory(t, shortQuiet, func(o *servicetest.Options) { o.Habits.KeyField = "GoogleAccessId" }, func(t *testing.T, w *daemontest.World) {
		var sizes []int64 // of the uploads
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.Upload {
				sizes = append(sizes, c.Request.ContentLength)
			}
			return sandbox.Fault{}
		})
		w.Shoot("a long name of a take", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/4.jpg")
		w.Shoot("a", "Summer/SKU-1/3.jpg")
		w.Published()
		longer := int64(len("StorageAccessKeyId") - len("GoogleAccessId")) // of the first, as its field's name is
		if others := sizes[3:]; sizes[0]-longer != sizes[1] || sizes[1] != sizes[2] || slices.Min(others) <= sizes[0] {
			t.Errorf("the sizes of the uploads were %d, want the smallest first", sizes)
		}
		if calls := w.Calls.Since(); countOp(calls, sandbox.Upload) != 4+2 || countOp(calls, sandbox.UpdateProduct) != 0 {
			t.Errorf("the calls were %v, want two uploads that were refused", calls)
		}
		w.Shoot("a", "Summer/SKU-2/1.jpg", "Summer/SKU-2/2.jpg")
		w.Published()
		if calls := w.Calls.Since(); countOp(calls, sandbox.Upload) != 2 {
			t.Errorf("the calls of the next life were %v, want no trial", calls)
		}
	})
}

// TestAccessKeyFieldThatNobodyKnows: the message names the key of sync.toml, and one frame alone
// was tried.
func TestAccessKeyFieldThatNobodyKnows(t *testing.T) {
	daemontest.OddStory(t, shortQuiet, func(o *servicetest.Options) { o.Habits.KeyField = "VendorAccessKeyId" }, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg", "Summer/SKU-1/4.jpg")
		names := len(apiclient.Credentials{}.AccessKeyFields())
		products, _ := w.Sync()
		p := products["Summer/SKU-1"]
		if p.State != status.Attention || !strings.Contains(p.Reason, "into sync.toml as access_key_field") {
			t.Errorf("%s: %s", p.State, p.Reason)
		}
		if calls := w.Calls.Since(); countOp(calls, sandbox.Upload) != 2*names || countOp(calls, sandbox.UpdateProduct) != 1 {
			t.Errorf("the calls were %v, want one frame under each of %d names with two forms", calls, names)
		}
	})
}

// TestRotatedKeyVoidsWhatWasSent: a host that rotates its key in the middle of a run refuses all
// older forms. The frames go again under a new form, of which the published view is made.
func TestRotatedKeyVoidsWhatWasSent(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			return sandbox.Fault{RotateKey: c.Op == sandbox.Upload && c.N == 3}
		})
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg", "Summer/SKU-1/4.jpg")
		p := w.Published()["Summer/SKU-1"]
		if calls := w.Calls.Since(); len(p.Images) != 4 || countOp(calls, sandbox.UpdateProduct) != 1 {
			t.Errorf("%d images after %v", len(p.Images), calls)
		}
	})
}

// TestHostWithoutRoom: a host that has no room for one photo does not get the others again with each
// form that expires. At the third form a person is asked, and no other form after it.
func TestHostWithoutRoom(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.Upload && c.Request.ContentLength > 0x2000 {
				return sandbox.Fault{Status: http.StatusInsufficientStorage}
			}
			return sandbox.Fault{}
		})
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/3.jpg")
		photo, comment := daemontest.Photo("a large one"), strings.Repeat("c", 0x2000-2)
		w.Write("Summer/SKU-1/2.jpg", photo[:2]+"\xff\xfe\x20\x00"+comment+photo[2:])
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool {
				return len(products) == 1 && products[0].State == status.Attention &&
					strings.Contains(products[0].Reason, "expired while the upload host had no room")
			})
			time.Sleep(24 * time.Hour)
		})
		if calls := w.Calls.Since(); countOp(calls, sandbox.UpdateProduct) != 2 {
			t.Errorf("the calls were %v, want 3 forms", calls)
		}
	}, func(o *sandbox.Options) { o.PolicyLifetime = 2 * time.Minute })
}

// TestPhotoThatTheHostRefuses: a host that refuses one photo for good does not have the others sent
// again and again. After the second form a person hears which photo it is.
func TestPhotoThatTheHostRefuses(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.Upload && c.Request.ContentLength > 0x2000 {
				return refusing("AccessDenied")
			}
			return sandbox.Fault{}
		})
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/3.jpg")
		photo, comment := daemontest.Photo("a large one"), strings.Repeat("c", 0x2000-2)
		w.Write("Summer/SKU-1/2.jpg", photo[:2]+"\xff\xfe\x20\x00"+comment+photo[2:])
		products, _ := w.Sync()
		p := products["Summer/SKU-1"]
		if p.State != status.Attention || !strings.Contains(p.Reason, "took other photos and refuses 2.jpg: AccessDenied: as the host says it") {
			t.Errorf("%s: %s", p.State, p.Reason)
		}
		if calls := w.Calls.Since(); countOp(calls, sandbox.Upload) > 2*3 || countOp(calls, sandbox.UpdateProduct) != 1 {
			t.Errorf("the calls were %v", calls)
		}
	})
}
