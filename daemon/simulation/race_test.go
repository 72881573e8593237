//go:build race

package simulation

const raceDetected = true
