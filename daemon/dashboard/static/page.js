// Keeps an open page up to date, and saves the reader some loading. Without it all can be read and done too.
import { spinAll } from './spin.js';

const body = document.body;
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

// Times are told from now, and go on by themselves.

const units = [[86400, 'day', 'days'], [3600, 'h', 'h'], [60, 'min', 'min'], [1, 's', 's']];

function fromNow(when) {
  const seconds = Math.round((when - Date.now()) / 1000);
  const size = Math.abs(seconds);
  if (size < 5) return 'now';
  const [length, one, many] = units.find(([length]) => size >= length);
  const count = Math.floor(size / length);
  const span = `${count} ${count === 1 ? one : many}`;
  return seconds < 0 ? `${span} ago` : `in ${span}`;
}

function tellTimes(from = document) {
  for (const time of $$('time[data-when]', from)) {
    const text = fromNow(Date.parse(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}

// morph makes one element like another and keeps what need not change: focus, pictures, what is unfolded.
function morph(now, next) {
  for (const { name } of [...now.attributes]) {
    if (!next.hasAttribute(name) && !(name === 'open' && now.nodeName === 'DETAILS') && !kept(now, name)) now.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  if (kept(now)) return;
  const named = new Map($$(':scope > [id]', now).map((child) => [child.id, child]));
  let place = now.firstChild;
  for (const child of [...next.childNodes]) {
    let same = child.id ? named.get(child.id) : place;
    if (same && (same.nodeName !== child.nodeName || (!child.id && same.id))) same = null;
    if (!same) {
      now.insertBefore(child, place);
      continue;
    }
    if (same !== place) now.insertBefore(same, place);
    else place = place.nextSibling;
    if (child.nodeType === Node.ELEMENT_NODE) morph(same, child);
    else if (same.nodeValue !== child.nodeValue) same.nodeValue = child.nodeValue;
  }
  while (place) {
    const after = place.nextSibling;
    place.remove();
    place = after;
  }
}

// A turn that is being turned is not touched while its frames are the same. A picture that is lost stays so until it is there.
function kept(element, attribute) {
  if (element.nodeName === 'IMG') return attribute === 'class';
  return element.classList.contains('spin') && element.spin?.frames === element.dataset.frames && attribute !== 'data-frames';
}

// The stream.

let source;

function listen() {
  source?.close();
  if (!body.dataset.stream || document.hidden) return;
  source = new EventSource(body.dataset.stream);
  source.onopen = () => { $('#link').hidden = true; };
  source.onerror = () => {
    $('#link').hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
  source.onmessage = ({ data }) => take(JSON.parse(data));
}

function take({ looks, title, tone, parts }) {
  if (looks !== body.dataset.looks || parts.lost !== undefined) return location.reload();
  document.title = `${title} – spinsync`;
  body.dataset.tone = tone;
  for (const [name, html] of Object.entries(parts)) {
    const part = document.getElementById(`part-${name}`);
    if (!part) continue;
    const next = part.cloneNode(false);
    next.innerHTML = html;
    tellTimes(next);
    morph(part, next);
  }
  spinAll();
}

// A hidden page listens to nothing: browsers allow few connections to one host.
document.addEventListener('visibilitychange', listen);

// Search, filters and pages of the list change what is listened to, not the page.

function go(address, push) {
  const url = new URL(address, location.href);
  history[push ? 'pushState' : 'replaceState'](null, '', url);
  url.searchParams.set('of', 'overview');
  body.dataset.stream = `/stream?${url.searchParams}`;
  listen();
}

const search = $('#q');
if (search) {
  search.value = new URLSearchParams(location.search).get('q') ?? '';
  let soon;
  search.addEventListener('input', () => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      const query = new URLSearchParams(location.search);
      query.delete('page');
      if (search.value) query.set('q', search.value);
      else query.delete('q');
      go(`/?${query}`, false);
    }, 150);
  });
  search.form.addEventListener('submit', (event) => event.preventDefault());
  addEventListener('popstate', () => {
    search.value = new URLSearchParams(location.search).get('q') ?? '';
    go(location.href, false);
  });
}

addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea')) return;
  event.preventDefault();
  if (search) search.focus();
  else location.assign('/');
});

// Verbs and copying.

let silence;

function say(text) {
  const toast = $('#toast');
  toast.textContent = text;
  toast.classList.add('shown');
  clearTimeout(silence);
  silence = setTimeout(() => toast.classList.remove('shown'), 4000);
}

addEventListener('submit', async (event) => {
  const form = event.target;
  if (form.method !== 'post') return;
  event.preventDefault();
  const button = event.submitter ?? $('button', form);
  button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)), redirect: 'manual' });
    if (answer.type !== 'opaqueredirect') say(await answer.text());
  } catch {
    say('spinsync does not answer. Is it running?');
  }
  button.disabled = false;
});

async function copy(text) {
  try {
    await navigator.clipboard.writeText(await text);
    say('Copied');
  } catch (error) {
    say(error.message || 'The browser does not let this page copy');
  }
}

async function fetched(address) {
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text.trim();
}

addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const at = event.target.closest('a, button');
  if (!at) return;
  if ('soft' in at.dataset) go(at.href, true);
  else if (at.dataset.copy) copy(at.dataset.copy);
  else if (at.dataset.copyFrom) copy(fetched(at.dataset.copyFrom));
  else if (at.dataset.copyAll) copy($$('a', $(at.dataset.copyAll)).map((link) => link.href).join('\n'));
  else return;
  event.preventDefault();
});

// A picture that is not there leaves a blank, not a broken sign, and is asked for again, each time later.
function lose(picture) {
  picture.classList.add('lost');
  picture.tries = (picture.tries ?? 0) + 1;
  if (picture.tries < 8) setTimeout(() => { picture.src = picture.getAttribute('src'); }, 500 * 2 ** picture.tries);
}

addEventListener('error', ({ target }) => { if (target.nodeName === 'IMG') lose(target); }, true);
addEventListener('load', ({ target }) => {
  if (target.nodeName !== 'IMG') return;
  target.classList.remove('lost');
  target.tries = 0;
}, true);
for (const picture of $$('img')) if (picture.getAttribute('src') && picture.complete && !picture.naturalWidth) lose(picture);

tellTimes();
setInterval(tellTimes, 5000);
spinAll();
listen();
