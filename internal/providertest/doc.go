// Package providertest shows that the tools and results of this project's
// clients are accepted by fantasy's providers as they are.
//
// It is a module of its own, since a cold build of the providers takes minutes.
// The README says how to run it.
package providertest
