// Package servertest holds the client and the model of a cluster against a real etcd server. It is a
// module of its own, so that the server is no part of the program's.
package servertest
