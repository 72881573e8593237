package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"

	"golang.org/x/sync/errgroup"

	"spinsync/apiclient"
	"spinsync/cmd/spinsync/cli"
	"spinsync/daemon"
	"spinsync/daemon/config"
	"spinsync/daemon/control"
	"spinsync/daemon/dashboard"
	"spinsync/daemon/notify"
	"spinsync/daemon/status"
)

// Serve runs the daemon, the page, the notifications, the control channel and the watch on sync.toml,
// until the context ends or one of them fails. Each hangup makes it read sync.toml again.
func (w *Engine) Serve(ctx context.Context, hangups <-chan os.Signal) error {
	g, ctx := errgroup.WithContext(ctx)
	s := newServing(w, g, hangups)
	path := w.Config.Path
	g.Go(func() error {
		followFile(ctx, path, func() { send(ctx, s.changed, struct{}{}) })
		return nil
	})
	g.Go(func() error { return s.run(ctx) })
	return g.Wait()
}

func newServing(w *Engine, g *errgroup.Group, hangups <-chan os.Signal) *serving {
	s := &serving{
		engine: w, group: g, hangups: hangups, changed: make(chan struct{}), asked: make(chan question),
		passwords: make(chan apiclient.Secret),
	}
	w.Live.TakeSettings = func(ctx context.Context) { s.ask(ctx, false) }
	return s
}

// serving is what Serve does. Its own goroutine alone changes the Engine.
type serving struct {
	engine  *Engine
	group   *errgroup.Group
	running *run

	page, control, messages, passwordFile, memory fixture
	shown                                         *dashboard.Dashboard // belongs to the page's fixture
	told                                          *notify.Notifier     // belongs to the messages' fixture

	hangups   <-chan os.Signal
	changed   chan struct{}         // sync.toml was
	asked     chan question         // somebody wants sync.toml to be read
	passwords chan apiclient.Secret // of a password_file that was changed
	read      stamp                 // of sync.toml, when it was read last
	files     files                 // that sync.toml names, as they were when they were read
	refusal   string                // why sync.toml does not hold; empty when it does

	accountWaits bool // sync.toml names another account than the one at work
}

// A question waits until sync.toml was read again.
type question struct {
	person bool // wants the settings to hold, whatever they change
	done   chan struct{}
}

// ask has sync.toml read again, and returns when that is done or the context ends.
func (s *serving) ask(ctx context.Context, person bool) {
	q := question{person, make(chan struct{})}
	send(ctx, s.asked, q)
	select {
	case <-q.done:
	case <-ctx.Done():
	}
}

// A run of a daemon lasts until stop, which returns its error.
type run struct {
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // once it has ended
}

func start(ctx context.Context, d *daemon.Daemon) *run {
	ctx, cancel := context.WithCancel(ctx)
	r := &run{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		r.err = d.Run(ctx)
	}()
	return r
}

func (r *run) stop() error {
	r.cancel()
	<-r.ended
	return r.err
}

// A fixture runs as long as the engine, over each reload that leaves its settings as they are.
type fixture struct {
	settings any
	stop     func()
}

// keep has a fixture run with these settings.
func (s *serving) keep(ctx context.Context, f *fixture, settings any, work func(context.Context) error) {
	if f.stop != nil {
		if reflect.DeepEqual(f.settings, settings) {
			return
		}
		f.stop()
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	f.settings, f.stop = settings, func() {
		cancel()
		<-ended
	}
	s.group.Go(func() error {
		defer close(ended)
		return work(ctx)
	})
}

func (s *serving) run(ctx context.Context) error {
	s.read, s.files = stampOf(s.engine.Config.Path), filesOf(s.engine.Config)
	s.running = start(ctx, s.engine.Live.Daemon())
	stopStation := s.runStation(ctx)
	defer func() {
		s.running.stop()
		stopStation() // lets go of the work, now that nobody does it
	}()
	s.keepFixtures(ctx)
	var err error
	for err == nil {
		select {
		case <-s.hangups:
			err = s.reload(ctx, true)
		case q := <-s.asked:
			if q.person || stampOf(s.engine.Config.Path) != s.read {
				err = s.reload(ctx, q.person)
			}
			close(q.done)
		case <-s.changed:
			err = s.reload(ctx, false)
		case password := <-s.passwords:
			if !s.accountWaits { // or it may be meant for the other service
				s.setPassword(password)
			}
		case r := <-s.replacements():
			err = s.takeOther(ctx, r)
		case <-s.running.ended:
			return s.running.err
		}
	}
	return err
}

// keepFixtures has all fixtures run with the settings that hold.
func (s *serving) keepFixtures(ctx context.Context) {
	c, log, store := s.engine.Config, s.engine.log, s.engine.store
	s.keep(ctx, &s.control, c.State, func(ctx context.Context) error {
		if err := control.Serve(ctx, s.engine.Live, c.State.Path); err != nil {
			return fmt.Errorf("answer the other commands: %w", err)
		}
		return nil
	})
	type settings struct {
		of     any
		log    config.Log
		opened int
		files  files
	}
	keep := func(f *fixture, of any, work func(context.Context)) {
		s.keep(ctx, f, settings{of, c.Log, s.engine.opened, s.files}, func(ctx context.Context) error {
			work(ctx)
			return nil
		})
	}
	keep(&s.page, c.Dashboard, func(ctx context.Context) { s.showDashboard(ctx, c.Dashboard, c.State.Path, log) })
	if s.engine.isStandby() { // the active station sends them
		keep(&s.messages, nil, func(ctx context.Context) { <-ctx.Done() })
	} else {
		messages := s.engine.messages()
		keep(&s.messages, c.Notify, func(ctx context.Context) {
			messages.Before = s.told
			s.told = notify.New(s.engine.status, messages)
			s.told.Run(ctx)
		})
	}
	keep(&s.memory, nil, func(ctx context.Context) { giveMemoryBack(ctx, store) })
	keep(&s.passwordFile, c.Service, func(ctx context.Context) {
		followPassword(ctx, c.Service, s.engine.call.Env, log, func(password apiclient.Secret) { send(ctx, s.passwords, password) })
	})
}

// send gives a value to who waits for it, unless the context ends before.
func send[T any](ctx context.Context, to chan<- T, value T) {
	select {
	case to <- value:
	case <-ctx.Done():
	}
}

func (s *serving) setPassword(password apiclient.Secret) {
	s.engine.password = password
	s.engine.Client.SetPassword(password)
	s.engine.Live.Daemon().PasswordChanged()
}

// messages are the options of its notifier.
func (w *Engine) messages() notify.Options {
	c := w.Config.Notify
	return notify.Options{
		Webhook: c.Webhook, Secret: c.WebhookSecret, RootCAs: w.trust, Command: c.Command, Environ: os.Environ(),
		Every: c.Every, Version: cli.Version(), Log: w.log, Diary: w.store,
	}
}

func (w *Engine) status() status.Status { return w.Live.Daemon().Status() }

// summary is the daemon's status in a line.
func (w *Engine) summary() string { return statusLine(w.status()) }

// statusLine is the daemon's status in a line.
func statusLine(s status.Status) string {
	text := status.Counted(len(s.Products), "product folder")
	attention := 0
	for _, p := range s.Products {
		if p.State == status.Attention {
			attention++
		}
	}
	switch {
	case s.Paused:
		text += ", paused"
	case s.Service.Trouble != "":
		text += ", " + s.Service.Trouble
	}
	if attention > 0 {
		text += fmt.Sprintf(", %d in need of attention", attention)
	}
	if s.Settings != "" {
		text += "; " + s.Settings
	}
	return text
}

// Pass makes one pass. While it runs, it answers the other commands and sends news.
func (w *Engine) Pass(ctx context.Context) error {
	notifier := notify.New(w.status, w.messages())
	ctx, cancel := context.WithCancel(ctx)
	var beside errgroup.Group
	beside.Go(func() error {
		if err := control.Serve(ctx, w.Live, w.Config.State.Path); err != nil {
			w.log.Warn("other commands cannot reach this pass", "error", err) // it still publishes
		}
		return nil
	})
	beside.Go(func() error {
		notifier.Run(ctx)
		return nil
	})
	err := w.Live.Daemon().Sync(ctx)
	cancel()
	return errors.Join(err, beside.Wait())
}
