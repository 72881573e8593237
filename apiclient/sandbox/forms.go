package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"spinsync/apiclient"
)

// acl is the access-control value of every upload (interface section 2, upload credentials).
const acl = "private"

// keyDepth is the number of slashes in the key of a file: three in the path of its form, and one
// before its name.
const keyDepth = 4

// issueForm makes the newest form of a product, and stores the product. The uploads of an older
// form that is still open are dropped, because it can never be finished any more.
func (t *tx) issueForm(p *product, revision uint64, images int) error {
	if err := t.dropUploads(p.Form); err != nil {
		return err
	}
	p.Form = form{Revision: revision, Path: fmt.Sprintf("%s/rotation/%d/1", p.UUID, revision), Announced: images}
	entry := p.entry(FormIssued)
	entry.Revision, entry.Images, entry.Path = revision, images, p.Form.Path
	if err := t.note(entry); err != nil {
		return err
	}
	return t.putProduct(p)
}

// credentials are what the newest form of a product is filled in with.
func (s *Server) credentials(p *product, r *http.Request) apiclient.Credentials {
	account := s.store.owner()
	policy := newPolicy(s.opts.host(r), p.Form.Path, time.Now().Add(s.opts.PolicyLifetime), s.opts.MaxFile)
	return apiclient.Credentials{
		UUID:        p.UUID,
		Title:       p.Title,
		Path:        p.Form.Path,
		Policy:      policy,
		Signature:   account.sign(policy),
		Hostname:    s.opts.host(r),
		AccessKeyID: account.AccessKeyID,
		ACL:         acl,
	}
}

// host is where the files of r's sender belong.
func (o *Options) host(r *http.Request) string {
	_, host, _ := strings.Cut(o.origin(r), "://")
	return host
}
