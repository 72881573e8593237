package engine

// handOver does nothing: files inherit the rights of their directory.
func handOver(string) error { return nil }
