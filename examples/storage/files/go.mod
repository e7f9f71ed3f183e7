module github.com/go-doca/go-doca/examples/storage/files

go 1.26.0

require (
	github.com/diskfs/go-diskfs v1.9.4
	github.com/go-doca/go-doca v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/elliotwutingfeng/asciiset v0.0.0-20260129054604-cfde2086bc57 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/go-doca/go-doca => ../../..
