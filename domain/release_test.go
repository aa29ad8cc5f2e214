package domain_test

import (
	"testing"

	"github.com/alkstore/namedlock/domain"
)

func TestARowGoesToItsOwnGrantOnly(t *testing.T) {
	tests := map[string]struct {
		standing domain.Lock
		grant    domain.Grant
		want     bool
	}{
		"its own":                              {standing(), anns, true},
		"its own, lapsed long ago":             {until(first), anns, true},
		"an earlier one of the same owner":     {standing(), domain.Grant{Name: report, Owner: ann, Token: 6}, false},
		"a later one of the same owner":        {standing(), domain.Grant{Name: report, Owner: ann, Token: 8}, false},
		"the same token, another owner":        {standing(), domain.Grant{Name: report, Owner: bob, Token: 7}, false},
		"the same token and owner, other name": {standing(), domain.Grant{Name: other, Owner: ann, Token: 7}, false},
		"nobody's":                             {standing(), domain.Grant{}, false},
		"without a row":                        {domain.Lock{}, anns, false},
		"nobody's, without a row":              {domain.Lock{}, domain.Grant{}, false},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			if got := domain.Releases(test.standing, test.grant); got != test.want {
				t.Errorf("released is %v, want %v", got, test.want)
			}
		})
	}
}

func TestBreakingMatchesNameAndToken(t *testing.T) {
	tests := map[string]struct {
		standing domain.Lock
		name     domain.Name
		seen     domain.Token
		want     bool
	}{
		"the grant that was seen":         {standing(), report, 7, true},
		"lapsed meanwhile":                {until(first), report, 7, true},
		"an earlier grant":                {standing(), report, 6, false},
		"a later grant":                   {standing(), report, 8, false},
		"another name":                    {standing(), other, 7, false},
		"without a row":                   {domain.Lock{}, report, 7, false},
		"the zero token, without a row":   {domain.Lock{}, domain.Name{}, 0, false},
		"the zero token, though one does": {standing(), report, 0, false},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			if got := domain.Breaks(test.standing, test.name, test.seen); got != test.want {
				t.Errorf("broken is %v, want %v", got, test.want)
			}
		})
	}
}

func TestWithdrawingMatchesTheVeryCall(t *testing.T) {
	tests := map[string]struct {
		standing domain.Lock
		claim    domain.Claim
		want     bool
	}{
		"the call that made the grant":           {standing(), domain.Claim{ID: 70, Name: report, Owner: ann}, true},
		"lapsed meanwhile":                       {until(first), domain.Claim{ID: 70, Name: report, Owner: ann}, true},
		"another call of the same owner":         {standing(), domain.Claim{ID: 71, Name: report, Owner: ann}, false},
		"another owner who drew the same number": {standing(), domain.Claim{ID: 70, Name: report, Owner: bob}, false},
		"another name":                           {standing(), domain.Claim{ID: 70, Name: other, Owner: ann}, false},
		"without a row":                          {domain.Lock{}, domain.Claim{ID: 70, Name: report, Owner: ann}, false},
		"the zero claim, without a row":          {domain.Lock{}, domain.Claim{}, false},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			if got := domain.Withdraws(test.standing, test.claim); got != test.want {
				t.Errorf("withdrawn is %v, want %v", got, test.want)
			}
		})
	}
}
