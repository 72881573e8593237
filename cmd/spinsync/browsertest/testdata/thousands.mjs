// Looks at the dashboard of a studio with thousands of product folders.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';

const { BASE_URL, CHROMIUM, SHOOTS, PHOTO } = process.env;
const patience = 120_000;

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: patience });
});
after(() => browser?.close());

test('five thousand folders are listed, searched and kept up to date', async (t) => {
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  page.setDefaultTimeout(patience);
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  const rows = page.locator('.row');
  const pager = (text) => page.locator('.pager').getByText(text).waitFor();

  await page.goto(BASE_URL);
  await pager(/of 5.000$/);
  await page.reload();
  const paint = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  t.diagnostic(`first paint after ${Math.round(await paint.jsonValue())} ms`);
  assert.equal(await rows.count(), 50);

  await page.getByRole('searchbox').fill('sku-4321');
  await pager('1–1 of 1');
  await rows.getByRole('link', { name: 'SKU-4321' }).waitFor();
  await page.getByRole('searchbox').fill('');
  await pager(/^1–50 of/);

  await page.goto(`${BASE_URL}/?page=100`);
  await pager(/^4.951–5.000 of/);
  assert.equal(await rows.count(), 50);
  assert.equal(await page.getByRole('link', { name: 'Next' }).count(), 0);

  await mkdir(path.join(SHOOTS, 'Summer', 'ONE-MORE'), { recursive: true });
  await copyFile(PHOTO, path.join(SHOOTS, 'Summer', 'ONE-MORE', 'frame_01.jpg'));
  await pager(/of 5.001$/);
  assert.deepEqual(errors, []);
});
