package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"

	"spinsync/daemon/config"
	"spinsync/daemon/station"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster/etcd"
)

// FleetID is the same for all stations of a fleet on one computer; empty without a fleet.
func FleetID(c *config.Config) string {
	if c.Fleet == nil {
		return ""
	}
	return strings.Join(c.Fleet.Etcd, " ") + " " + c.Fleet.Prefix
}

// Station has the options of this computer's station as sync.toml has them, and its way to the
// cluster. It asks the cluster for nothing.
func Station(call *Call, c *config.Config) (o station.Options, client *etcd.Client, err error) {
	name, err := c.Fleet.Name()
	if err != nil {
		return o, nil, Usage(err)
	}
	if client, err = Cluster(call, *c.Fleet); err != nil {
		return o, nil, err
	}
	o = station.Options{
		Cluster: client, Name: name, Version: Version(), Schema: syncstate.SharedSchema, Lease: c.Fleet.Lease,
		Account: Account(c), Trees: c.Trees(),
		Settings: map[string]map[string]string{},
		Survey: func(ctx context.Context) (trouble, worst string) {
			s := client.Survey(ctx)
			return s.Trouble, s.Worst()
		},
	}
	for _, w := range c.Watch {
		o.Settings[w.Name] = w.Shared()
	}
	return o, client, nil
}

// Cluster is the way to a fleet's cluster.
func Cluster(call *Call, f config.Fleet) (*etcd.Client, error) {
	password, err := f.ResolvePassword(call.Env)
	if err != nil {
		return nil, Usage(err)
	}
	roots, err := TrustRoots(f.CAFile)
	if err != nil {
		return nil, Usage(fmt.Errorf("[fleet] %w", err))
	}
	secure := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	if f.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(f.CertFile, f.KeyFile)
		if err != nil {
			return nil, Usage(fmt.Errorf("cert_file of [fleet]: %w", err))
		}
		secure.Certificates = []tls.Certificate{pair}
	}
	return etcd.Dial(etcd.Config{
		Endpoints: f.Etcd, Prefix: f.Prefix, Username: f.Username, Password: password.Reveal(), TLS: secure,
	})
}

// RefuseInFleet is the error of a command that no computer of a fleet does yet.
func RefuseInFleet(c *config.Config, instead string) error {
	if c.Fleet == nil {
		return nil
	}
	return Usagef("this is not for a computer of a fleet; %s", instead)
}
