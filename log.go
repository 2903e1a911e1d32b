package mcpclient

import stdslog "log/slog"

// discardLogger keeps the SDK silent: what it logs is remote text that nobody
// has cleaned.
var discardLogger = stdslog.New(stdslog.DiscardHandler)
