(() => {
  'use strict';

  const { title, frames } = JSON.parse(document.getElementById('data').textContent);
  const [view, stage, picture, controls, play, full, dot, progress, message] =
    ['view', 'stage', 'frame', 'controls', 'play', 'full', 'dot', 'progress', 'message'].map((id) => document.getElementById(id));
  const count = frames.length;
  const calm = matchMedia('(prefers-reduced-motion: reduce)');

  const turnTime = 9000; // ms of a full turn while it plays
  const calmStep = 1500; // ms between the eight views that it plays to those who want no motion
  const glide = 260; // ms in which a flick loses most of its speed
  const parallel = 4;

  const images = []; // loaded ones, by frame
  let place = 0; // in frames; the whole part of it is shown
  let moving = 0; // the running animation, 0 is none

  // Showing.

  const wrap = (x) => ((x % count) + count) % count;

  function nearestLoaded(index) {
    for (let away = 0; away <= count / 2; away++) {
      for (const i of [wrap(index + away), wrap(index - away)]) {
        if (images[i]) return images[i];
      }
    }
    return null;
  }

  function paint() {
    const image = nearestLoaded(Math.floor(place));
    if (image && picture.src !== image.src) picture.src = image.src;
  }

  function turnTo(x) {
    place = wrap(x);
    const index = Math.floor(place);
    stage.setAttribute('aria-valuenow', index + 1);
    stage.setAttribute('aria-valuetext', frames[index].alt || `View ${index + 1} of ${count}`);
    dot.style.left = `${(100 * (index + 0.5)) / count}%`;
    paint();
  }

  // Loading: views far apart first, then those between, so that the object can be turned early.

  function loadingOrder() {
    const order = new Set([0]);
    for (let step = 2 ** Math.floor(Math.log2(count)); step >= 1; step /= 2) {
      for (let i = 0; i < count; i += step) order.add(i);
    }
    return [...order];
  }

  async function load(i) {
    const image = new Image();
    image.src = frames[i].url;
    try {
      await image.decode();
      images[i] = image;
      paint();
    } catch {
      // A missing view is bridged by its neighbours.
    }
    progress.value++;
  }

  async function loadAll() {
    const queue = loadingOrder();
    progress.max = count;
    progress.value = 0;
    progress.hidden = false;
    const worker = async () => {
      while (queue.length) await load(queue.shift());
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    progress.hidden = true;
    if (!images.some(Boolean)) message.textContent = 'The images of this view cannot be loaded.';
  }

  // Motion. step gets the milliseconds since the last call and returns false to end.

  function animate(step) {
    stop();
    let last = performance.now();
    const tick = (now) => {
      const goesOn = step(now - last);
      last = now;
      moving = goesOn ? requestAnimationFrame(tick) : 0;
    };
    moving = requestAnimationFrame(tick);
  }

  function stop() {
    cancelAnimationFrame(moving);
    moving = 0;
    setPlaying(false);
  }

  function setPlaying(plays) {
    view.classList.toggle('plays', plays);
    play.setAttribute('aria-label', plays ? 'Pause' : 'Play');
  }

  function start() {
    let waited = 0;
    animate((ms) => {
      waited += ms;
      if (!calm.matches) turnTo(place + (count * ms) / turnTime);
      else if (waited >= calmStep) {
        waited = 0;
        turnTo(place + count / Math.min(count, 8));
      }
      return true;
    });
    setPlaying(true);
  }

  function flick(speed) {
    animate((ms) => {
      turnTo(place + speed * ms);
      speed *= Math.exp(-ms / glide);
      return Math.abs(speed) > 0.002;
    });
  }

  // Mouse, pen and touch: the width of the view is a full turn.

  let held = null;

  function grab(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    use();
    stop();
    place = Math.floor(place) + 0.5; // as far to the next view as to the one before
    held = { x: event.clientX, time: event.timeStamp, speed: 0 };
    stage.setPointerCapture(event.pointerId);
    stage.classList.add('held');
  }

  function drag(event) {
    if (!held || !event.isPrimary) return;
    const moved = ((event.clientX - held.x) / stage.clientWidth) * count;
    const ms = Math.max(1, event.timeStamp - held.time);
    held = { x: event.clientX, time: event.timeStamp, speed: 0.6 * held.speed + 0.4 * (moved / ms) };
    turnTo(place + moved);
  }

  function release(event) {
    if (!held || !event.isPrimary) return;
    const rested = event.timeStamp - held.time > 80;
    if (event.type === 'pointerup' && !rested && !calm.matches && Math.abs(held.speed) > 0.01) flick(held.speed);
    held = null;
    stage.classList.remove('held');
  }

  // Sideways only: an upright wheel belongs to the page around.
  function wheel(event) {
    if (Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    use();
    stop();
    turnTo(place - (event.deltaX / stage.clientWidth) * count);
  }

  function key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = Math.floor(place);
    const page = Math.max(1, Math.round(count / 8));
    const target = {
      ArrowRight: index + 1, ArrowUp: index + 1, ArrowLeft: index - 1, ArrowDown: index - 1,
      PageUp: index + page, PageDown: index - page, Home: 0, End: count - 1,
    }[event.key];
    if (target === undefined && event.key !== ' ') return;
    event.preventDefault();
    use();
    if (event.key === ' ') return toggle();
    stop();
    turnTo(target);
  }

  const use = () => view.classList.add('used');

  function toggle() {
    use();
    if (view.classList.contains('plays')) stop();
    else start();
  }

  function toggleFull() {
    const change = document.fullscreenElement ? document.exitFullscreen() : view.requestFullscreen();
    change.catch(() => { full.hidden = true; }); // the page around does not allow it
  }

  // The document works without all this; only now it becomes a slider.

  for (const side of ['width', 'height']) {
    const bound = Number(view.dataset[side]);
    if (bound > 0) view.style[side] = `min(100%, ${bound}px)`;
  }
  stage.tabIndex = 0;
  stage.setAttribute('role', 'slider');
  stage.setAttribute('aria-label', [title, frames[0].alt].filter(Boolean).join(': ') || '360° view');
  stage.setAttribute('aria-roledescription', '360° view');
  stage.setAttribute('aria-valuemin', 1);
  stage.setAttribute('aria-valuemax', count);
  picture.alt = ''; // the slider says it

  stage.addEventListener('pointerdown', grab);
  stage.addEventListener('pointermove', drag);
  stage.addEventListener('pointerup', release);
  stage.addEventListener('pointercancel', release);
  stage.addEventListener('wheel', wheel, { passive: false });
  stage.addEventListener('keydown', key);
  play.addEventListener('click', toggle);
  full.addEventListener('click', toggleFull);
  document.addEventListener('fullscreenchange', () => {
    full.setAttribute('aria-label', document.fullscreenElement ? 'Leave full screen' : 'Full screen');
  });
  full.hidden = !document.fullscreenEnabled;
  play.hidden = count < 2;
  controls.hidden = false;
  turnTo(0);
  loadAll();
})();
