package dashboard

// A button is a form with a verb for one product folder, or for all of them.
type button struct {
	Verb  string // its address
	ID    string // of the folder; empty for all
	Back  string // address of the page with the button
	Field string // a further field with the value yes, or ""
	Label string
	About string // read out by a screen reader behind the label
	First bool   // the most likely choice
	Asks  string // the question before it; empty for none
}

// Buttons are those for all folders.
func (h hero) Buttons() []button {
	var list []button
	if h.Unread {
		list = append(list, button{Verb: "/reload", Back: h.Here, Label: "Reload settings"})
	}
	if h.ReadOnly {
		return list
	}
	if h.Troubled {
		list = append(list, button{Verb: "/retry", Back: h.Here, Label: "Retry all"})
	}
	if h.Paused {
		return append(list, button{Verb: "/resume", Back: h.Here, Label: "Resume", First: true})
	}
	return append(list, button{Verb: "/pause", Back: h.Here, Label: "Pause"})
}

// Buttons are the remedies for a folder in trouble or in a pause, the most likely first.
func (r row) Buttons() []button {
	var list []button
	if r.AsIs && !r.ReadOnly {
		list = append(list, r.button("/retry", "Publish "+counted(r.Frames.Settled, "frame", "frames"), "as_is"))
	}
	if r.CanRetry() {
		list = append(list, r.button("/retry", "Retry", ""))
	}
	if r.CanResume() {
		list = append(list, r.button("/resume", "Resume", ""))
	}
	return list
}

func (r row) button(verb, label, field string) button {
	return button{Verb: verb, ID: r.ID, Back: r.Here, Field: field, Label: label, About: r.Name}
}

// Buttons are all the buttons of a folder's page.
func (f folderPage) Buttons() []button {
	list := f.row.Buttons()
	switch {
	case !f.CanPause(), f.CanResume():
	case f.Paused:
		list = append(list, f.button("/resume", "Resume", ""))
	default:
		list = append(list, f.button("/pause", "Pause", ""))
	}
	switch {
	case !f.CanRush():
	case f.Priority:
		list = append(list, f.button("/rush", "End rush", "off"))
	default:
		list = append(list, f.button("/rush", "Rush", ""))
	}
	if f.Gone && !f.ReadOnly {
		forget, remove := f.button("/forget", "Forget", ""), f.button("/forget", "Delete the view", "delete_view")
		forget.Back, remove.Back = "/", "/" // this page goes with the folder
		forget.Asks = "Forget the folder, and keep its view on the service?"
		remove.Asks = "Delete the view on the service, with all its images?"
		list = append(list, forget, remove)
	}
	for i := range list {
		list[i].About = "" // the page is about the folder alone
	}
	return list
}
