package schedule

import "time"

// Pause is the wait before try n (from 1): full jitter below a doubling bound, so that many
// folders that failed together do not come back together.
func Pause(n int, random func(int64) int64) time.Duration {
	return jitter(Doubled(2*time.Second, n-1, 5*time.Minute), random)
}

// Doubled is base, doubled so many times, but at most most.
func Doubled(base time.Duration, times int, most time.Duration) time.Duration {
	for range min(times, 32) {
		if base *= 2; base >= most {
			return most
		}
	}
	return base
}

func jitter(most time.Duration, random func(int64) int64) time.Duration {
	const least = 250 * time.Millisecond
	return least + time.Duration(random(int64(most)))
}
