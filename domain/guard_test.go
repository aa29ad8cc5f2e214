package domain

import "testing"

func TestM2AGuardIsForTheStandingGrantWhileItIsLive(t *testing.T) {
	standing := Restore(Grant{Name: RestoreName("n"), Owner: RestoreOwner("o"), Token: 7}, 1, 1000, 2000)
	for title, test := range map[string]struct {
		standing Lock
		change   func(*Grant)
		now      Instant
		want     bool
	}{
		"at the grant":             {standing, nil, 1000, true},
		"a microsecond before":     {standing, nil, 1999, true},
		"at the deadline":          {standing, nil, 2000, false},
		"after it":                 {standing, nil, 3000, false},
		"nothing stands":           {Lock{}, nil, 1500, false},
		"an earlier token":         {standing, func(g *Grant) { g.Token = 6 }, 1500, false},
		"a later token":            {standing, func(g *Grant) { g.Token = 8 }, 1500, false},
		"another owner":            {standing, func(g *Grant) { g.Owner = RestoreOwner("p") }, 1500, false},
		"another name":             {standing, func(g *Grant) { g.Name = RestoreName("m") }, 1500, false},
		"no grant, nothing stands": {Lock{}, func(g *Grant) { *g = Grant{} }, 1500, false},
	} {
		grant := standing.Grant()
		if test.change != nil {
			test.change(&grant)
		}
		if got := Guards(test.standing, grant, test.now); got != test.want {
			t.Errorf("%s: %v", title, got)
		}
	}
}
