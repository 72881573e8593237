//go:build !race

package simulation

const raceDetected = false
