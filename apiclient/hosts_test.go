package apiclient

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestAnUploadHostIsAnAddressAndNothingMore(t *testing.T) {
	tests := []struct{ base, hostname, want string }{
		{"https://views.example.com", "up.example.com", "https://up.example.com/"},
		{"https://views.example.com", "az-09_AZ.example.com", "https://az-09_AZ.example.com/"},
		{"https://views.example.com", "up.example.com/", "https://up.example.com/"},
		{"https://views.example.com", "//up.example.com", "https://up.example.com/"},
		{"https://views.example.com", "up.example.com:8443", "https://up.example.com:8443/"},
		{"https://views.example.com", "https://up.example.com", "https://up.example.com/"},
		{"https://views.example.com", "HTTPS://Up.example.com:8443/", "https://Up.example.com:8443/"},
		{"https://views.example.com", "[2001:db8::1]:443", "https://[2001:db8::1]:443/"},
		{"https://views.example.com", "127.0.0.1:9000", "https://127.0.0.1:9000/"},
		{"http://127.0.0.1:8361", "127.0.0.1:8361", "http://127.0.0.1:8361/"},
		{"http://127.0.0.1:8361", "localhost:8361", "http://localhost:8361/"},
		{"http://[::1]", "localhost", "http://localhost/"},
		{"http://127.0.0.1:8361", "127.0.0.1:9000", "https://127.0.0.1:9000/"},
		{"http://127.0.0.1:8361", "localhost", "https://localhost/"},
		{"http://127.0.0.1:8361", "http://127.0.0.1:9000", "http://127.0.0.1:9000/"},
		{"http://127.0.0.1:8361", "https://127.0.0.1:9000", "https://127.0.0.1:9000/"},
		{"http://127.0.0.1:8361", "https://127.0.0.1:8361", "https://127.0.0.1:8361/"},
		{"http://127.0.0.1:8361", "up.example.com", "https://up.example.com/"},
		{"http://127.0.0.1:8361", "up.example.com:8361", "https://up.example.com:8361/"},
		{"https://127.0.0.1:8361", "127.0.0.1:8361", "https://127.0.0.1:8361/"},
		{"https://127.0.0.1:8361", "127.0.0.1:9000", "https://127.0.0.1:9000/"},
		{"https://127.0.0.1:8361", "http://127.0.0.1:9000", "http://127.0.0.1:9000/"},
	}
	for _, test := range tests {
		base, _ := url.Parse(test.base)
		got, err := parseUploadHost(test.hostname, base)
		if err != nil || got.String() != test.want {
			t.Errorf("%s of %s: got %v, %v, want %s", test.hostname, test.base, got, err, test.want)
		}
	}
	base, _ := url.Parse("http://127.0.0.1:8361")
	if got, err := parseUploadHost("http://up.example.com", base); err == nil {
		t.Errorf("photos would be sent in the clear to %s", got)
	}
	base, _ = url.Parse("https://192.168.1.10")
	for _, hostname := range []string{"http://127.0.0.1:8360", "http://localhost", "http://192.168.1.10"} {
		if got, err := parseUploadHost(hostname, base); err == nil {
			t.Errorf("%q of a service that is not on loopback was accepted as %s", hostname, got)
		}
	}
	base, _ = url.Parse("https://views.example.com")
	for _, hostname := range []string{
		"", "/", " ", ":443", "up.example.com:", "up.example.com:0", "up.example.com:99999", "up.example.com:http",
		"up example.com", "up.example.com/path", "up.example.com?x=1", "up.example.com?", "up.example.com#x",
		"user@up.example.com", "user:hush@up.example.com", "https://user:hush@up.example.com", "http://up.example.com",
		"ftp://up.example.com", "file:///etc/passwd", "javascript://x", "up.example.com\r\nX-Evil: 1", "üp.example.com",
		"up`.example.com", "up{.example.com", "up.example.com\\@evil.com", "[::1", "::1", "...", "https://", "https:///x",
	} {
		got, err := parseUploadHost(hostname, base)
		if err == nil {
			t.Errorf("%q was accepted as %s", hostname, got)
		} else if strings.Contains(err.Error(), "hush") || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("the error shows too much: %v", err)
		}
	}
}

func TestAddressesThatAreNotPublicAreInternal(t *testing.T) {
	for text, internal := range map[string]bool{
		"127.0.0.1": true, "10.0.0.1": true, "172.16.0.1": true, "172.32.0.1": false, "192.168.0.1": true, "169.254.169.254": true,
		"0.0.0.0": true, "0.1.2.3": true, "100.64.0.1": true, "100.128.0.1": false, "192.0.0.8": true, "198.18.0.1": true,
		"198.20.0.1": false, "224.0.0.1": true, "255.255.255.255": true, "240.0.0.1": true, "8.8.8.8": false,
		"::1": true, "::": true, "fc00::1": true, "fd12::1": true, "fe80::1": true, "fe80::1%eth0": true, "ff02::1": true,
		"64:ff9b::a00:1": true, "fec0::1": true, "feff::1": true, "::127.0.0.1": true, "::8.8.8.8": true,
		"::ffff:100.64.0.1": true, "fec0::1%eth0": true,
		"::ffff:0:127.0.0.1": true, "::ffff:10.0.0.1": true, "::ffff:8.8.8.8": false, "2002:a00:1::1": true, "2606:4700::1111": false,
		"192.0.2.1": true, "192.88.99.1": true, "192.175.48.1": true, "198.51.100.1": true, "203.0.113.1": true,
		"100::1": true, "2001:2::1": true, "2001:db8::1": true, "3fff::1": true, "5f00::1": true, "4000::1": true,
	} {
		if got := isInternal(netip.MustParseAddr(text)); got != internal {
			t.Errorf("isInternal(%s) = %v", text, got)
		}
	}
}

// A name that shows by itself that it is not public is not resolved.
func TestNamesThatAreNotPublicAreInternal(t *testing.T) {
	for host, internal := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "up.localhost": true, "10.0.0.1": true, "::1": true, "8.8.8.8": false,
		"127.1": true, "0x7f000001": true, "up.example.1": true, "99999999999999999999": true,
		"localhost.example.com": false, "up.example.com": false, "up1.example.com": false,
		"up.example.com.": false,
	} {
		if got := isInternalName(host); got != internal {
			t.Errorf("isInternalName(%s) = %v", host, got)
		}
		if internal && !resolvesInternally(t.Context(), host) {
			t.Errorf("%s resolves to a public address", host)
		}
	}
	for host, loopback := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.2": true, "::1": true, "::ffff:127.0.0.1": true,
		"10.0.0.1": false, "up.localhost": false, "example.com": false,
	} {
		if got := IsLoopback(host); got != loopback {
			t.Errorf("IsLoopback(%s) = %v", host, got)
		}
	}
}

func FuzzUploadHost(f *testing.F) {
	for _, s := range []string{"up.example.com", "[::1]:443", "http://localhost:1/", "user@host", "127.1", "a:b", "https://x/../y"} {
		f.Add(s)
	}
	base := &url.URL{Scheme: "https", Host: "views.example.com"}
	f.Fuzz(func(t *testing.T, hostname string) {
		u, err := parseUploadHost(hostname, base)
		if err != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host || again.Path != "/" || again.RawQuery != "" || again.User != nil {
			t.Fatalf("%q became %q (%v)", hostname, u, err)
		}
		if u.Scheme != "https" && !IsLoopback(u.Hostname()) {
			t.Fatalf("%q would be sent in the clear to %s", hostname, u)
		}
	})
}
