// Spends a day in a studio: photographs, and looks at the dashboard as people do. The tests build on each other.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { copyFile, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium } from 'playwright-core';

const { BASE_URL, CHROMIUM, SCREENSHOTS, CAMERA, SHOOTS } = process.env;
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const photos = (await readdir(CAMERA)).sort();

const desk = { viewport: { width: 1920, height: 1080 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

// patience is for machines that do much else; nothing waits longer than what it waits for takes.
const patience = 120_000;

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: patience });
});
after(() => browser?.close());

// watch tells of each picture that is seen broken twice in a row: its error event may come after the first time.
function watch() {
  let before = [];
  const look = () => {
    const broken = [...document.images].filter((picture) => picture.getAttribute('src') && picture.complete &&
      !picture.naturalWidth && getComputedStyle(picture).visibility === 'visible');
    for (const picture of broken) if (before.includes(picture)) window.broken(picture.src);
    before = broken;
  };
  addEventListener('load', () => setInterval(look, 50));
}

// visit opens a page, gives it to the steps, and fails on any error the page reports, and on any broken picture.
async function visit(address, steps, options = desk) {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (line) => line.type() === 'error' && errors.push(`${line.text()} ${line.location().url}`));
  await page.exposeFunction('broken', (source) => errors.push(`broken: ${source}`));
  await page.addInitScript(watch);
  await page.goto(BASE_URL + address, { waitUntil: 'domcontentloaded' });
  await steps(page, context);
  await context.close();
  assert.deepEqual(errors, []);
}

const word = (page, text) => page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
const shot = (page, name, fullPage = false) => page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage });
const row = (page, name) => page.locator('.row', { hasText: name });

// photograph puts some of the camera's photos into a product folder.
async function photograph(folder, names = photos) {
  const to = path.join(SHOOTS, folder);
  await mkdir(to, { recursive: true });
  for (const name of names) await copyFile(path.join(CAMERA, name), path.join(to, name));
}

// beginPhoto starts to write a product folder's next photo, without which the folder is not complete. What
// it returns ends it.
async function beginPhoto(folder, name) {
  const to = path.join(SHOOTS, folder);
  await mkdir(to, { recursive: true });
  const part = path.join(to, `${name}.part`);
  await writeFile(part, '');
  return async () => {
    await copyFile(path.join(CAMERA, name), part);
    await rename(part, path.join(to, name));
  };
}

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  return violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' ')}`);
}

test('a shoot goes live on an open page', () => visit('/', async (page) => {
  const late = new Set(); // pictures that are not there when they are asked for first
  await page.route('**/thumb*', (route) => {
    if (late.has(route.request().url())) return route.continue();
    late.add(route.request().url());
    return route.fulfill({ status: 204 });
  });
  await word(page, 'Ready');
  await page.getByText('No product folders yet').waitFor();
  await shot(page, 'ready');
  const endSixth = await beginPhoto('Summer/TEAPOT-1', photos[5]);
  await photograph('Summer/TEAPOT-1', photos.slice(0, 5));
  await page.getByText('has 5 of 12 frames').waitFor();
  await page.getByRole('heading', { name: 'Leave the table as it is' }).waitFor();
  await shot(page, 'shooting');
  await endSixth();
  await photograph('Summer/TEAPOT-1', photos.slice(6));
  await page.getByRole('heading', { name: 'You may clear the table' }).waitFor();
  await word(page, 'Published');
  await row(page, 'TEAPOT-1').getByText('Published', { exact: true }).waitFor();
  assert.equal(await page.title(), 'Published – spinsync');
  await page.getByText('From the last frame to live').waitFor();
  await page.getByRole('img', { name: /^The day: 1 view, at most 1 in an hour; typically live/ }).waitFor();
  assert.ok((await page.locator('.plot .dots').boundingBox()).width > 0, 'the view is no dot');
  await page.waitForFunction(() => document.querySelector('.row img').naturalWidth > 0);
  await shot(page, 'live');
}));

test('a folder that needs a person is told first, and a press of a button mends it', () => visit('/', async (page) => {
  await photograph('Summer/TEAPOT-2', photos.slice(0, 7));
  await word(page, 'Attention');
  await page.getByRole('listitem').filter({ hasText: 'too few' }).first().waitFor();
  await shot(page, 'attention');
  await row(page, 'TEAPOT-2').getByRole('link', { name: 'TEAPOT-2' }).click();
  await page.getByRole('button', { name: 'Rush', exact: true }).click();
  await page.getByRole('button', { name: 'End rush' }).waitFor();
  await shot(page, 'rush');
  await page.goto(BASE_URL);
  await row(page, 'TEAPOT-2').getByText('Goes first.').waitFor();
  await page.getByRole('button', { name: 'Publish 7 frames' }).click();
  await word(page, 'Published');
  await row(page, 'TEAPOT-2').getByText('7 frames', { exact: true }).waitFor();
  await row(page, 'TEAPOT-2').locator('.since').click({ force: true }); // the link lies over it
  await page.waitForURL(/\/folder\//);
}));

test('the folder’s page shows frames, texts and addresses', () => visit('/', async (page) => {
  await row(page, 'TEAPOT-1').getByRole('link', { name: 'TEAPOT-1' }).click();
  await word(page, 'TEAPOT-1');
  await page.locator('.frames li[data-frame=published]').nth(11).waitFor();
  assert.equal(await page.locator('.frames li').count(), 12);
  await page.waitForFunction(() => [...document.querySelectorAll('.stage img, .frames img')].slice(0, 4).every((img) => img.naturalWidth > 0));
  const texts = page.locator('.frames dd', { hasText: 'Teapot with a painted landscape' });
  await texts.first().waitFor();
  assert.equal(await texts.count(), 4);
  await page.getByText('8 of 12 have no text (de), 8 of 12 have no text (en)').waitFor();
  await shot(page, 'folder');
  await page.getByText('Media addresses').click();
  await page.getByRole('button', { name: 'Copy all addresses' }).click();
  await page.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.split('\n').length, 12);
  await page.getByText('Copy HTML code').click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('<iframe'));
}));

test('the view turns by mouse and keys', () => visit('/', async (page) => {
  await row(page, 'TEAPOT-1').getByRole('link', { name: 'TEAPOT-1' }).click();
  const spin = page.getByRole('slider');
  await spin.waitFor();
  const now = async () => Number(await spin.getAttribute('aria-valuenow'));
  const before = await page.locator('.spin img').getAttribute('src');
  const box = await spin.boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  assert.equal(await now(), 4);
  assert.notEqual(await page.locator('.spin img').getAttribute('src'), before);
  await spin.focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await now(), 3);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await now(), 12);
}));

test('search and filters need no loading, and have addresses', () => visit('/', async (page) => {
  await page.keyboard.press('/');
  await page.keyboard.type('teapot-2');
  await row(page, 'TEAPOT-1').waitFor({ state: 'detached' });
  assert.match(page.url(), /\?q=teapot-2$/);
  assert.equal(await page.locator('#q').inputValue(), 'teapot-2');
  await page.reload();
  assert.equal(await page.locator('.row').count(), 1);
  await page.locator('#q').fill('');
  await row(page, 'TEAPOT-1').waitFor();
  await page.locator('.chips').getByRole('link', { name: /Published/ }).click();
  await page.locator('.chips [aria-current]', { hasText: 'Published' }).waitFor();
  assert.match(page.url(), /state=published/);
  await page.goBack();
  await page.locator('.chips [aria-current]', { hasText: 'All' }).waitFor();
}));

test('a station has its signal on a screen of its own', () => visit('/', async (page) => {
  await page.locator('.signal').getByRole('link', { name: 'shoots' }).click();
  await word(page, 'You may clear the table');
  const endFifth = await beginPhoto('Summer/TEAPOT-5', photos[4]);
  await photograph('Summer/TEAPOT-5', photos.slice(0, 4));
  await word(page, 'Leave the table as it is');
  await page.getByText('4 of 12', { exact: true }).waitFor();
  await endFifth();
  await photograph('Summer/TEAPOT-5', photos.slice(5));
  await word(page, 'You may clear the table');
  await shot(page, 'station');
}));

test('pause and resume', () => visit('/', async (page) => {
  await page.getByRole('button', { name: 'Pause' }).click();
  await word(page, 'Paused');
  await photograph('Summer/TEAPOT-3');
  await row(page, 'TEAPOT-3').getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await row(page, 'TEAPOT-3').getByText('Published', { exact: true }).waitFor();
}));

test('hostile names are only names', () => visit('/', async (page) => {
  const hostile = `<img src=x onerror="document.title='owned'">`;
  await photograph(`Summer/${hostile}`);
  await writeFile(path.join(SHOOTS, 'Summer', hostile, 'frame_01.en.txt'), `</td><script>document.title='owned'</script>${hostile}`);
  await row(page, hostile).getByText('Published', { exact: true }).waitFor();
  await row(page, hostile).getByRole('link', { name: hostile }).click();
  await word(page, hostile);
  await page.locator('.frames dd', { hasText: '</td><script>' }).waitFor();
  assert.doesNotMatch(await page.title(), /^owned/);
}));

test('all can be read and done without script', () => visit('/', async (page) => {
  await word(page, 'Published');
  assert.equal(await page.locator('.row').count(), 5);
  await page.getByRole('button', { name: 'Pause' }).click();
  await word(page, 'Paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('#q').fill('teapot-3');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=teapot-3/);
  assert.equal(await page.locator('.row').count(), 1);
  await row(page, 'TEAPOT-3').getByRole('link', { name: 'TEAPOT-3' }).click();
  await word(page, 'TEAPOT-3');
  await page.locator('.frames li').nth(11).waitFor();
}, { ...desk, javaScriptEnabled: false }));

for (const [name, options] of Object.entries({
  desk, dark: { ...desk, colorScheme: 'dark' }, phone, 'dark-phone': { ...phone, colorScheme: 'dark' },
  narrow: { ...phone, viewport: { width: 320, height: 640 } },
})) {
  test(`${name}: nothing stands in anybody’s way`, () => visit('/', async (page) => {
    await photograph('Winter/TEAPOT-4', photos.slice(0, 3));
    await word(page, 'Attention');
    const station = await page.locator('.signal').getByRole('link', { name: 'shoots' }).getAttribute('href');
    const folder = await row(page, 'TEAPOT-1').getByRole('link', { name: 'TEAPOT-1' }).getAttribute('href');
    for (const [where, address] of Object.entries({ overview: '/', folder, activity: '/activity', station })) {
      await page.goto(BASE_URL + address);
      await page.locator('h1').waitFor();
      assert.deepEqual(await violations(page), [], where);
      await page.evaluate(() => document.querySelectorAll('.frames .file').forEach((name) => { name.textContent = 'IMG_'.repeat(12); }));
      const width = await page.evaluate(() => document.documentElement.scrollWidth); // a phone widens innerWidth with it
      assert.ok(width <= options.viewport.width, `${where} is ${width} wide`);
      const cut = await page.locator('.chips').evaluateAll((rows) => rows.some((row) => row.scrollWidth > row.clientWidth));
      assert.ok(!cut, `${where}: some filters are out of sight`);
      await shot(page, `${name}-${where}`, true);
    }
  }, options));
}

const needs = ['TEAPOT-4', 'TEAPOT-6', 'TEAPOT-7', 'TEAPOT-8', 'TEAPOT-9'];

test('with five folders that need a person the list is above the fold', () => visit('/', async (page) => {
  for (const name of needs) await photograph(`Winter/${name}`, photos.slice(0, 3));
  await page.locator('.row.needs').nth(4).waitFor();
  await word(page, 'Attention');
  const other = await page.locator('.row:not(.needs)').first().boundingBox();
  assert.ok(other.y + other.height < desk.viewport.height, `the first of the other folders ends at ${other.y + other.height}`);
  await shot(page, 'fold');
}));

test('a phone shows each name on one line and tells nothing twice', () => visit('/', async (page) => {
  await page.locator('.row.needs').nth(4).waitFor();
  const text = await page.locator('main').innerText();
  assert.equal(text.split('3 of 12 frames').length - 1, needs.length);
  const names = await page.locator('.row.needs .names a').evaluateAll((links) => links.map((a) => a.offsetHeight));
  assert.ok(names.every((height) => height < 40), `the names are ${names} pixels high, and so on several lines`);
  await shot(page, 'phone-needs', true);
}, phone));
