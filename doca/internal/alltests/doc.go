// Package alltests has the tests that hold for the objects of all packages below doca.
package alltests
