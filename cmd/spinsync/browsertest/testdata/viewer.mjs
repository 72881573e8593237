// Turns the viewer's page as people do, and looks at what they would see.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium } from 'playwright-core';

const { BASE_URL, CHROMIUM, SCREENSHOTS } = process.env;
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// patience is for machines that do much else; nothing waits longer than what it waits for takes.
const patience = 120_000;

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: patience });
});
after(() => browser?.close());

// visit opens a page, gives it to the steps, and fails on any error the page reports.
async function visit(address, steps, options = {}) {
  const context = await browser.newContext({ viewport: { width: 960, height: 720 }, reducedMotion: 'no-preference', ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (line) => line.type() === 'error' && !line.text().includes('404') && errors.push(line.text()));
  await page.goto(BASE_URL + address);
  await steps(page, context);
  await context.close();
  assert.deepEqual(errors, []);
}

const slider = (page) => page.getByRole('slider');
const loaded = (page) => page.locator('#progress').waitFor({ state: 'hidden' });
const position = async (page) => Number(await slider(page).getAttribute('aria-valuenow'));
const shown = (page) => page.locator('#frame').evaluate((picture) => picture.src.split('/').pop());
const shot = (page, name) => page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });

async function ready(page) {
  await slider(page).waitFor();
  await loaded(page);
}

// still waits until the view has come to rest after a flick.
async function still(page) {
  let last = -1;
  while (last !== (last = await position(page))) await page.waitForTimeout(100);
}

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  return violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' ')}`);
}

async function dragBy(page, dx) {
  const box = await slider(page).boundingBox();
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 10; step++) await page.mouse.move(x + (dx * step) / 10, y);
  await page.waitForTimeout(150); // held still, so that it is no flick
  await page.mouse.up();
}

test('the first view stands there, named by its alt text', () => visit('/view', async (page) => {
  await ready(page);
  assert.equal(await page.title(), 'Blue teapot – 360° view');
  assert.equal(await slider(page).getAttribute('aria-label'), 'Blue teapot: Teapot, turned by 0°');
  assert.equal(await slider(page).getAttribute('aria-valuetext'), 'Teapot, turned by 0°');
  assert.equal(await slider(page).getAttribute('aria-valuemax'), '12');
  assert.equal(await shown(page), 'frame_01.jpg');
  await shot(page, 'light');
}));

test('a drag by a quarter of the width is a quarter turn, either way', () => visit('/view', async (page) => {
  await ready(page);
  await dragBy(page, 240);
  assert.equal(await position(page), 4);
  assert.equal(await shown(page), 'frame_04.jpg');
  assert.equal(await slider(page).getAttribute('aria-valuetext'), 'Teapot, turned by 90°');
  await shot(page, 'dragged');
  await dragBy(page, -480);
  assert.equal(await position(page), 10);
}));

test('a flick goes on and comes to rest', () => visit('/view', async (page, context) => {
  await ready(page);
  const client = await context.newCDPSession(page);
  const start = Date.now() / 1000; // times of our own, because a busy machine delivers the events slowly
  const mouse = (type, x, ms) => client.send('Input.dispatchMouseEvent', { type, x, y: 300, button: 'left', buttons: 1, clickCount: 1, timestamp: start + ms / 1000 });
  await mouse('mousePressed', 300, 0);
  for (let step = 1; step <= 5; step++) await mouse('mouseMoved', 300 + 16 * step, 16 * step);
  const held = await position(page);
  await mouse('mouseReleased', 380, 90);
  await page.waitForFunction((from) => Number(document.getElementById('stage').ariaValueNow) > from + 1, held);
  await still(page);
}));

test('touch turns it', () => visit('/view', async (page, context) => {
  await ready(page);
  const client = await context.newCDPSession(page);
  const touch = (type, x) => client.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 300 }] });
  await touch('touchStart', 300);
  for (let x = 320; x <= 460; x += 20) await touch('touchMove', x);
  await page.waitForTimeout(150);
  await touch('touchEnd');
  await still(page);
  assert.notEqual(await position(page), 1);
  await shot(page, 'phone');
}, { viewport: { width: 390, height: 600 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }));

test('keys turn it, round the ends', () => visit('/view', async (page) => {
  await ready(page);
  await page.keyboard.press('Tab');
  for (const [key, want] of [
    ['ArrowRight', 2], ['ArrowUp', 3], ['ArrowLeft', 2], ['ArrowDown', 1], ['ArrowLeft', 12], ['ArrowRight', 1],
    ['PageUp', 3], ['PageDown', 1], ['End', 12], ['Home', 1],
  ]) {
    await page.keyboard.press(key);
    assert.equal(await position(page), want, key);
  }
  await shot(page, 'focused');
}));

test('a sideways wheel turns it, an upright one is left to the page', () => visit('/view', async (page) => {
  await ready(page);
  await page.mouse.move(400, 300);
  await page.mouse.wheel(0, 200);
  assert.equal(await position(page), 1);
  await page.mouse.wheel(-240, 0);
  await page.waitForFunction(() => document.getElementById('stage').ariaValueNow === '4');
}));

test('the play button plays and pauses', () => visit('/view', async (page) => {
  await ready(page);
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction(() => Number(document.getElementById('stage').ariaValueNow) >= 3);
  await shot(page, 'playing');
  await page.getByRole('button', { name: 'Pause' }).click();
  const rest = await position(page);
  await page.waitForTimeout(1000);
  assert.equal(await position(page), rest);
}));

test('with reduced motion it steps through few views, and does not glide', () => visit('/view', async (page) => {
  await ready(page);
  await dragBy(page, 80);
  const rest = await position(page);
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForTimeout(1000);
  assert.equal(await position(page), rest);
  await page.waitForFunction((from) => Number(document.getElementById('stage').ariaValueNow) !== from, rest);
}, { reducedMotion: 'reduce' }));

test('full screen, and back', () => visit('/view', async (page) => {
  await ready(page);
  await page.getByRole('button', { name: 'Full screen' }).click();
  await page.waitForFunction(() => document.fullscreenElement?.id === 'view');
  await page.getByRole('button', { name: 'Leave full screen' }).click();
  await page.waitForFunction(() => !document.fullscreenElement);
}));

test('a size bounds it', () => visit('/bounded', async (page) => {
  await ready(page);
  const box = await slider(page).boundingBox();
  assert.deepEqual([box.width, box.height], [400, 300]);
}));

test('it works in a frame of another site', () => visit('/framed', async (page) => {
  const frame = page.frameLocator('iframe');
  const stage = frame.getByRole('slider');
  await stage.waitFor();
  await frame.locator('#progress').waitFor({ state: 'hidden' });
  await stage.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await stage.getAttribute('aria-valuenow'), '2');
  await stage.hover();
  await page.mouse.wheel(0, 300);
  await page.waitForFunction(() => scrollY > 0); // the shop's page scrolls
}));

test('without script the first view is there', () => visit('/view', async (page) => {
  const picture = page.getByRole('img', { name: 'Teapot, turned by 0°' });
  await picture.waitFor();
  assert.equal(await page.getByRole('button').count(), 0);
  await shot(page, 'noscript');
}, { javaScriptEnabled: false }));

test('titles and alt texts of strangers are only text', () => visit('/hostile', async (page) => {
  await ready(page);
  assert.match(await page.title(), /^<\/script><script>.* – 360° view$/);
  assert.equal(await page.locator('img').count(), 1);
  assert.match(await slider(page).getAttribute('aria-valuetext'), /^<\/script><script>/);
}));

test('without title and alt texts it still says where it stands', () => visit('/silent', async (page) => {
  await ready(page);
  assert.equal(await slider(page).getAttribute('aria-label'), '360° view');
  await slider(page).press('End');
  assert.equal(await slider(page).getAttribute('aria-valuetext'), 'View 12 of 12');
}));

test('one image needs no play button', () => visit('/one', async (page) => {
  await ready(page);
  assert.equal(await page.getByRole('button', { name: 'Play' }).count(), 0);
}));

test('a missing image is bridged by its neighbour', () => visit('/gap', async (page) => {
  await ready(page);
  await slider(page).focus();
  for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowRight');
  assert.equal(await position(page), 4);
  assert.match(await shown(page), /frame_0[35].jpg/);
}));

test('no image at all is told', () => visit('/lost', async (page) => {
  await page.getByText('The images of this view cannot be loaded.').waitFor();
}));

test('nothing published yet is told', () => visit('/empty', async (page) => {
  await page.getByText('Nothing is published here yet.').waitFor();
  assert.deepEqual(await violations(page), []);
}));

test('progress is shown while images arrive', async () => {
  const context = await browser.newContext({ viewport: { width: 960, height: 720 } });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route('**/frame_08.jpg', async (route) => { await held; await route.continue(); });
  await page.goto(`${BASE_URL}/view`, { waitUntil: 'domcontentloaded' }); // a page is not loaded before its last image
  await page.waitForFunction(() => document.getElementById('progress').value === 11);
  await slider(page).press('ArrowRight'); // already turns
  assert.equal(await position(page), 2);
  await shot(page, 'loading');
  release();
  await loaded(page);
  await context.close();
});

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing to mend, ${scheme}`, () => visit('/view', async (page) => {
    await ready(page);
    await slider(page).press('ArrowRight');
    assert.deepEqual(await violations(page), []);
    await page.waitForTimeout(500);
    await shot(page, `${scheme}-used`);
  }, { colorScheme: scheme, viewport: { width: 1100, height: 640 } }));
}

// recording makes a short video of a turning line, in the browser itself.
async function recording() {
  const page = await browser.newPage();
  const encoded = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 320;
    canvas.height = 240;
    const pen = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
    const chunks = [];
    recorder.ondataavailable = (event) => chunks.push(event.data);
    recorder.start();
    for (let i = 0; i < 20; i++) {
      pen.fillStyle = `hsl(${i * 18} 40% 70%)`;
      pen.fillRect(0, 0, 320, 240);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop(); });
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
  });
  await page.close();
  return Buffer.from(encoded, 'base64');
}

test('a video plays', async () => {
  const body = await recording();
  const context = await browser.newContext();
  await context.route('**/turn.webm', (route) => route.fulfill({ body, contentType: 'video/webm' }));
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  await page.goto(`${BASE_URL}/video`);
  const video = page.locator('video');
  assert.equal(await video.getAttribute('aria-label'), 'Turning teapot');
  await video.evaluate((element) => element.play());
  await page.waitForFunction(() => document.querySelector('video').currentTime > 0.2);
  assert.deepEqual(await violations(page), []);
  await shot(page, 'video');
  await context.close();
});
