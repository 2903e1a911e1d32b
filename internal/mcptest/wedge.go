package mcptest

import "time"

// Wedge is one way in which a server stops at one phase of a session.
type Wedge struct {
	Name string
	At   Phase
	Do   Behaviour
	// Connects says that tools can be known all the same.
	Connects bool
}

// NewServer is a server that has the wedge, with more than one page of tools.
func (w Wedge) NewServer(legacy bool) *Server {
	return &Server{LegacySSE: legacy, PageSize: 5, Wedges: map[Phase]Behaviour{w.At: w.Do}}
}

// Wedges are the ways to stop, of streamable HTTP or of the older transport, in the order of a session.
func Wedges(legacy bool) []Wedge {
	if legacy {
		return legacyWedges
	}
	return streamableWedges
}

// SlowAnswer is a body of one byte a second.
var SlowAnswer = Drip("application/json", "$ANSWER", time.Second)

var streamableWedges = []Wedge{
	{Name: "connection accepted and silent", At: Accept, Do: Hang},
	{Name: "headers never", At: Every, Do: Hang},
	{Name: "body never", At: Every, Do: HangBody},
	{Name: "event never", At: Every, Do: HangStream},
	{Name: "initialize: headers never", At: Initialize, Do: Hang},
	{Name: "initialize: body never", At: Initialize, Do: HangBody},
	{Name: "initialize: event never", At: Initialize, Do: HangStream},
	{Name: "initialize: drip", At: Initialize, Do: SlowAnswer},
	{Name: "initialized: headers never", At: Initialized, Do: Hang, Connects: true},
	{Name: "initialized: body never", At: Initialized, Do: HangBody, Connects: true},
	{Name: "tools/list page 1: headers never", At: ListPage1, Do: Hang},
	{Name: "tools/list page 1: body never", At: ListPage1, Do: HangBody},
	{Name: "tools/list page 1: event never", At: ListPage1, Do: HangStream},
	{Name: "tools/list page 1: drip", At: ListPage1, Do: SlowAnswer},
	{Name: "tools/list page 2: headers never", At: ListPage2, Do: Hang},
	{Name: "tools/list page 2: body never", At: ListPage2, Do: HangBody},
	{Name: "tools/list page 2: event never", At: ListPage2, Do: HangStream},
	{Name: "GET: headers never", At: Get, Do: Hang, Connects: true},
	{Name: "DELETE: headers never", At: Delete, Do: Hang, Connects: true},
	{Name: "DELETE: body never", At: Delete, Do: HangBody, Connects: true},
}

var legacyWedges = []Wedge{
	{Name: "connection accepted and silent", At: Accept, Do: Hang},
	{Name: "headers never", At: Every, Do: Hang},
	{Name: "body never", At: Every, Do: HangBody},
	{Name: "endpoint never", At: SSEEndpoint, Do: HangStream},
	{Name: "POST: headers never", At: SSEPost, Do: Hang},
	{Name: "POST: body never", At: SSEPost, Do: HangBody},
	{Name: "initialize: headers never", At: Initialize, Do: Hang},
	{Name: "initialize: event never", At: Initialize, Do: HangStream},
	{Name: "initialized: headers never", At: Initialized, Do: Hang, Connects: true},
	{Name: "tools/list page 1: headers never", At: ListPage1, Do: Hang},
	{Name: "tools/list page 1: event never", At: ListPage1, Do: HangStream},
	{Name: "tools/list page 2: headers never", At: ListPage2, Do: Hang},
	{Name: "tools/list page 2: event never", At: ListPage2, Do: HangStream},
}
