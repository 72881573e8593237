package apiclient

import (
	"fmt"
	"log/slog"
)

// Secret is a password. It prints as *** wherever it is printed, logged or marshalled.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer.
func (s Secret) String() string { return Hidden }

// Format prints *** for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, Hidden) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Hidden) }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Hidden), nil }
