package dashboard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"spinsync/daemon/status"
)

// Whoever writes a program against the description gets answers that are as described, and no field
// that is not described.
func TestAnswersAreAsDescribed(t *testing.T) {
	inStudio(t, "frames = 2\non_remove = \"delete\"", Options{Version: "1.2.3"}, func(t *testing.T, s *studio) {
		described, err := openapi3.NewLoader().LoadFromData([]byte(s.text("/openapi.yaml")))
		if err == nil {
			err = described.Validate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		s.shoot("Summer/SKU-1", "1.jpg", "2.jpg")
		s.write("Summer/SKU-1/product.toml", []byte("[alt.en]\n\"1.jpg\" = \"A shoe\"\n"))
		s.shoot("Summer/SKU-2", "1.jpg", "2.jpg", "3.jpg")
		s.write("Summer/SKU-2/raw.nef", photo(t, 9, 9, color.White))
		s.untilState("Summer/SKU-1", status.Published)
		s.untilState("Summer/SKU-2", status.Attention)
		gone := []string{"Summer/SKU-3", "Summer/SKU-4"}
		for _, folder := range gone {
			s.shoot(folder, "1.jpg", "2.jpg")
			s.untilState(folder, status.Published)
		}
		s.w.Remove(gone...)
		s.untilState("Summer/SKU-3", status.Attention)

		holdsTo(t, described, "/api/status", s.text("/api/status"))
		for _, folder := range []string{"Summer/SKU-1", "Summer/SKU-2"} {
			holdsTo(t, described, "/api/folder/{id}", s.text("/api/folder/"+s.id(folder)))
		}
		holds(t, s.text("/api/folder/"+s.id("Summer/SKU-1")), `"A shoe"`)
		lines := strings.Split(strings.TrimSpace(s.text("/api/export")), "\n")
		if len(lines) != 4 {
			t.Errorf("%d folders are exported", len(lines))
		}
		for _, line := range lines {
			holdsTo(t, described, "/api/export", line)
		}
		answer := s.stream("/stream?of=overview")
		line, err := bufio.NewReader(answer.Body).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		holdsTo(t, described, "/stream", strings.TrimPrefix(line, "data: "))
	})
}

// holdsTo compares a good answer with its description.
func holdsTo(t *testing.T, described *openapi3.T, path, text string) {
	t.Helper()
	for _, content := range described.Paths.Value(path).Get.Responses.Value("200").Value.Content {
		var answer any
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%s: %v in %s", path, err, text)
		}
		if err := content.Schema.Value.VisitJSON(answer, openapi3.EnableFormatValidation()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, field := range undescribed(content.Schema.Value, answer, "") {
			t.Errorf("%s has a field %s that openapi.yaml does not describe", path, field)
		}
	}
}

// undescribed are the fields of a value that its schema does not name.
func undescribed(schema *openapi3.Schema, value any, at string) (fields []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			fields = append(fields, undescribed(schema.Items.Value, element, at+"[]")...)
		}
	case map[string]any:
		for name, field := range value {
			known := propertyOf(schema, name)
			if known == nil {
				fields = append(fields, fmt.Sprintf("%s.%s", at, name))
				continue
			}
			fields = append(fields, undescribed(known, field, at+"."+name)...)
		}
	}
	return fields
}

func propertyOf(schema *openapi3.Schema, name string) *openapi3.Schema {
	if p := schema.Properties[name]; p != nil {
		return p.Value
	}
	for _, part := range schema.AllOf {
		if p := propertyOf(part.Value, name); p != nil {
			return p
		}
	}
	if any := schema.AdditionalProperties.Schema; any != nil {
		return any.Value
	}
	return nil
}
