package engine

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/check"
	"spinsync/cmd/spinsync/cli"
	osservice "spinsync/cmd/spinsync/service"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// configTick is how often sync.toml and password_file are checked for changes.
const configTick = 5 * time.Second

// checkPatience is how long the check of the files and folders that a new sync.toml names may take.
const checkPatience = 5 * time.Second

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

// reload takes the settings of sync.toml as the file is now: those of [upload] and the password
// without a stop, all others with another daemon. A wrong file changes nothing. One that was only
// changed, and that changes more than a person may mean, waits until one asks for a reload.
func (s *serving) reload(ctx context.Context, asked bool) error {
	over := osservice.Reloading()
	defer func() { over(s.engine.summary()) }()
	s.read = stampOf(s.engine.Config.Path)
	next, password, err := s.readAgain()
	if err != nil {
		s.refuse(asked, "sync.toml is wrong; the old settings stay in use", err)
		return nil
	}
	if !reflect.DeepEqual(s.engine.Config.Upload, next.Upload) {
		s.engine.log.Info("[upload] in sync.toml was changed; the new settings are in use")
		s.engine.Live.Daemon().SetUpload(next.Upload)
	}
	holds := *s.engine.Config // others read the old one
	holds.Upload = next.Upload
	if samePasswordSource(holds.Service, next.Service) {
		holds.Service.Password = next.Service.Password
		if password != s.engine.password {
			s.engine.log.Info("the password was changed; the new one is in use")
			s.setPassword(password)
		}
	}
	s.engine.Config = &holds
	s.accountWaits = cli.Account(s.engine.Config) != cli.Account(next)
	now, grave := filesOf(next), graveChanges(s.engine.Config, next)
	switch {
	case reflect.DeepEqual(s.engine.Config, next) && (now == s.files || !asked):
		if s.refusal != "" {
			s.engine.log.Info("sync.toml was put right; its settings are in use")
		}
		s.showRefusal("")
		return nil
	case !reflect.DeepEqual(stationOf(s.engine.Config), stationOf(next)):
		s.refuse(asked, "sync.toml was changed, and the new settings wait: restart spinsync for those of a fleet", nil)
		return nil
	case len(grave) > 0 && !asked:
		s.refuse(asked, "sync.toml was changed, and the new settings wait, because it "+strings.Join(grave, " and ")+
			"; press Reload settings on the page, run `systemctl reload "+osservice.Name+"`, or restart spinsync", nil)
		return nil
	case s.engine.store.Err() != nil:
		s.refuse(asked, "the new settings of sync.toml wait, because the state file cannot be used at present; "+
			"reload them once it can", s.engine.store.Err())
		return nil
	}
	err = s.replace(ctx, next, password, now)
	s.accountWaits = cli.Account(s.engine.Config) != cli.Account(next)
	return err
}

// samePasswordSource reports whether a new password is for the account that the old one is for. One
// from another source may be another service's.
func samePasswordSource(was, is config.Service) bool {
	return was.BaseURL == is.BaseURL && was.Username == is.Username &&
		was.PasswordFile == is.PasswordFile && (was.Password == "") == (is.Password == "")
}

// readAgain reads sync.toml and the password, and checks what else the file names, as check does.
func (s *serving) readAgain() (*config.Config, apiclient.Secret, error) {
	next, err := s.engine.call.Load(s.engine.Config.Path)
	if err != nil {
		return nil, "", err
	}
	password, err := next.Service.ResolvePassword(s.engine.call.Env, s.engine.call.Keychain())
	if err != nil {
		return nil, "", err
	}
	if _, err := s.engine.call.Connect(next, password); err != nil {
		return nil, "", err
	}
	watched := pathsOf(s.engine.Config)
	added := slices.DeleteFunc(pathsOf(next), func(path string) bool { return slices.Contains(watched, path) })
	return next, password, unlessSilent(func() error { return check.Files(next, added) })
}

// unlessSilent is the error of a check of files, but for a drive that does not answer: the daemon
// reports that.
func unlessSilent(check func() error) error {
	found := make(chan error, 1)
	go func() { found <- check() }()
	select {
	case err := <-found:
		return err
	case <-time.After(checkPatience):
		return nil
	}
}

// stationOf are the settings that a station has for as long as it stands: what it shares with the
// others. Nil at a computer alone.
func stationOf(c *config.Config) any {
	if c.Fleet == nil {
		return nil
	}
	return []any{*c.Fleet, c.Watch, c.State, cli.Account(c)}
}

// graveChanges are what another configuration does that a person is to confirm. Pauses and records
// are those of an account in a state file.
func graveChanges(now, next *config.Config) (does []string) {
	if gone := unwatched(now, next); len(gone) > 0 {
		does = append(does, "watches "+strings.Join(gone, ", ")+" no more")
	}
	if cli.Account(now) != cli.Account(next) {
		does = append(does, "names another account (base_url or username)")
	}
	if now.State.Path != next.State.Path {
		does = append(does, "names another state file")
	}
	if slices.ContainsFunc(next.Watch, func(w config.Watch) bool { return w.OnRemove == config.RemoveDelete && keeps(now, w.Path) }) {
		does = append(does, "deletes the views of folders that are gone (on_remove)")
	}
	return does
}

// keeps reports whether a configuration keeps the views of folders that are gone from a watched folder.
func keeps(c *config.Config, path string) bool {
	return slices.ContainsFunc(c.Watch, func(w config.Watch) bool { return w.Path == path && w.OnRemove == config.RemoveKeep })
}

// unwatched are the watched folders that another configuration does not watch.
func unwatched(now, next *config.Config) []string {
	left := pathsOf(next)
	return slices.DeleteFunc(pathsOf(now), func(path string) bool { return slices.Contains(left, path) })
}

func pathsOf(c *config.Config) (paths []string) {
	for _, w := range c.Watch {
		paths = append(paths, w.Path)
	}
	return paths
}

// replace puts a daemon with other settings in the place of this one. When that fails, the old
// settings are taken once more.
func (s *serving) replace(ctx context.Context, next *config.Config, password apiclient.Secret, now files) error {
	was, log, logOfNext := s.engine.Config, s.engine.log, s.engine.log
	if next.Log != was.Log {
		logOfNext = daemonLog(s.engine.call, next.Log)
	}
	if s.engine.fleet != nil {
		defer s.engine.fleet.station.Replacing()()
	}
	var refused error
	err := s.engine.Live.Replace(func(before *daemon.Daemon) (*daemon.Daemon, error) {
		if err := s.running.stop(); err != nil {
			return nil, err
		}
		d, err := s.engine.open(next, password, logOfNext, before)
		if err == nil {
			return d, nil
		}
		refused = err
		return s.engine.open(was, s.engine.password, log, before)
	})
	if err != nil {
		return err
	}
	s.running = start(ctx, s.engine.Live.Daemon())
	if refused != nil {
		s.refuse(true, "the new settings of sync.toml cannot be used; the old ones stay in use", refused)
		s.keepFixtures(ctx) // the state file may have been opened again
		return nil
	}
	s.files = now
	s.engine.log.Info("sync.toml was read again; the new settings are in use")
	s.showRefusal("")
	s.keepFixtures(ctx)
	return nil
}

// refuse shows why the settings of sync.toml do not hold. The log has it once, unless a person asked.
func (s *serving) refuse(asked bool, why string, err error) {
	level := slog.LevelWarn
	if err != nil {
		level, why = slog.LevelError, why+": "+err.Error()
	}
	if asked || why != s.refusal {
		s.engine.log.Log(context.Background(), level, status.OneLine(why))
	}
	s.showRefusal(why)
}

// showRefusal shows why sync.toml does not hold; empty when it does.
func (s *serving) showRefusal(why string) {
	s.refusal = why
	s.engine.Live.Daemon().ShowSettings(why)
}

// files are those that sync.toml names and that are read at the start.
type files struct{ ca, pagePassword stamp }

func filesOf(c *config.Config) files {
	return files{stampOf(c.Service.CAFile), stampOf(c.Dashboard.PasswordFile)}
}

// A stamp identifies one content of a file; the zero stamp is of none.
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
