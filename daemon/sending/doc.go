// Package sending sends one frame to the upload host. Fill in a Sender and call Send. The bytes are
// hashed and checked as they pass, so that the digest is that of the sent bytes. It records nothing.
package sending
