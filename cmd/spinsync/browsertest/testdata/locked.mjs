// Looks at the page from another computer: over TLS, with the password, and with a wrong one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const { BASE_URL, CHROMIUM } = process.env;
const patience = 120_000; // for machines that do much else

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: patience });
});
after(() => browser?.close());

async function visit(password, steps) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, httpCredentials: { username: 'studio', password } });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  await steps(page, await page.goto(BASE_URL, { waitUntil: 'domcontentloaded' }));
  await context.close();
  return errors;
}

test('with the password the page lives, and its buttons work', async () => {
  const errors = await visit('open sesame', async (page, answer) => {
    assert.equal(answer.status(), 200);
    await page.getByText('TEAPOT-1').first().waitFor(); // which the open page is told of
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('heading', { level: 1, name: 'Paused', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
  });
  assert.deepEqual(errors, []);
});

test('with a wrong password there is nothing to see', () => visit('a wrong one', async (page, answer) => {
  assert.equal(answer.status(), 401);
  assert.equal(await page.getByText('TEAPOT-1').count(), 0);
}));
