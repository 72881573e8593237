package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// installerSpace is where the codes of the installer come from. It equals the UpgradeCode, and
// never changes.
var installerSpace = uuid.MustParse("E0BC9B43-35B2-55A5-9AF6-40C58FDFF6B9")

// productCode is another one for each version, as the Windows Installer wants it.
func (r *release) productCode() string { return r.code("product") }

func (r *release) code(kind string) string {
	name := fmt.Sprintf("%s %s %d", kind, r.version, r.time.Unix())
	return strings.ToUpper(uuid.NewSHA1(installerSpace, []byte(name)).String())
}

// makeInstaller makes the MSI.
func (r *release) makeInstaller(ctx context.Context, t target) error {
	files := filepath.Join(r.work, "installer")
	if err := r.layOutInstaller(files, t); err != nil {
		return err
	}
	this, next := windowsVersion(r.version, r.time)
	path, err := filepath.Abs(filepath.Join(r.dist, r.dir(t)+".msi"))
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "wixl", "--arch", "x64", "--output", path,
		"-D", "Version="+this, "-D", "NextVersion="+next,
		"-D", "FullVersion="+r.version, "-D", "ProductCode="+r.productCode(), "spinsync.wxs")
	c.Dir = files // wixl takes no absolute paths
	if err := execute("wixl", c); err != nil {
		return err
	}
	return r.settleSummary(path)
}

// installerTarget is the system that the MSI is for.
var installerTarget = target{"windows", "amd64"}

// findInstallerTool finds the program that makes the MSI, before minutes go into anything else.
func findInstallerTool(targets []target) error {
	if !slices.Contains(targets, installerTarget) {
		return nil
	}
	if _, err := exec.LookPath("wixl"); err != nil {
		return errors.New("wixl is needed for the MSI; on Debian: apt install wixl")
	}
	return nil
}

func (r *release) layOutInstaller(files string, t target) error {
	if err := os.MkdirAll(files, 0o755); err != nil {
		return err
	}
	for name, from := range map[string]string{
		"spinsync.exe":      r.binary(t),
		"LICENSE.txt":       "LICENSE",
		"THIRD-PARTY.txt":   r.texts("THIRD-PARTY.txt"),
		"spinsync.wxs":      "packaging/windows/spinsync.wxs",
		"README.md":         "README.md",
		"sync.toml.example": "sync.toml.example",
	} {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(files, name), data, 0o644); err != nil {
			return err
		}
	}
	return r.setTimes(files)
}

// settleSummary replaces what wixl takes from chance and from the clock: the package code and two
// times.
func (r *release) settleSummary(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := settleSummary(data, r.code("package"), r.time); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, data, 0o644)
}

// The summary of an installer is an OLE property set; these are its format's number and the
// properties in question.
var summaryFormat = []byte{
	0xE0, 0x85, 0x9F, 0xF2, 0xF9, 0x4F, 0x68, 0x10, 0xAB, 0x91, 0x08, 0x00, 0x2B, 0x27, 0xB3, 0xD9,
}

const (
	packageCode = 9 // a text
	created     = 12
	saved       = 13 // points in time
)

var errSummary = errors.New("its summary is not as wixl writes it")

func settleSummary(file []byte, code string, at time.Time) error {
	start := bytes.Index(file, summaryFormat)
	if start < 28 || start+20 > len(file) {
		return errSummary
	}
	set := file[start-28:] // the set begins 28 bytes before its first format
	section := set[min(len(set), int(binary.LittleEndian.Uint32(set[44:]))):]
	found := 0
	for i := range summaryCount(section) {
		id, value := summaryProperty(section, i)
		switch {
		case id == packageCode && len(value) >= 8+38 && value[8] == '{':
			copy(value[8:], "{"+code+"}")
			found++
		case (id == created || id == saved) && len(value) >= 12:
			binary.LittleEndian.PutUint64(value[4:], fileTime(at))
			found++
		}
	}
	if found != 3 {
		return errSummary
	}
	return nil
}

// summaryCount is the number of properties in a section's header, and that it has room for.
func summaryCount(section []byte) int {
	if len(section) < 8 {
		return 0
	}
	return min(int(binary.LittleEndian.Uint32(section[4:])), (len(section)-8)/8)
}

// summaryProperty returns the number of a property, and its value with the type in front.
func summaryProperty(section []byte, i int) (id uint32, value []byte) {
	row := section[8+8*i:]
	offset := int(binary.LittleEndian.Uint32(row[4:]))
	return binary.LittleEndian.Uint32(row), section[min(offset, len(section)):]
}

// fileTime counts steps of 100 ns since 1601.
func fileTime(t time.Time) uint64 {
	const until1970 = 11644473600
	return uint64(t.Unix()+until1970) * 10_000_000
}
