module polympi/bindings/go

go 1.24
