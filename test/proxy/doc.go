// Package proxy tests that what the documentation tells users to type works for them: with this module from a module
// proxy, in a module of their own. It compiles the generator from there, so only .ci/run has it: go test -tags proxy.
package proxy
