package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A stage is the demo's directory:
//
//	service/     what the hosting service holds, and its password
//	shoots/      the watched root
//	sync.toml    and state.db
type stage struct {
	dir, password string
	address       string // URL of the hosting service
	page          string // address of the dashboard
	kept          bool   // it stays when the demo is over
}

// firstLine of sync.toml says that the directory is a demo's.
const firstLine = "# Made by spinsync demo, which writes this file again each time."

const configText = firstLine + `
[service]
base_url = %q
username = %q
password_file = "service/password"

[state]
path = "state.db"

[[watch]]
path = "shoots"
layout = "{project}/{sku}"
frames = %d
settle = "1s"
quiet = "5s"

[dashboard]
listen = %q
`

func newStage(dir, address, page string, kept bool) (stage, error) {
	p := stage{dir: dir, address: address, page: page, kept: kept}
	if err := p.isFree(); err != nil {
		return p, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return p, err
	}
	text := fmt.Sprintf(configText, address, user, fullTurn, page)
	if err := os.WriteFile(p.config(), []byte(text), 0o600); err != nil {
		return p, err
	}
	password, err := keptPassword(p.service())
	if err != nil {
		return p, err
	}
	p.password = password
	return p, os.MkdirAll(filepath.Join(dir, "shoots"), 0o755)
}

// isFree refuses a directory that holds something and is no demo's.
func (p stage) isFree() error {
	held, err := os.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(held) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(p.config())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !strings.HasPrefix(string(text), firstLine) {
		return fmt.Errorf("%s holds %s, and is no directory of a demo", p.dir, held[0].Name())
	}
	return err
}

func (p stage) config() string { return filepath.Join(p.dir, "sync.toml") }

func (p stage) service() string { return filepath.Join(p.dir, "service") }

// again is how the views are shown when the demo is over.
func (p stage) again() string {
	command := "spinsync sandbox --data " + status.ShellWord(p.service())
	if listen := strings.TrimPrefix(p.address, "http://"); listen != usualListen {
		command += " --listen " + listen
	}
	return command
}

func (p stage) sandbox() sandbox.Options {
	return sandbox.Options{
		Dir:   p.service(),
		Users: []sandbox.User{{Name: user, Password: p.password, CanEdit: true}},
	}
}

// newProduct returns a product folder that does not exist yet: photos of another shoot do not
// belong into an old one.
func (p stage) newProduct() syncstate.Folder {
	root := filepath.Join(p.dir, "shoots")
	for i := 1; ; i++ {
		folder := fmt.Sprintf("Demo/TEAPOT-%d", i)
		if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
			return syncstate.Folder{Root: root, Path: folder}
		}
	}
}
