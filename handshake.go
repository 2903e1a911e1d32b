package mcpclient

import (
	"cmp"
	"context"
	"sync"
)

// open makes a session that the end of ctx kills until release is called;
// release says whether it came in time. The session is there also beside an
// error, for whoever ends it. onSend is called when the handshake goes out.
//
// Without a configured version the session speaks a protocol with initialize;
// only a server that refuses it in the way of one that knows nothing else is
// asked again with the protocol that has none.
func open(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	opened, release, err := try(ctx, s, cmp.Or(version, protocolStateful), onSend)
	if err == nil || version != "" || !modernOnly(err) {
		return opened, release, err
	}
	opened.endPolitely()
	return try(ctx, s, protocolStateless, onSend)
}

func try(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	opened, err := newSession(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	opened.version = version
	stop := context.AfterFunc(ctx, func() { opened.kill(context.Cause(ctx)) })
	release := sync.OnceValue(stop)
	if err := opened.connect(onSend); err != nil {
		release()
		return opened, nil, err
	}
	return opened, release, nil
}
