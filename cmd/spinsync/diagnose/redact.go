package diagnose

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"

	"spinsync/cmd/spinsync/terminal"
)

// A blotter takes secrets out of texts that should hold none: a second lock behind the first, which
// is not to write them.
type blotter struct{ secrets []string }

func newBlotter() *blotter { return &blotter{} }

// add names secrets. A secret of less than four characters is left out: it would blot out every
// other word, and the gaps would give it away.
func (b *blotter) add(secrets ...string) {
	const least = 4
	for _, s := range secrets {
		if len(s) >= least {
			inQuotes := strings.Trim(terminal.Quoted(s), `"`)
			b.secrets = append(b.secrets, s, url.QueryEscape(s), url.PathEscape(s), inQuotes)
		}
	}
}

// addPassword names a password and the header that carries it.
func (b *blotter) addPassword(user, password string) {
	b.add(password, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
}

const blotted = "[removed]"

// telling matches the telling name before a value, whichever program wrote it.
const telling = `(?i)\b((?:password|passwd|secret|signature|policy|token|authorization|accesskeyid|storageaccesskeyid)"?\s*[:=]\s*)`

var (
	quotedValue = regexp.MustCompile(telling + `"(?:[^"\\\n]|\\.)*"`)
	bareValue   = regexp.MustCompile(telling + `(?:basic |bearer )?[^\s",;&}]+`)
)

func (b *blotter) out(text string) string {
	for _, s := range b.secrets {
		text = strings.ReplaceAll(text, s, blotted)
	}
	text = quotedValue.ReplaceAllString(text, `${1}"`+blotted+`"`)
	return bareValue.ReplaceAllString(text, "${1}"+blotted)
}
