package apiclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"code.dny.dev/ssrf"
)

// public admits the addresses that the lists of IANA have as globally reachable.
var public = ssrf.New()

// isInternal reports whether addr is not a public address.
func isInternal(addr netip.Addr) bool { return public.SafeAddr(addr.Unmap().WithZone("")) != nil }

// IsLoopback reports whether a host name or address means this machine. It takes the name localhost
// on trust: every system resolves it to itself.
func IsLoopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// isInternalName reports whether a host name shows by itself that it is not public.
func isInternalName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return isInternal(addr)
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || endsInNumber(host)
}

// endsInNumber reports whether some resolvers read the host as an IPv4 address in a short form, as
// 127.1 or 0x7f000001.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || strings.Trim(last, "0123456789") == ""
}

// resolvesInternally reports whether a host is, or resolves to, an address that is not public.
func resolvesInternally(ctx context.Context, host string) bool {
	if isInternalName(host) {
		return true
	}
	addrs, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host) // an unknown host has no address
	return slices.ContainsFunc(addrs, isInternal)
}

// parseUploadHost turns the hostname of upload credentials into the URL to post to. It accepts
// host, host:port, [v6]:port and a URL of these, also a URL that begins with //, with or without a
// trailing slash. Without a scheme it is https, but http for a sandbox that names itself: a service
// on loopback over http, and its own port. With http both must be on loopback.
func parseUploadHost(raw string, base *url.URL) (*url.URL, error) {
	text := raw
	if !strings.Contains(raw, "://") {
		text = "https://" + strings.TrimPrefix(raw, "//")
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("upload host %s is no host name", printable(withoutUserinfo(raw)))
	}
	if text != raw && base.Scheme == "http" && IsLoopback(u.Hostname()) && u.Port() == base.Port() {
		u.Scheme = "http"
	}
	if err := checkUploadHost(u, base); err != nil {
		return nil, fmt.Errorf("upload host %s %w", printable(withoutUserinfo(raw)), err)
	}
	u.Path = "/"
	return u, nil
}

func checkUploadHost(u, base *url.URL) error {
	switch {
	case u.User != nil:
		return errors.New("must not hold a user name")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Path != "" && u.Path != "/":
		return errors.New("must not have a path or query")
	case u.Scheme == "http" && !(IsLoopback(u.Hostname()) && IsLoopback(base.Hostname())):
		return errors.New("must use https")
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("must use https")
	case !isHostName(u.Hostname()):
		return errors.New("is no host name")
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("has no valid port")
		}
	}
	return nil
}

// isHostName reports whether host is an IP address or made of the letters host names have.
func isHostName(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return strings.Trim(host, "-.") != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			r == '-' || r == '.' || r == '_')
	})
}
