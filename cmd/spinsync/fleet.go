package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"spinsync/cmd/spinsync/cli"
	"spinsync/cmd/spinsync/terminal"
	"spinsync/daemon/config"
	"spinsync/daemon/station"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/syncstate/cluster/etcd"
)

const fleetHelp = `Several computers publish one share: one of them works, the others stand by and
take over when it stops. [fleet] in sync.toml makes a computer one of them. See
docs/fleet.md.`

func fleetCommand(call *cli.Call) *cobra.Command {
	c := &cobra.Command{Use: "fleet", Short: "Show a fleet of computers, begin or leave one", Long: fleetHelp}
	c.AddCommand(fleetStatusCommand(call), fleetStartCommand(call), fleetLeaveCommand(call), fleetUpgradeCommand(call))
	cli.OnlyHolds(c)
	return c
}

func fleetStatusCommand(call *cli.Call) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "status", Short: "List the stations, and how the cluster does", Args: cobra.NoArgs,
		Long: `Asks the cluster which stations stand in it, and which one is active. Exit code 1
means that something is wrong with the cluster or a station.`,
		RunE: func(c *cobra.Command, _ []string) error {
			return inFleet(call, func(configuration *config.Config, _ station.Options, client *etcd.Client) error {
				s := surveyFleet(c.Context(), client)
				if asJSON {
					return errors.Join(terminal.JSON(call.Stdout, s), s.err())
				}
				return errors.Join(s.print(call.Stdout), s.err())
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// inFleet gives do the options of this computer's station.
func inFleet(call *cli.Call, do func(*config.Config, station.Options, *etcd.Client) error) error {
	c, err := call.Config()
	if err != nil {
		return err
	}
	if c.Fleet == nil {
		return cli.Usagef("%s has no [fleet]; docs/fleet.md says how computers become one", c.Path)
	}
	o, client, err := cli.Station(call, c)
	if err != nil {
		return err
	}
	return errors.Join(do(c, o, client), client.Close())
}

// A fleetSurvey is what fleet status prints.
type fleetSurvey struct {
	Stations []status.Station `json:"stations"`
	Cluster  etcd.Survey      `json:"cluster"`
}

const fleetPatience = 10 * time.Second

func surveyFleet(ctx context.Context, client *etcd.Client) fleetSurvey {
	ctx, cancel := context.WithTimeout(ctx, fleetPatience)
	defer cancel()
	s := fleetSurvey{Stations: []status.Station{}, Cluster: client.Survey(ctx)}
	if s.Cluster.Revision == 0 { // it does not answer
		return s
	}
	all, err := station.Stations(ctx, client)
	if err != nil {
		s.Cluster.Trouble = "the cluster does not tell of the stations: " + err.Error()
	}
	s.Stations = append(s.Stations, all...)
	return s
}

// err is that something needs a person.
func (s fleetSurvey) err() error {
	trouble := s.Cluster.Worst()
	for _, other := range s.Stations {
		if at := cmp.Or(other.Service, other.Cluster); at != "" {
			trouble = cmp.Or(trouble, other.Station+": "+at)
		}
	}
	if trouble == "" {
		return nil
	}
	return errors.New("the fleet is not well: " + trouble)
}

func (s fleetSurvey) print(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "STATION\tPART\tSINCE\tVERSION\tFOLDERS")
	for _, other := range s.Stations {
		part := "standby"
		if other.Active {
			part = "active"
		}
		var roots []string
		for _, r := range other.Roots {
			if r.State != status.TreeActive && r.State != status.TreeStandby {
				r.Name += " (" + r.State + ")"
			}
			roots = append(roots, r.Name)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", terminal.Printable(other.Station), part,
			other.Since.Local().Format(time.DateTime), terminal.Printable(other.Version), terminal.Printable(strings.Join(roots, ", ")))
	}
	fmt.Fprintln(table, "\nMEMBER\tVERSION\tTROUBLE")
	for _, m := range s.Cluster.Members {
		fmt.Fprintf(table, "%s\t%s\t%s\n", m.Address, m.Version, terminal.Printable(m.Trouble))
	}
	return table.Flush()
}

func fleetStartCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "start", Short: "Take this computer's records into a cluster that has none", Args: cobra.NoArgs,
		Long: `Gives a new fleet what this computer has published so far. Stop spinsync here
before, and begin at one computer only: all others begin with a new state file, and
follow. Each photo is read once more afterwards, and none is uploaded again.`,
		RunE: func(c *cobra.Command, _ []string) error {
			return withFleetFile(call, func(o station.Options, _ *etcd.Client) error {
				if err := station.Start(c.Context(), o); err != nil {
					return err
				}
				_, err := fmt.Fprintln(call.Stdout, "the fleet has this computer's records; start spinsync")
				return err
			})
		},
	}
}

func fleetLeaveCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "leave", Short: "Make a plain state file of this computer's copy", Args: cobra.NoArgs,
		Long: `Takes this computer out of its fleet, with all records. Stop spinsync here before,
and at all other stations: while one of them stands in the cluster, or the cluster
refuses to tell, the command is refused. Then remove [fleet] and each name of a watched folder from sync.toml.`,
		RunE: func(c *cobra.Command, _ []string) error {
			return withFleetFile(call, func(o station.Options, client *etcd.Client) error {
				if err := station.Leave(c.Context(), o, client.Reached); err != nil {
					return err
				}
				_, err := fmt.Fprintln(call.Stdout,
					"this computer is in no fleet; remove [fleet] and each name from sync.toml, then start spinsync")
				return err
			})
		},
	}
}

func fleetUpgradeCommand(call *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "upgrade", Short: "Raise the fleet's schema, once every station knows it", Args: cobra.NoArgs,
		Long: `Has the stations share their records in the newest form that this version knows.
It is refused while a station that was seen in the last 30 days does not know it.
Stations with an older version can join no more.`,
		RunE: func(c *cobra.Command, _ []string) error {
			return inFleet(call, func(_ *config.Config, o station.Options, _ *etcd.Client) error {
				schema, err := station.Upgrade(c.Context(), o)
				if err == nil {
					_, err = fmt.Fprintf(call.Stdout, "the fleet's records have schema %d\n", schema)
				}
				return err
			})
		},
	}
}

// withFleetFile gives do the station with its state file, which no daemon may have.
func withFleetFile(call *cli.Call, do func(station.Options, *etcd.Client) error) error {
	return inFleet(call, func(c *config.Config, o station.Options, client *etcd.Client) error {
		store, err := syncstate.Open(c.State.Path, cli.Account(c))
		if errors.Is(err, syncstate.ErrLocked) {
			return fmt.Errorf("%w; stop spinsync on this computer before", syncstate.ErrLocked)
		}
		if err != nil {
			return err
		}
		o.Store = store
		return errors.Join(do(o, client), store.Close())
	})
}
