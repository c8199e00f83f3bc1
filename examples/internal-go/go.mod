module example.com/books

go 1.19

require (
	google.golang.org/genproto v0.0.0-20221118155620-16455021b5e6
	google.golang.org/grpc v1.51.0
	google.golang.org/protobuf v1.28.1
)
