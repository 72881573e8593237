package servicetest

import (
	"fmt"
	"strconv"
)

// A markup is an answer of 4.5.
type markup string

// embed makes the iframe of a product. A link that sizes itself ignores width and height.
func (s *stock) embed(r *request) (any, error) {
	p, err := s.productOf(r)
	if err != nil {
		return nil, err
	}
	width, height := "640", "480"
	switch kind := r.query.Get("type"); kind {
	case "responsive":
		width, height = "100%", "100%"
	case "", "iframe":
		for name, side := range map[string]*string{"width": &width, "height": &height} {
			if !r.query.Has(name) {
				continue
			}
			*side = r.query.Get(name)
			if _, err := strconv.ParseUint(*side, 10, 16); err != nil {
				return nil, wrong("its %s is %q", name, *side)
			}
		}
	default:
		return nil, wrong("its embed type is %q", kind)
	}
	return markup(fmt.Sprintf(`<iframe width="%s" height="%s" src="https://embed.invalid/e-%s" frameborder="0" `+
		`scrolling="no" style="border: 0" allowfullscreen></iframe>`, width, height, p.uuid)), nil
}
