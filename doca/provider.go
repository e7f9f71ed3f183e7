package doca

import "github.com/go-doca/go-doca/generated/abi"

// ProviderInfo says which DOCA is in use.
type ProviderInfo = abi.ProviderInfo

// Provider returns the DOCA implementation in use and its version: the installed SDK,
// or one that the program links in. The first call of anything in these packages
// chooses it, and it stays for the life of the process; the environment variable
// DOCA_PROVIDER (sdk, emulator) overrides the choice. The error says what was tried
// and how to get an implementation. It may be called from any goroutine. Stands on
// doca_version_runtime.
func Provider() (ProviderInfo, error) { return abi.Active() }
