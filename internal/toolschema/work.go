package toolschema

import (
	"errors"
	"fmt"
)

// Work is counted in steps of about 50 ns: a keyword or a value that is read,
// two alternatives that are compared, 16 bytes of text. The costliest of 2,133
// real tools takes 185,000 in four attempts, most take less than 1,000.
const (
	maxWork  = 500_000 // of all attempts together
	lastWork = 160_000 // of these, kept for the attempt without references
	askEvery = 1_000   // steps between two questions to Options.Stop
)

// textStep is how many bytes of text are one step.
const textStep = 16

// ErrStopped says that Options.Stop ended a conversion.
var ErrStopped = errors.New("the conversion of the schema was stopped")

var (
	errTooLarge = errors.New("schema is too large")
	errTooMuch  = errors.New("schema takes too much work to convert")
)

// refDepths are how many references inside one another are inlined, attempt
// by attempt, until the outcome fits. A schema whose references fan out then
// loses its deepest levels everywhere, rather than everything behind the first
// few properties.
var refDepths = [...]int{1 << 20, 3, 2, 1, 0}

// A schema that grows by inlining is paid for with every request to the model.
// So a reference inside another one is inlined only up to this many bytes, or
// twice what came in where that is more. MaxBytes and MaxNodes remain the bound
// for the rest.
const growthBytes = 64 << 10

func convertRoot(root any, size int, o Options) (*Schema, error) {
	doc := newDocument(root, o)
	var w *walker
	for _, depth := range refDepths {
		if w != nil && !w.differs(depth) {
			continue
		}
		w = &walker{o: o, doc: doc, refDepth: depth, limit: o.MaxBytes, steps: doc.share(depth)}
		if depth > 1 {
			w.limit = min(o.MaxBytes, max(growthBytes, 2*size))
		}
		s, err := w.root()
		switch {
		case doc.stopped:
			return nil, ErrStopped
		case !w.over:
			return s, err
		}
	}
	if w.steps < 0 {
		return nil, errTooMuch
	}
	return nil, fmt.Errorf("%w: over %d values or %d bytes", errTooLarge, o.MaxNodes, o.MaxBytes)
}

// differs says whether an attempt after this one may fit where this did not:
// because it inlines less, or because it has more bytes or steps.
func (w *walker) differs(depth int) bool {
	return depth < w.reached || depth == 1 && w.bytes < 0 || depth == 0 && w.steps < 0
}

// share is the work that an attempt may do: all for the last one, and for the
// others half of what is not kept for it.
func (d *document) share(depth int) int {
	if depth == 0 {
		return d.steps
	}
	return max(0, d.steps-lastWork) / 2
}

// work takes n steps from what the attempt and the conversion may cost.
func (w *walker) work(n int) bool {
	w.steps -= n
	if w.steps < 0 || w.doc.stop(n) {
		w.over = true
	}
	return !w.over
}

// stop counts n steps of the conversion, and says whether it is to be stopped.
func (d *document) stop(n int) bool {
	d.steps -= n
	if d.unasked -= n; d.unasked < 0 && d.o.Stop != nil {
		d.unasked = askEvery
		d.stopped = d.stopped || d.o.Stop()
	}
	return d.stopped
}
