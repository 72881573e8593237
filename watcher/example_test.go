package watcher_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"spinsync/watcher"
)

// A product folder is reported as soon as it is found, and again when its frames are still.
func ExampleWatcher() {
	root, err := os.MkdirTemp("", "shoots")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	shoe := filepath.Join(root, "shoe")
	if err := os.Mkdir(shoe, 0o755); err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"1.jpg", "2.jpg", "3.jpg.part"} {
		if err := os.WriteFile(filepath.Join(shoe, name), []byte("a photo"), 0o644); err != nil {
			fmt.Println(err)
			return
		}
	}

	w, err := watcher.New([]watcher.Root{{
		Path: root, Depth: 1, Include: []string{"*.jpg"}, Settle: 100 * time.Millisecond,
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go w.Run(ctx)
	for s := range w.Snapshots() {
		if len(s.Frames) > 0 && s.Frames[0].Still {
			fmt.Println(s.Folder, s.Frames[0].Name, s.Frames[1].Name)
			fmt.Println(s.Busy[0].Name, "is", s.Busy[0].Reason)
			return
		}
	}
	// Output:
	// shoe 1.jpg 2.jpg
	// 3.jpg.part is an unfinished download or copy
}
