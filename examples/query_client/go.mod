module stagedoor.dev/examples/query_client

go 1.24
