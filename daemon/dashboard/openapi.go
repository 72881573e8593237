package dashboard

import (
	_ "embed"
	"net/http"
)

// openAPI describes the answers for programs.
//
//go:embed openapi.yaml
var openAPI []byte

func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	w.Write(openAPI)
}
