package doca

import "github.com/go-doca/go-doca/generated/abi"

// ProviderInfo describes the DOCA implementation in use.
type ProviderInfo = abi.ProviderInfo

// Provider returns the DOCA implementation in use and its version: the installed SDK, or an
// implementation that is linked into the program. The first call into these packages
// chooses it for the life of the process. The environment variable DOCA_PROVIDER (sdk or
// emulator) overrides the choice. If there is no implementation, the error says what was
// tried and how to get one. Provider may be called from any goroutine. Calls
// doca_version_runtime.
func Provider() (ProviderInfo, error) { return abi.Active() }
