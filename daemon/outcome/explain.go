package outcome

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"spinsync/apiclient"
	"spinsync/daemon/status"
)

// An Explanation puts a failed call into plain words, with a remedy for a technician. The remedy is
// empty where only waiting helps.
type Explanation struct {
	Says   string
	Remedy string
}

// String is the explanation as one sentence.
func (x Explanation) String() string {
	if x.Remedy == "" {
		return x.Says
	}
	return x.Says + "; " + x.Remedy
}

// Cause is the explanation as a reason that can be recorded.
func (x Explanation) Cause() *status.Cause {
	return &status.Cause{Kind: status.Failed, Text: x.Says, Remedy: x.Remedy}
}

// Explain explains a failure of the client; any other keeps its own words, without a remedy.
// The remedy for a rejected password comes from the caller, who knows where the password is kept.
func Explain(err error, passwordRemedy string) Explanation {
	var remote *apiclient.Error
	switch {
	case !errors.As(err, &remote):
		return Explanation{Says: err.Error()}
	case remote.Local():
		return explainFile(remote)
	case remote.Err == nil:
		return explainRefusal(remote, passwordRemedy)
	case remote.Status != 0:
		return explainAnswer(remote)
	}
	return explainSilence(remote)
}

// HostName names the host of a failure for people.
func HostName(err *apiclient.Error) string {
	if err.UploadHost != "" {
		return "the upload host " + status.Name(err.UploadHost)
	}
	return "the hosting service"
}

// AskSupport is a remedy where only the host itself can help.
const AskSupport = "ask the support of the hosting service"

const (
	seeToNetwork = "check network, proxy and firewall"
	seeBetween   = "check whether a proxy or log-in page answers instead"
	setClock     = "set this computer's clock, or let the network set it"
)

// orAddress is a remedy on this side; for the service it names a wrong address too.
func orAddress(err *apiclient.Error, remedy string) string {
	if err.UploadHost != "" {
		return remedy
	}
	return "correct base_url in sync.toml, or " + remedy
}

// explainFile explains a failure with a file of this computer.
func explainFile(err *apiclient.Error) Explanation {
	name, uploads := strings.CutPrefix(err.Op, apiclient.OpUpload+" ")
	switch {
	case !uploads:
		return Explanation{"the download cannot be written", "make room on the disk for temporary files"}
	case errors.Is(err, apiclient.ErrSizeChanged):
		return Explanation{Says: name + " changed while it was sent"}
	case errors.Is(err, fs.ErrPermission):
		return Explanation{"spinsync cannot read " + name, "give its user the right to read the folder"}
	case !err.Temporary():
		return Explanation{name + " has a name that cannot be uploaded", "rename it"}
	}
	return Explanation{name + " cannot be read", "check the drive or the network share"}
}

// explainSilence explains a request that got no answer.
func explainSilence(err *apiclient.Error) Explanation {
	host := HostName(err)
	var unknown *net.DNSError
	switch {
	case Blocked(err) != nil:
		return Explanation{Says: Blocked(err).Error()}
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return explainCertificate(err, host)
	case errors.Is(err, http.ErrSchemeMismatch):
		return Explanation{
			host + " speaks http, not https",
			orAddress(err, "begin it with http:// for a service on this machine"),
		}
	case errors.Is(err, apiclient.ErrPrivateHost):
		return Explanation{host + " is inside a private network, and the hosting service is not", AskSupport}
	case errors.Is(err, apiclient.ErrProxy):
		return Explanation{"the proxy asks for a login", "correct HTTPS_PROXY in the environment of spinsync"}
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return Explanation{
			"no computer has the name " + status.Name(unknown.Name),
			orAddress(err, "check the network"),
		}
	case !err.Temporary():
		return Explanation{Says: err.Error()}
	}
	return Explanation{host + " does not answer", orAddress(err, seeToNetwork)}
}

// explainCertificate explains a certificate that is not trusted.
func explainCertificate(err *apiclient.Error, host string) Explanation {
	certificate := "the certificate of " + host
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, new(x509.HostnameError)):
		return Explanation{certificate + " is for another name", orAddress(err, AskSupport)}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return Explanation{
			certificate + " is not valid at the time of this computer",
			setClock + "; else have it renewed",
		}
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return Explanation{
			certificate + " is from an authority that this computer does not trust",
			"name the file of the authority's certificate at ca_file in [service]",
		}
	}
	return Explanation{certificate + " is not trusted", "check ca_file in [service] and this computer's clock"}
}

// explainAnswer explains an answer that does not follow the interface.
func explainAnswer(err *apiclient.Error) Explanation {
	switch {
	case errors.Is(err, apiclient.ErrUnknownProduct):
		return Explanation{Says: "the hosting service does not know this product"}
	case errors.Is(err, apiclient.ErrOtherAnswer):
		return Explanation{
			HostName(err) + " sent the answer to another request",
			"check whether a proxy mixes up answers",
		}
	}
	return Explanation{"the answer of " + HostName(err) + " is not understood", orAddress(err, seeBetween)}
}

// explainRefusal explains an answer that refuses the request.
func explainRefusal(err *apiclient.Error, passwordRemedy string) Explanation {
	host := HostName(err)
	switch {
	case err.Status == http.StatusBadRequest && strings.Contains(err.Sample, "HTTPS"):
		return Explanation{host + " speaks https, not http", "write base_url with https://"}
	case Rejected(err):
		return Explanation{host + " rejects the user name or password", passwordRemedy}
	case err.Throttled():
		return Explanation{Says: Saying(err, host+" asks for a pause")}
	case err.Full():
		return Explanation{host + " has no room left on its disk", AskSupport + ", or make room there"}
	case err.Status/100 == 3:
		return Explanation{host + " redirects to another address", orAddress(err, seeBetween)}
	case err.Temporary():
		return Explanation{Says: host + " reports an error of its own"}
	case err.UploadHost != "":
		return explainUpload(err, host)
	case err.Status == http.StatusForbidden:
		remedy := orBlocked(err, "give the user edit permission for the project there")
		return Explanation{Saying(err, host+" does not let this user "+tried(err)), remedy}
	case err.NotFound() && len(err.Messages) == 0:
		return Explanation{host + " has nothing at this address", orAddress(err, "check whether it was deleted there")}
	}
	return Explanation{Saying(err, host+" refuses to "+tried(err)), remedyByOperation[err.Op]}
}

// orBlocked is a remedy for a refusal that may come from a proxy or firewall, since it has no
// message in the interface's form.
func orBlocked(err *apiclient.Error, remedy string) string {
	if len(err.Messages) > 0 {
		return remedy
	}
	return remedy + ", or check whether a proxy or firewall blocks spinsync"
}

// explainUpload explains why an upload host refuses a file.
func explainUpload(err *apiclient.Error, host string) Explanation {
	file := strings.TrimPrefix(err.Op, apiclient.OpUpload+" ")
	switch err.Code {
	case "RequestTimeTooSkewed":
		return Explanation{host + " has a different time than this computer", setClock}
	case "EntityTooLarge":
		return Explanation{file + " is too large for " + host, "export it smaller"}
	case "EntityTooSmall":
		return Explanation{file + " is too small for " + host, "export it again"}
	}
	return Explanation{Saying(err, host+" refuses "+file), AskSupport}
}

// Saying adds the host's first message or its error code to a sentence: often nothing else names
// the fault.
func Saying(err *apiclient.Error, sentence string) string {
	switch {
	case len(err.Messages) > 0:
		return sentence + ": " + err.Messages[0]
	case err.Code != "":
		return sentence + ": " + err.Code
	}
	return sentence
}

// tried is an operation in words that follow "refuses to".
func tried(err *apiclient.Error) string {
	if words := operationInWords[err.Op]; words != "" {
		return words
	}
	return err.Op
}

// operationInWords has the operations of the client in words that need no knowledge of the
// interface.
var operationInWords = map[string]string{
	"create product":           "make the product",
	"create project":           "make the project",
	"list projects":            "list the projects",
	"list products of project": "list the products of the project",
	"finish upload":            "take the upload as complete",
	"update product":           "change title, SKU, manufacturer or year",
	"reupload product":         "take new photos for the product",
	"delete product":           "delete the product",
	"list images":              "list the product's images",
	"set alt texts":            "take the alt text",
	"download sources":         "give back the photos that it has",
	"embed":                    "give the markup for a page",
	apiclient.OpStatus:         "show how far the product is",
}

// remedyByOperation has the remedies for a refusal whose reason is only in the service's own words.
var remedyByOperation = map[string]string{
	"create product":           correctFields,
	"update product":           correctFields,
	"reupload product":         correctFields,
	"create project":           "give the project another name",
	"set alt texts":            "correct the text",
	"finish upload":            AskSupport,
	"list projects":            AskSupport,
	"list products":            AskSupport,
	"list products of project": AskSupport,
	"list images":              AskSupport,
	"delete product":           AskSupport,
	"download sources":         AskSupport,
	"embed":                    AskSupport,
	apiclient.OpStatus:         AskSupport,
}

const correctFields = "correct title, sku, manufacturer or year in product.toml or in the folder's name"
