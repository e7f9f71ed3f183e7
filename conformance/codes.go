// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"

	"github.com/go-doca/go-doca/generated/abi"
)

// The codes as the cases name them.
const (
	success      = abi.Success
	notPermitted = abi.ErrorNotPermitted
	inUse        = abi.ErrorInUse
	notSupported = abi.ErrorNotSupported
	again        = abi.ErrorAgain
	invalid      = abi.ErrorInvalidValue
	noMemory     = abi.ErrorNoMemory
	initFailed   = abi.ErrorInitialization
	aborted      = abi.ErrorConnectionAborted
	notConnected = abi.ErrorNotConnected
	notFound     = abi.ErrorNotFound
	ioFailed     = abi.ErrorIOFailed
	badState     = abi.ErrorBadState
	alreadyExist = abi.ErrorAlreadyExist
	full         = abi.ErrorFull
	empty        = abi.ErrorEmpty
	inProgress   = abi.ErrorInProgress
	tooBig       = abi.ErrorTooBig
)

// of sets the library of cases.
func of(library string, cases []Case) []Case {
	for i := range cases {
		cases[i].Library = library
	}
	return cases
}

func needs(list ...Need) []Need { return list }

func isAgain(err error) bool { return errors.Is(err, again) }
