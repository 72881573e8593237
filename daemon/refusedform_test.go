package daemon_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// refusing is an upload host's refusal of a form.
func refusing(code string) sandbox.Fault {
	status := map[string]int{"InvalidPolicyDocument": 400, "AuthenticationFailed": 401, "NoSuchBucket": 404}[code]
	return sandbox.Fault{Status: cmp.Or(status, 403), Body: `<?xml version="1.0"?><Error><Code>` + code + `</Code><Message>as the host says it</Message></Error>`}
}

var formRefusals = []string{"SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidPolicyDocument", "AuthenticationFailed"}

// TestRefusedFormIsReplacedOnce: a form that is refused in the middle of a run is dropped, and all
// frames go under a new one.
func TestRefusedFormIsReplacedOnce(t *testing.T) {
	t.Parallel()
	for _, code := range formRefusals {
		t.Run(code, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
					if c.Op == sandbox.Upload && c.N == 3 {
						return refusing(code)
					}
					return sandbox.Fault{}
				})
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg", "Summer/SKU-1/4.jpg")
				p := w.Published()["Summer/SKU-1"]
				if calls := w.Calls.Since(); len(p.Images) != 4 || countOp(calls, sandbox.CreateProduct) != 1 || countOp(calls, sandbox.UpdateProduct) != 1 {
					t.Errorf("%d images after %v", len(p.Images), calls)
				}
			})
		})
	}
}

// TestFormsThatAreAlwaysRefused: a person is told what the host said after the second form, and a
// retry asks for a new one.
func TestFormsThatAreAlwaysRefused(t *testing.T) {
	t.Parallel()
	for _, code := range formRefusals {
		t.Run(code, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Calls.Spoil(daemontest.Always(sandbox.Upload, refusing(code)))
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
				w.While(func(d *daemon.Daemon, until daemontest.Await) {
					until(func(all []status.ProductStatus) bool { return count(all, status.Attention) == 1 })
					reason := d.Status().Products[0].Reason
					if !strings.Contains(reason, code+": as the host says it") || !strings.Contains(reason, "retry") || strings.Contains(reason, "mend the cause") {
						t.Errorf("the reason is %s", reason)
					}
					if forms := countOp(w.Calls.Since(), sandbox.UpdateProduct); forms != 1 {
						t.Errorf("%d new forms were asked for, want 1", forms)
					}
					w.Calls.Spoil(nil)
					retry(t, d, w.Key("Summer/SKU-1"))
					until(func(all []status.ProductStatus) bool { return count(all, status.Published) == 1 })
				})
				if calls := w.Calls.Since(); countOp(calls, sandbox.UpdateProduct) != 1 || !slices.Contains(calls, sandbox.FinishUpload) {
					t.Errorf("the calls were %v", calls)
				}
			})
		})
	}
}

// countOp counts the calls of an operation.
func countOp(calls []string, op string) (n int) {
	for _, c := range calls {
		if c == op {
			n++
		}
	}
	return n
}

// TestRetryAsksForANewForm: also when what the host refused was not taken for the form's fault.
func TestRetryAsksForANewForm(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.Upload, refusing("NoSuchBucket")))
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(all []status.ProductStatus) bool { return count(all, status.Attention) == 1 })
			if forms := countOp(w.Calls.Since(), sandbox.UpdateProduct); forms != 0 {
				t.Errorf("%d new forms were asked for before the retry", forms)
			}
			w.Calls.Spoil(nil)
			retry(t, d, w.Key("Summer/SKU-1"))
			until(func(all []status.ProductStatus) bool { return count(all, status.Published) == 1 })
		})
		if calls := w.Calls.Since(); countOp(calls, sandbox.UpdateProduct) != 1 {
			t.Errorf("the calls were %v", calls)
		}
	})
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
