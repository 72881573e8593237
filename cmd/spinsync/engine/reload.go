package engine

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/watcher"
)

// configTick is how often sync.toml and password_file are looked at for changes.
const configTick = 5 * time.Second

// A configFollower applies changes under [upload] in sync.toml, so that a machine can go from a
// fast line to a metered one and back without a restart. A wrong file changes nothing, and all
// other changes wait for the next start.
type configFollower struct {
	config    *config.Config // what holds
	env       func(string) string
	log       *slog.Logger
	setUpload func(config.Upload)
	tell      func(string) // what does not hold; see status.Status.Settings
}

// run follows until the context ends.
func (f *configFollower) run(ctx context.Context) { followFile(ctx, f.config.Path, f.readAgain) }

// followPassword makes the password of a changed password_file hold without a restart, until the
// context ends. What cannot be used changes nothing.
func followPassword(
	ctx context.Context, s config.Service, env func(string) string, log *slog.Logger, hold func(apiclient.Secret),
) {
	if s.PasswordFile == "" {
		return
	}
	followFile(ctx, s.PasswordFile, func() {
		password, err := s.ResolvePassword(env, nil)
		if err != nil {
			log.Error("password_file was changed and cannot be read; the old password stays in use", "error", err)
			return
		}
		log.Info("password_file was changed; the new password is in use", "file", s.PasswordFile)
		hold(password)
	})
}

// followFile calls readAgain after each change of a file, until the context ends.
func followFile(ctx context.Context, path string, readAgain func()) {
	read := stampOf(path)
	for before := read; ; {
		select {
		case <-time.After(watcher.UntilTick(time.Now(), configTick)):
		case <-ctx.Done():
			return
		}
		now := stampOf(path)
		if now != read && now == before && now != (stamp{}) { // else as before, or being written
			read = now
			readAgain()
		}
		before = now
	}
}

func (f *configFollower) readAgain() {
	changed, err := config.Load(f.config.Path, f.env)
	if err != nil {
		f.log.Error("sync.toml was changed and is wrong; the old settings stay in use", "error", err)
		f.tell("sync.toml was changed and is wrong; the old settings stay in use: " + err.Error())
		return
	}
	if !reflect.DeepEqual(f.config.Upload, changed.Upload) {
		f.log.Info("[upload] in sync.toml was changed; the new settings are in use")
		f.setUpload(changed.Upload)
		holds := *f.config // other goroutines read the old one
		holds.Upload = changed.Upload
		f.config = &holds
	}
	if reflect.DeepEqual(f.config, changed) {
		f.tell("")
		return
	}
	const waits = "sync.toml was changed outside [upload]; restart for that: `spinsync service restart`, " +
		"or stop `spinsync run` and start it again"
	f.log.Warn(waits)
	f.tell(waits)
}

// A stamp tells one content of a file from another; the zero stamp is of none.
type stamp struct {
	size    int64
	changed time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}
