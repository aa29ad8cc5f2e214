package namedlock

import (
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Restore returns a handle on a grant that was made elsewhere, as by another process that ends before its lock does. The
// owner and the token tell which grant; the store is not asked, so that the handle may speak for one that is over: then
// [Lock.Renew] and [Lock.Release] say so (L7, L8), and nothing that came after it is touched (M1).
//
// ttl is what [Lock.Keep] renews to. Remaining and Deadline are zero until a renewal has told them, so renew before keeping.
// The handle is shared. The input is checked as for [Locker.TryLock], and a token below 1 is nobody's: renewals and
// releases of it are refused.
func (l *Locker) Restore(name, owner string, token Token, ttl time.Duration) (*Lock, error) {
	claim, err := newClaim(name, owner, ttl)
	if err != nil {
		return nil, failed("restore", name, err)
	}
	now := l.now()
	return &Lock{
		locker:   l,
		grant:    domain.Grant{Name: claim.Name, Owner: claim.Owner, Token: token},
		ttl:      claim.TTL,
		shared:   true,
		answered: now,
		tenure:   tenure{since: now},
	}, nil
}
