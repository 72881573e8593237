package simulation

import (
	"bytes"
	"context"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
)

var serviceName = flag.String("service", "", "the service of every seed, sandbox or strict; empty: each seed chooses")

// A service is one of the two hosting services: the sandbox, or the strict one.
type service interface {
	http.Handler
	Journal() ([]sandbox.Entry, error)
	Products() ([]sandbox.Product, error)
	RemoveProject(uuid string) error
	Close() error
}

const (
	plainService  = "sandbox"
	strictService = "strict"
)

// serviceOf is which service a seed has. The strict one is odd as well, so more seeds have it.
func serviceOf(seed uint64) string {
	if *serviceName != "" {
		return *serviceName
	}
	return pick(random(seed, "service"), plainService, strictService, strictService)
}

// chosenService is the argument that repeats a choice which was not the seed's.
func chosenService() string {
	if *serviceName == "" {
		return ""
	}
	return " -service " + *serviceName
}

func (w *world) newService() (service, error) {
	if w.plan.service == strictService {
		strict := servicetest.New(servicetest.Options{
			Seed: w.seed, Host: host, Users: map[string]string{username: password, colleague: password, editor: "other"},
			Processing: w.plan.processing, ProcessingPerImage: w.plan.perImage, FormLifetime: w.plan.lifetime,
			Habits: w.plan.odd.habits, ListLag: w.plan.odd.listLag, RemovedLag: w.plan.odd.removedLag, Around: w.around,
		})
		w.trace.add("the service is strict: %s", strict.Habits())
		return strict, nil
	}
	return sandbox.New(sandbox.Options{
		Dir: filepath.Join(w.dir, "service"),
		Users: []sandbox.User{
			{Name: username, Password: password, CanEdit: true}, {Name: colleague, Password: password, CanEdit: true},
			{Name: editor, Password: "other", CanEdit: true},
		},
		Processing: w.plan.processing, ProcessingPerImage: w.plan.perImage, PolicyLifetime: w.plan.lifetime,
		Journal: true, NoSync: true, Intercept: w.intercept,
	})
}

// seemsOvertaken reports whether the service shows other images as soon as a reupload is announced.
// Nothing tells that from an upload of somebody else's, so that a person has to be asked.
func (w *world) seemsOvertaken() bool {
	strict, ok := w.service.(*servicetest.Server)
	return ok && strict.MovesImages()
}

// tellsNames reports whether the service names the file that an image was made from. The sandbox does
// so only in the first revision.
func (w *world) tellsNames() bool {
	strict, ok := w.service.(*servicetest.Server)
	return ok && strict.ShowsNames()
}

// judgeStrictness: no request was one that the interface does not allow.
func (w *world) judgeStrictness() {
	if strict, ok := w.service.(*servicetest.Server); ok {
		for _, why := range strict.Wrong() {
			w.breaks("the interface does not allow %s", why)
		}
	}
}

// around spoils the operations of the strict service as the sandbox spoils its own.
func (w *world) around(op string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		fault := w.intercept(&sandbox.Call{Op: op, Request: r})
		if !arrives(r, op, fault) {
			panic(http.ErrAbortHandler)
		}
		if fault.Status != 0 && !fault.Process {
			send(out, fault, spoiledAnswer(fault))
			return
		}
		answer := httptest.NewRecorder()
		maps.Copy(answer.Header(), out.Header())
		next.ServeHTTP(answer, r)
		if fault.Status != 0 && !liesOfFile(op, fault, answer) {
			answer = spoiledAnswer(fault)
		}
		time.Sleep(fault.Hold)
		if fault.DropAfter {
			panic(http.ErrAbortHandler)
		}
		send(out, fault, answer)
	})
}

// liesOfFile reports whether a fault would tell that a file is stored which is refused. Any 2xx
// tells so, and no client could doubt it.
func liesOfFile(op string, fault sandbox.Fault, answer *httptest.ResponseRecorder) bool {
	return op == sandbox.Upload && fault.Status/100 == 2 && answer.Code/100 != 2
}

// arrives lets the delay of a request pass and reports whether all of it comes to be served. What
// is no upload has come before the delay, so that it is served even when its sender is gone.
func arrives(r *http.Request, op string, fault sandbox.Fault) bool {
	if op != sandbox.Upload {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
		*r = *r.WithContext(context.WithoutCancel(r.Context()))
	}
	time.Sleep(fault.Delay)
	if fault.CutRequest > 0 {
		var head bytes.Buffer
		if _, err := io.CopyN(&head, r.Body, fault.CutRequest); err != io.EOF {
			return false
		}
		r.Body = io.NopCloser(&head)
	}
	return !fault.DropBefore
}

func spoiledAnswer(fault sandbox.Fault) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	answer.WriteHeader(fault.Status)
	answer.WriteString(fault.Body)
	return answer
}

// send sends an answer, or as much of it as a fault lets pass.
func send(out http.ResponseWriter, fault sandbox.Fault, answer *httptest.ResponseRecorder) {
	maps.Copy(out.Header(), answer.Header())
	maps.Copy(out.Header(), fault.Header)
	body := answer.Body.Bytes()
	if fault.CutBody != 0 {
		out.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		body = body[:min(max(fault.CutBody, 0), len(body))]
	}
	out.WriteHeader(answer.Code)
	out.Write(body)
	if answer.Flushed || fault.CutBody != 0 {
		_ = http.NewResponseController(out).Flush()
	}
	if fault.CutBody != 0 {
		panic(http.ErrAbortHandler)
	}
}
