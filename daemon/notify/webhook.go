package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"spinsync/apiclient"
)

// A webhook is sent each digest as JSON in a POST request; any status of 200 to 299 takes it. The
// headers are those of https://www.standardwebhooks.com.
type webhook struct {
	address apiclient.Secret
	secret  apiclient.Secret
	agent   string
	client  *http.Client
}

// newWebhook follows no redirect: the address may hold a token, and it is for one host.
func newWebhook(o Options) *webhook {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12}
	transport.DisableKeepAlives = true // messages are rare
	return &webhook{address: o.Webhook, secret: o.Secret, agent: "spinsync/" + o.Version, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (w *webhook) send(ctx context.Context, d Digest) error {
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address.Reveal(), bytes.NewReader(body))
	if err != nil {
		return withoutAddress(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", w.agent)
	if err := w.sign(request.Header, d.id(), time.Now(), body); err != nil {
		return err
	}
	answer, err := w.client.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer answer.Body.Close()
	io.CopyN(io.Discard, answer.Body, 64<<10)
	switch answer.StatusCode / 100 {
	case 2:
		return nil
	case 3:
		return fmt.Errorf("it answers %s, and redirects are not followed; write the address that it leads to",
			answer.Status)
	}
	return fmt.Errorf("it answers %s", answer.Status)
}

// sign lets the receiver drop what it has already, and what others send.
func (w *webhook) sign(header http.Header, id string, at time.Time, body []byte) error {
	stamp := strconv.FormatInt(at.Unix(), 10)
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", stamp)
	if w.secret == "" {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(w.secret.Reveal(), "whsec_"))
	if err != nil {
		return errors.New("webhook_secret is not base64")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}

// withoutAddress keeps the address, which may hold a token, out of the log.
func withoutAddress(err error) error {
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
