package hosting

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"spinsync/apiclient"
	"spinsync/syncstate"
)

// maxAccessKeyHosts limits the upload hosts whose name for the access key's field is stored: a
// service may hand out a host for each product.
const maxAccessKeyHosts = 64

// AccessKeys know the form field in which each upload host takes the access key (interface
// 4.3), which may have a vendor's name in place of the interface's own. The daemon finds a host's
// name by uploading one small frame.
type AccessKeys struct {
	Fixed string // as sync.toml names it; empty to find it
	store *syncstate.Store

	trying KeyedLock // one trial of a host at a time

	mu     sync.Mutex
	byHost map[string]string // names that worked; replaced as a whole, never modified
}

func newAccessKeys(fixed string, store *syncstate.Store) (*AccessKeys, error) {
	byHost, err := syncstate.AccessKeyFields.Read(store)
	return &AccessKeys{Fixed: fixed, store: store, byHost: byHost}, err
}

// Found returns the names that worked, by upload host.
func (a *AccessKeys) Found() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byHost
}

// IsKnown reports whether the host takes the access key under a name that needs no trial.
func (a *AccessKeys) IsKnown(host string) bool { return a.Fixed != "" || a.Found()[host] != "" }

// BeginTrial waits for the end of another folder's trial of the host, which may find the name for
// this one too.
func (a *AccessKeys) BeginTrial(ctx context.Context, host string, awaitTurn func()) (release func(), err error) {
	if a.IsKnown(host) {
		return func() {}, nil
	}
	release, err = a.trying.Lock(ctx, host)
	if err != nil {
		return nil, err
	}
	awaitTurn()
	if a.IsKnown(host) {
		release()
		release = func() {}
	}
	return release, nil
}

// names are the field names to try with a form, the likeliest first: the name that worked for this
// host, the names in the form, those of other hosts, and those of known vendors. Outside a trial it
// is one.
func (a *AccessKeys) names(form apiclient.Credentials, trial bool) []string {
	found := a.Found()
	worked := cmp.Or(a.Fixed, found[form.Hostname])
	if a.Fixed != "" || worked != "" && !trial {
		return []string{worked}
	}
	names := form.AccessKeyFields(slices.Sorted(maps.Values(found))...)
	if worked != "" {
		names = slices.DeleteFunc(names, func(name string) bool { return name == worked })
		return slices.Insert(names, 0, worked)
	}
	if !trial {
		return names[:1]
	}
	return names
}

// Upload sends a frame under the likeliest name, and in a trial under the others until one works.
func (a *AccessKeys) Upload(form apiclient.Credentials, trial bool, send func(apiclient.Credentials) error) error {
	worked, err := apiclient.TryAccessKeyFields(a.names(form, trial), func(name string) error {
		form.AccessKeyField = name
		return send(form)
	})
	if err == nil && a.Fixed == "" && a.Found()[form.Hostname] != worked {
		a.remember(form.Hostname, worked)
	}
	return err
}

// remember keeps a name that worked. A store that fails is no failure of the frame, which arrived:
// the next change of a record meets it too.
func (a *AccessKeys) remember(host, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	byHost := maps.Clone(a.byHost)
	if byHost == nil {
		byHost = map[string]string{}
	}
	for _, other := range slices.Sorted(maps.Keys(byHost)) {
		if len(byHost) >= maxAccessKeyHosts {
			delete(byHost, other)
		}
	}
	byHost[host] = name
	a.byHost = byHost
	_ = syncstate.AccessKeyFields.Set(a.store, byHost)
}
