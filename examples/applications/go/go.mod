module polympi/applications

go 1.24

require polympi/bindings/go v0.0.0

replace polympi/bindings/go => ../../../bindings/go
