package apiclient

import (
	"fmt"
	"log/slog"
)

// hidden is what a secret prints as.
const hidden = "***"

// Secret is a password. It prints as *** wherever it is printed, logged or marshalled.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer.
func (s Secret) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return hidden }

// Format prints *** for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, hidden) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON implements json.Marshaler.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
