module cases

go 1.26.0

require github.com/go-doca/go-doca v0.0.0

replace github.com/go-doca/go-doca => ../../..
