// Turns a product: by dragging, by wheel-less touch and by keys. Pictures are loaded when somebody reaches for it.

export function spinAll() {
  for (const element of document.querySelectorAll('.spin')) {
    if (element.spin?.frames !== element.dataset.frames) start(element);
  }
}

function start(element) {
  const addresses = JSON.parse(element.dataset.frames);
  const fresh = !element.spin;
  const spin = (element.spin = { frames: element.dataset.frames, addresses, at: 0, wanted: false });
  if (addresses.length < 2) return;
  element.tabIndex = 0;
  element.setAttribute('role', 'slider');
  element.setAttribute('aria-label', `Turn ${element.dataset.name}`);
  element.setAttribute('aria-valuemin', '1');
  element.setAttribute('aria-valuemax', String(addresses.length));
  show(element, spin, 0);
  if (fresh) control(element);
}

function show(element, spin, index) {
  const count = spin.addresses.length;
  spin.at = ((index % count) + count) % count;
  const picture = element.querySelector('img');
  if (picture.getAttribute('src') !== spin.addresses[spin.at]) picture.src = spin.addresses[spin.at];
  element.setAttribute('aria-valuenow', String(spin.at + 1));
  element.setAttribute('aria-valuetext', `Frame ${spin.at + 1} of ${count}`);
}

// load fetches all pictures, a few at a time.
function load(spin) {
  if (spin.wanted) return;
  spin.wanted = true;
  const left = [...spin.addresses];
  const next = () => {
    if (!left.length) return;
    const picture = new Image();
    picture.onload = picture.onerror = next;
    picture.src = left.shift();
    (spin.pictures ??= []).push(picture);
  };
  for (let line = 0; line < 3; line++) next();
}

function control(element) {
  let from = null;
  element.addEventListener('pointerenter', () => load(element.spin));
  element.addEventListener('focus', () => load(element.spin));
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    load(element.spin);
    from = { x: event.clientX, at: element.spin.at };
    element.setPointerCapture(event.pointerId);
    element.classList.add('held', 'used');
  });
  element.addEventListener('pointermove', (event) => {
    if (!from) return;
    const count = element.spin.addresses.length;
    show(element, element.spin, from.at + Math.round(((event.clientX - from.x) / element.clientWidth) * count));
  });
  const release = () => {
    from = null;
    element.classList.remove('held');
  };
  element.addEventListener('pointerup', release);
  element.addEventListener('pointercancel', release);
  element.addEventListener('keydown', (event) => {
    const { at, addresses } = element.spin;
    const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: addresses.length - 1,
      PageUp: at + Math.ceil(addresses.length / 8), PageDown: at - Math.ceil(addresses.length / 8) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    element.classList.add('used');
    show(element, element.spin, to);
  });
}
