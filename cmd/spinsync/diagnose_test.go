package main

import (
	"archive/zip"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spinsync/cmd/spinsync/terminal"
	"spinsync/syncstate"
)

// Nothing secret may get into the bundle, wherever it stood: sync.toml, its comments, the state
// file, a log, the environment.
func TestDiagnoseHoldsNoSecret(t *testing.T) {
	const password = `canary "4711"&ä`
	s := startService(t, password)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("sync.toml", fmt.Sprintf("# once it was canary-comment\n[service]\nbase_url = %q\nusername = \"studio\"\npassword = %s\n[state]\npath = \"state.db\"\n[[watch]]\npath = \"shoots\"\nlayout = \"{project}/{sku}\"\n",
		s.url, terminal.Quoted(password)))
	write("a.log", strings.Join([]string{
		"the password " + password, "as JSON " + terminal.Quoted(password), "in an address " + url.QueryEscape(password),
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("studio:"+password)),
		"policy canary-policy", "signature canary-signature", `token="canary-token \" and more canary"`, `{"Signature": "canary-other"}`,
		"SPINSYNC_PASSWORD was canary-environment", "frame_01.jpg is published",
	}, "\n"))
	store, err := syncstate.Open(path("state.db"), syncstate.Account{BaseURL: s.url, Username: "studio"})
	if err != nil {
		t.Fatal(err)
	}
	form := &syncstate.Form{Policy: "canary-policy", Signature: "canary-signature", AccessKeyID: "canary-key"}
	err = store.Update(syncstate.Folder{Root: path("shoots"), Path: "Summer/SKU-1"}, func(r *syncstate.Record) error {
		r.Shown.State, r.Run = "uploading", &syncstate.Run{Phase: syncstate.Sending, Images: 1, Form: form}
		return nil
	})
	if err != nil || store.Close() != nil {
		t.Fatal(err)
	}

	env := environment(map[string]string{"SPINSYNC_PASSWORD": "canary-environment"})
	args := []string{"diagnose", "--config", path("sync.toml"), "--log", path("a.log"), "--to", path("out.zip")}
	if err := run(t.Context(), args, env, strings.NewReader(""), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	bundle := unzip(t, path("out.zip"))
	for name, text := range bundle {
		for _, secret := range []string{"canary", "4711", base64.StdEncoding.EncodeToString([]byte("studio:" + password))} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %s:\n%s", name, secret, text)
			}
		}
	}
	for name, want := range map[string]string{
		"status.json": "Summer/SKU-1", "check.txt": "credentials", "config.toml": "studio",
		"log.txt": "frame_01.jpg is published", "version.txt": "spinsync", "daemon.json": "no daemon is running",
	} {
		if !strings.Contains(bundle[name], want) {
			t.Errorf("%s lacks %s:\n%s", name, want, bundle[name])
		}
	}
	for _, want := range []string{`Layout = "{project}/{sku}"`, `Settle = "5s"`} {
		if !strings.Contains(bundle["config.toml"], want) {
			t.Errorf("config.toml lacks %s:\n%s", want, bundle["config.toml"])
		}
	}
}

func unzip(t *testing.T, path string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	texts := map[string]string{}
	for _, file := range archive.File {
		content, err := archive.Open(file.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		texts[file.Name] = string(text)
	}
	return texts
}
