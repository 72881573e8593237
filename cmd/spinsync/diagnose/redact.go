package diagnose

import (
	"encoding/base64"
	"regexp"

	"spinsync/apiclient/redact"
)

// A blotter takes secrets out of texts that should hold none: a second lock behind the first, which
// is not to write them.
type blotter struct{ secrets []string }

func (b *blotter) add(secrets ...string) { b.secrets = append(b.secrets, secrets...) }

// addPassword names a password and the header that carries it.
func (b *blotter) addPassword(user, password string) {
	b.add(password, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
}

// telling matches the telling name before a value, whichever program wrote it.
const telling = `(?i)\b((?:password|passwd|secret|signature|policy|token|authorization|accesskeyid|storageaccesskeyid)"?\s*[:=]\s*)`

var (
	quotedValue = regexp.MustCompile(telling + `"(?:[^"\\\n]|\\.)*"`)
	bareValue   = regexp.MustCompile(telling + `(?:basic |bearer )?[^\s",;&}]+`)
)

func (b *blotter) out(text string) string {
	text = redact.New(b.secrets...).Hide(text)
	text = quotedValue.ReplaceAllString(text, `${1}"`+redact.Hidden+`"`)
	return bareValue.ReplaceAllString(text, "${1}"+redact.Hidden)
}
