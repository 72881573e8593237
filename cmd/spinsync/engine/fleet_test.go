package engine

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon"
	"spinsync/daemon/station"
	"spinsync/syncstate/cluster/clustertest"
)

const inFleet = "[dashboard]\nlisten = \"\"\n[fleet]\netcd = [\"http://127.0.0.1:1\"]\nstation = %q\nlease = \"5s\"\n"

// aStation is a kitchen of a fleet, with what ends it.
func aStation(t *testing.T, name string, model *clustertest.Model) (k *kitchen, end func()) {
	k, w := openKitchenWith(t, settings+fmt.Sprintf(inFleet, name)+oneRoot+"name = \"shoots\"\n")
	o, _, err := cli.Station(w.call, w.Config)
	if err != nil {
		t.Fatal(err)
	}
	o.Cluster, o.Store, o.Log, o.Work = model, w.store, w.log, work{w}
	o.Survey = func(context.Context) (trouble, worst string) { return "", "" }
	w.fleet.station = station.New(o)
	w.fleet.part = w.fleet.station.Part()
	d, err := w.open(w.Config, w.password, w.log, w.Live.Daemon())
	if err != nil {
		t.Fatal(err)
	}
	w.Live = daemon.NewLive(d)
	return k, k.serveIt(w)
}

func (k *kitchen) isActive(name string) bool { return k.status().Fleet.Active == name }

func (k *kitchen) awaits(name string) {
	k.t.Helper()
	for until := time.Now().Add(20 * time.Second); !k.isActive(name); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			k.t.Fatalf("%s is not active: %+v; %s", name, k.status().Fleet, k.log.take())
		}
	}
}

// sends reports whether it sends messages to people.
func (k *kitchen) sends() bool {
	k.ask(k.serve, true)                                              // what it does is done
	return !reflect.DeepEqual(k.messages.settings, k.memory.settings) // which are none
}

// TestStations: of two stations the second takes over once the first has ended. Only the active one sends
// messages. A running one takes no change of what it shares with the others, and each other change. The records of
// one are not for a computer alone.
func TestStations(t *testing.T) {
	model := clustertest.NewModel()
	anna, end := aStation(t, "anna", model)
	anna.awaits("anna")
	bert, _ := aStation(t, "bert", model)
	bert.awaits("anna")
	if !anna.sends() || bert.sends() {
		t.Errorf("anna sends messages: %t, bert: %t", anna.sends(), bert.sends())
	}
	other := settings + fmt.Sprintf(inFleet, "anna") + oneRoot + "name = \"more\"\n"
	anna.write(other)
	before := anna.engine.Live.Daemon()
	if log := anna.reload(true); !strings.Contains(log, "restart spinsync for those of a fleet") || anna.engine.Live.Daemon() != before {
		t.Errorf("the name of a watched folder was changed: %s", log)
	}
	anna.write(strings.Replace(other, "more", "shoots", 1) + "[poll]\nfirst = \"2s\"\n")
	if log := anna.reload(true); !strings.Contains(log, "in use") || anna.engine.Live.Daemon() == before {
		t.Errorf("[poll] was changed: %s", log)
	}
	if anna.engine.isStandby() || !anna.isActive("anna") {
		t.Error("a station loses the work with a change of its settings")
	}
	end()
	bert.awaits("bert")
	if !bert.sends() || bert.engine.isStandby() {
		t.Error("bert took over, and sends no messages")
	}
	anna.write(settings + oneRoot)
	alone, err := anna.engine.call.Config()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(anna.engine.call, alone, anna.engine.log); !cli.IsUsage(err) || !strings.Contains(err.Error(), "spinsync fleet leave") {
		t.Errorf("without [fleet]: %v", err)
	}
}
