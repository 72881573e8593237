package publish

import (
	"sync/atomic"

	"spinsync/daemon/reading"
	"spinsync/daemon/renamed"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
)

// NewJob is the work on a folder of which nothing was read.
func NewJob(p *Publisher, key syncstate.Folder, root *reading.Root) *Job {
	folder := reading.New(p.Files, key, root)
	screen := &screen{key: key, display: p.Display, log: p.Log}
	record := &ledger{
		key: key, root: root, records: p.Records, keeper: p.Keeper, abandoned: new(atomic.Int32), screen: screen,
	}
	j := &Job{
		News: make(chan struct{}, 1), Folder: folder, record: record, screen: screen,
		keeper: p.Keeper,
	}
	pace := pace{random: p.Random}
	ask := &requests{
		service: p.Service, key: key, poll: p.Poll, random: p.Random, log: p.Log, said: map[string]knowledge{},
	}
	j.scenes = scenes{
		record: record, folder: folder, service: p.Service, around: p.Neighbours, views: p.Views, longest: p.Poll.Max,
	}
	j.gate = gate{service: p.Service, ask: ask, screen: screen}
	j.conclusions = conclusions{
		folder: folder, gate: j.gate, log: p.Log,
		troubles: troubles{record: record, folder: folder, service: p.Service, pace: pace, metrics: p.Metrics},
		panics:   panics{record: record, screen: screen, folder: folder, pace: pace, log: p.Log},
	}
	j.reader = &reader{folder: folder, screen: screen, conclusions: j.conclusions, log: p.Log}

	search := renamed.Search{
		Folder: folder, Files: p.Files, Store: p.Records.Store, Index: p.Records.Index, Others: p.Neighbours,
	}
	j.heir = heir{
		record: record, search: search, keeper: p.Keeper, views: p.Views, log: p.Log,
		unwatched: unwatchedRoots{
			record: record, records: p.Records, folder: folder, roots: p.Unwatched, log: p.Log,
		},
	}
	finder := productFinder{record: record, service: p.Service, ask: ask, heir: j.heir, folder: folder}
	j.parts.projects = projectFinder{record: record, records: p.Records, service: p.Service, heir: j.heir}
	j.parts.creator = creator{record: record, service: p.Service, finder: finder, heir: j.heir, log: p.Log}

	sent := &sentFrames{record: record, folder: folder}
	frames := frameSender{
		record: record, progress: p.Display, metrics: p.Metrics, stagger: p.Stagger,
		sender: sending.Sender{Folder: folder, Service: p.Service, Throttle: p.Throttle, Slots: p.Slots},
	}
	j.uploading = &uploadStep{
		uploader: uploader{key: key, service: p.Service, sent: sent, frames: frames, pauses: p.Neighbours},
		forms: forms{
			record: record, folder: folder, service: p.Service, slots: p.Slots, pace: pace, metrics: p.Metrics,
		},
		conclusions: j.conclusions, news: j.News,
	}

	j.parts.texts = &describer{record: record, ask: ask, refused: refusedTexts{pace: pace}, log: p.Log}
	j.rest = rest{record: record, screen: screen, folder: folder, texts: j.parts.texts, views: p.Views}
	j.parts.starter = starter{record: record, ask: ask, frames: frames, pace: pace}
	j.parts.finisher = finisher{record: record, ask: ask, sent: sent, starter: j.parts.starter, slots: p.Slots}
	j.parts.poller = poller{record: record, ask: ask, giveUp: p.Poll.GiveUp}
	j.parts.collector = collector{
		record: record, ask: ask, starter: j.parts.starter, texts: j.parts.texts, copies: search,
		metrics: p.Metrics, giveUp: p.Poll.GiveUp,
	}
	j.parts.upkeep = upkeep{record: record, ask: ask, texts: j.parts.texts, folder: folder, log: p.Log}
	j.parts.remover = remover{record: record, ask: ask, folder: folder, others: p.Neighbours, log: p.Log}
	comparer := &comparer{record: record, ask: ask, folder: folder, scene: j.scenes.scene, foreign: new(sighting[upload])}
	j.parts.reconciler = reconciler{record: record, comparer: comparer, views: viewFinder{
		service: p.Service, heir: j.heir, projects: j.parts.projects, products: finder,
		lookalikes: lookalikes{
			record: record, service: p.Service, comparer: comparer, others: p.Neighbours, log: p.Log,
		},
	}}
	return j
}
