package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A Digest is one message: the news since the message before it. The webhook and the command get it
// as JSON.
type Digest struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"` // one line for people

	// All that there are; the lists hold the first mostListed of each.
	PublishedCount int `json:"published_count"`
	AttentionCount int `json:"attention_count"`

	Published []Product `json:"published"`
	Attention []Product `json:"attention"`
}

// mostListed bounds a message about a whole archive.
const mostListed = 100

// Product is a product folder in a digest. A published folder has PublishedAt; a folder that needs
// a person has Reason and Since. Trouble of a whole root has no Folder. Trouble with the state file
// has no Root either.
type Product struct {
	Root        string     `json:"root"`
	Folder      string     `json:"folder"`
	Project     string     `json:"project"`
	Title       string     `json:"title"`
	SKU         string     `json:"sku"`
	UUID        string     `json:"uuid"`
	Revision    int64      `json:"revision"` // the published one
	PublishedAt *time.Time `json:"published_at,omitempty"`
	EmbedURL    string     `json:"embed_url,omitempty"` // the link to the published view
	Reason      string     `json:"reason,omitempty"`
	Since       *time.Time `json:"since,omitempty"`
}

func (d Digest) empty() bool { return d.PublishedCount+d.AttentionCount == 0 }

func (d *Digest) addPublished(p Product) {
	d.PublishedCount++
	if len(d.Published) < mostListed {
		d.Published = append(d.Published, p)
	}
}

func (d *Digest) addAttention(p Product) {
	d.AttentionCount++
	if len(d.Attention) < mostListed {
		d.Attention = append(d.Attention, p)
	}
}

// id names the news, however often they are sent.
func (d Digest) id() string {
	d.At = time.Time{}
	news, err := json.Marshal(d)
	if err != nil {
		panic(err) // it holds texts, numbers and times
	}
	sum := sha256.Sum256(news)
	return "msg_" + hex.EncodeToString(sum[:16])
}

// summary is the line for people.
func (d Digest) summary() string {
	var parts []string
	if n := d.PublishedCount; n == 1 {
		live := d.Published[0].name() + " is live"
		if link := d.Published[0].EmbedURL; link != "" {
			live += ": " + link
		}
		parts = append(parts, live)
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d views are live", n))
	}
	if n := d.AttentionCount; n == 1 {
		parts = append(parts, d.Attention[0].name()+" needs attention: "+d.Attention[0].Reason)
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d folders need attention", n))
	}
	words := strings.FieldsFunc(strings.Join(parts, "; "), unicode.IsControl) // names of folders may hold control characters
	return strings.Join(words, " ")
}

func (p Product) name() string {
	for _, name := range []string{p.Title, p.Folder, p.Root} {
		if name != "" {
			return name
		}
	}
	return "the state file"
}

// A memory holds the last news that was sent of each product folder. Trouble of a whole root has an
// empty path, and trouble with the state file the empty key. A memory is never changed once it is
// made.
type memory map[syncstate.Folder]sent

type sent struct {
	product   string
	published time.Time // of the newest publication, to the second
	revision  int64
	reason    string // of the newest trouble that needed a person; "" after it ended well
}

// sentUntil returns the memory of a receiver that got all news before a time. News are recorded to the
// second.
func sentUntil(until time.Time, current status.Status) memory {
	until = until.Truncate(time.Second)
	current.Products = slices.Clone(current.Products)
	for i := range current.Products {
		p := &current.Products[i]
		if p.PublishedAt != nil && !p.PublishedAt.Before(until) {
			p.PublishedAt = nil
		}
		if p.State == status.Attention && !p.Since.Before(until) {
			p.State = status.Collecting
		}
	}
	_, known := memory{}.compare(current, time.Now())
	return known
}

// compare returns the news since the memory, and the memory that includes them. The same trouble is
// sent once, however often it comes and goes before the folder is published.
func (m memory) compare(current status.Status, now time.Time) (Digest, memory) {
	d, next := Digest{At: now, Published: []Product{}, Attention: []Product{}}, memory{}
	for _, trouble := range wholeTroubles(current, now) {
		key := syncstate.Folder{Root: trouble.Root}
		next[key] = sent{reason: trouble.Reason}
		if m[key].reason != trouble.Reason {
			d.addAttention(trouble)
		}
	}
	former := sync.OnceValue(m.byProduct)
	for _, p := range current.Products {
		was := m.of(p, former)
		is := was
		is.product = p.Product
		if p.PublishedAt != nil && (!p.PublishedAt.Equal(was.published) || p.Revision != was.revision) {
			is.published, is.revision = *p.PublishedAt, p.Revision
			if !p.Found {
				product := productOf(p)
				product.PublishedAt, product.EmbedURL = p.PublishedAt, p.EmbedURL
				d.addPublished(product)
			}
		}
		switch {
		case p.State == status.Published:
			is.reason = ""
		case p.State == status.Attention && p.Reason != was.reason:
			is.reason = p.Reason
			product := productOf(p)
			product.Reason, product.Since = p.Reason, &p.Since
			d.addAttention(product)
		}
		next[p.Key()] = is
	}
	d.Text = d.summary()
	return d, next
}

// of returns the last news sent of a folder. After a rename it finds those of the former name.
func (m memory) of(p status.ProductStatus, former func() map[string]sent) sent {
	own := m[p.Key()]
	if p.Product == "" || own.product == p.Product {
		return own
	}
	if other, ok := former()[p.Product]; ok {
		return other
	}
	return own
}

func (m memory) byProduct() map[string]sent {
	all := make(map[string]sent, len(m))
	for _, t := range m {
		all[t.product] = t
	}
	return all
}

// wholeTroubles are the troubles that stop more than one folder, and that a person has to end.
func wholeTroubles(status status.Status, now time.Time) []Product {
	const moment = time.Minute // a drive that was away so long is away
	var troubles []Product
	if status.StateFile != "" {
		troubles = append(troubles, Product{Reason: status.StateFile})
	}
	for _, root := range status.Roots {
		if root.Offline() && now.Sub(root.Since) >= moment {
			troubles = append(troubles, Product{Root: root.Path, Reason: root.Reason, Since: &root.Since})
		}
	}
	return troubles
}

func productOf(p status.ProductStatus) Product {
	return Product{
		Root:     p.Root,
		Folder:   p.Folder,
		Project:  p.Project,
		Title:    p.Title,
		SKU:      p.SKU,
		UUID:     p.Product,
		Revision: p.Revision,
	}
}
