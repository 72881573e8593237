package frame

// gif walks the blocks to the trailer.
func (f *file) gif() error {
	f.info.ContentType = "image/gif"
	head, err := f.next(13)
	if err != nil {
		return err
	}
	if f.headerOnly {
		return nil
	}
	if err := f.skip(colorTable(head[10])); err != nil {
		return err
	}
	for {
		kind, err := f.next(1)
		if err != nil {
			return err
		}
		switch kind[0] {
		case '!':
			err = f.gifBlock(1)
		case ',':
			err = f.gifPicture()
		case ';':
			return nil
		default:
			err = broken("its blocks do not follow one another")
		}
		if err != nil {
			return err
		}
	}
}

// colorTable is the length of the colour table that a packed field announces.
func colorTable(packed byte) int64 {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

func (f *file) gifPicture() error {
	descriptor, err := f.next(9)
	if err != nil {
		return err
	}
	return f.gifBlock(colorTable(descriptor[8]) + 1)
}

// gifBlock consumes n bytes and the chain of sub-blocks behind them, which ends with an empty one.
func (f *file) gifBlock(n int64) error {
	for {
		if err := f.skip(n); err != nil {
			return err
		}
		length, err := f.next(1)
		if err != nil {
			return err
		}
		if n = int64(length[0]); n == 0 {
			return nil
		}
	}
}
