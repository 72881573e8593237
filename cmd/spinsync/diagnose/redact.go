package diagnose

import (
	"encoding/base64"
	"regexp"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon/config"
	"spinsync/syncstate"
)

// A redactor takes secrets out of texts that should hold none: a second lock behind the first, which
// is not to write them.
type redactor struct{ secrets []string }

func (r *redactor) add(secrets ...string) { r.secrets = append(r.secrets, secrets...) }

// addPassword names a password and the header that carries it.
func (r *redactor) addPassword(user, password string) {
	r.add(password, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
}

// addForms names the secrets of the upload forms in the state file. None are known of a file that a
// daemon has open, or that cannot be read; status.json has the reason.
func (r *redactor) addForms(c *config.Config) {
	store, err := syncstate.OpenReadOnly(c.State.Path, cli.Account(c))
	if err != nil {
		return
	}
	defer store.Close()
	for _, record := range store.Heads() {
		if record.Run != nil && record.Run.Form != nil {
			r.add(record.Run.Form.Policy, record.Run.Form.Signature)
		}
	}
}

// secretKey matches the name before a secret value, as any program writes it.
const secretKey = `(?i)\b((?:password|passwd|secret|signature|policy|token|authorization|accesskeyid|storageaccesskeyid)"?\s*[:=]\s*)`

var (
	quotedValue = regexp.MustCompile(secretKey + `"(?:[^"\\\n]|\\.)*"`)
	bareValue   = regexp.MustCompile(secretKey + `(?:basic |bearer )?[^\s",;&}]+`)
)

func (r *redactor) hide(text string) string {
	text = apiclient.NewRedactor(r.secrets...).Hide(text)
	text = quotedValue.ReplaceAllString(text, `${1}"`+apiclient.Hidden+`"`)
	return bareValue.ReplaceAllString(text, "${1}"+apiclient.Hidden)
}
