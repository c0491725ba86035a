// browser.mjs -- the web page as a browser has it: its whole way, accessibility, themes, widths, keyboard.
//
//     node browser.mjs PLAN.json
//
// PLAN: {base, modules, chromium, drops: [{name, file|text, expect: [words]}], pages: [paths], screenshots,
//        operators: {base, user: {username, password}}}.
// Prints "ok NAME" or "FAIL NAME: why" for each check, and for vnu the pages' HTML into PLAN's `html` folder.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const plan = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const require = createRequire(path.join(plan.modules, 'x.js'));
const { chromium } = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];
const THEMES = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  forced: { colorScheme: 'light', forcedColors: 'active' },
  still: { colorScheme: 'light', reducedMotion: 'reduce' },
};
const WIDTHS = [320, 768, 1440];

const browser = await chromium.launch({
  executablePath: plan.chromium,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});

// Drops make the reports that the other checks look at.
async function check(name, act) {
  if (plan.only && !name.startsWith('drop-') && !new RegExp(plan.only).test(name))
    return;
  try {
    await act();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`FAIL ${name}: ${String(error.message || error).split('\n').slice(0, 12).join(' | ')}`);
  }
}

function need(holds, why) {
  if (!holds)
    throw new Error(why);
}

// A page that remembers whatever it should not have: console messages, errors, dialogs, refused requests.
async function open(options = {}) {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  page.met = [];
  page.on('console', (message) => page.met.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => page.met.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { page.met.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.setDefaultTimeout(plan.patience * 1000);
  return page;
}

async function close(page) {
  await page.context().close();
}

async function drop(page, one) {
  await page.goto(plan.base);
  if (one.file)
    await page.setInputFiles('input[type=file]', one.file);
  else
    await page.fill('textarea', one.text);
  for (const [field, value] of Object.entries(one.fields || {}))
    if (await page.locator(`[name=${field}]`).count()) {
      if (!await page.locator(`[name=${field}]`).first().isVisible())
        await page.locator('details:has([name=' + field + ']) > summary').click();
      await page.fill(`[name=${field}]`, value);
    }
  await page.click('main form button[type=submit]');
  await page.waitForURL(/\/ui\/r\//);
  for (let i = 0; i < 60 && /not (?:ready|there) yet|still being (?:read|fetched)/i.test(await page.innerText('main')); i++)
    await page.reload();
}

function squeezed(text) {
  return text.replace(/\s+/g, ' ');
}

async function says(page, expect) {
  const text = squeezed(await page.locator('main').textContent());
  for (const words of expect)
    need(text.includes(words), `the report does not say "${words}": ${text.slice(0, 600)}`);
}

// --- The whole way ------------------------------------------------------------------------------

const reports = [];

async function wholeWay(one, javaScriptEnabled) {
  const page = await open({ javaScriptEnabled });
  try {
    await drop(page, one);
    await says(page, one.expect);
    need(page.met.length === 0, page.met.join('; '));
    if (javaScriptEnabled)
      reports.push({ name: one.name, url: page.url() });
  } finally {
    await close(page);
  }
}

for (const one of plan.drops) {
  await check(`drop-${one.name}`, () => wholeWay(one, true));
  await check(`drop-${one.name}-without-script`, () => wholeWay(one, false));
}

await check('dragged', async () => {
  const one = plan.drops.find((other) => other.text);
  const page = await open();
  await page.goto(plan.base);
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'dropped.txt', { type: 'text/plain' }));
    return transfer;
  }, one.text);
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('main form', type, { dataTransfer: data });
  if (!/\/ui\/r\//.test(page.url())) {
    const held = await page.evaluate(() => document.querySelector('input[type=file]').files.length);
    need(held === 1, 'what is dropped is not taken');
    await page.click('main form button[type=submit]');
  }
  await page.waitForURL(/\/ui\/r\//);
  await says(page, one.expect);
  await close(page);
});

// --- Every page ---------------------------------------------------------------------------------

// Every table there is below ui/op/, as the service lists them.
async function operatorPages() {
  const { base, user } = plan.operators;
  const context = await browser.newContext({ httpCredentials: user });
  const reply = await context.request.get(`${base}ui/op/overview.json`);
  const names = (await reply.json()).tables.map((table) => table.table);
  await context.close();
  return ['', 'drop', ...names].map((name) => ({ name: `op-${name || 'overview'}`, url: `${base}ui/op/${name}`, user }));
}

const pages = [
  ...plan.pages.map((place) => ({ name: place || 'first', url: plan.base + place })), ...reports,
  ...await operatorPages(),
];

async function accessible(page) {
  await page.evaluate(axe);
  const found = await page.evaluate((tags) => window.axe.run(document, { runOnly: tags }), WCAG);
  need(found.violations.length === 0, found.violations.map((one) =>
    `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join(' / ')}`).join('; '));
}

// Nothing is wider than the window but what scrolls by itself.
async function fits(page, width) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  need(wide <= width, `the page is ${wide} px wide in a window of ${width} px`);
}

const settled = (met) => met.filter((each) => !/Failed to load resource.*(403|404)/.test(each));

async function look(one, theme, widths, factor) {
  const page = await open({
    viewport: { width: widths[0] / factor, height: 900 / factor }, deviceScaleFactor: factor, ...THEMES[theme],
    httpCredentials: one.user,
  });
  try {
    await page.goto(one.url);
    need(settled(page.met).length === 0, page.met.join('; '));
    for (const width of widths) {
      await page.setViewportSize({ width: width / factor, height: 900 / factor });
      await fits(page, width / factor);
    }
    await page.locator('main details').evaluateAll((all) => all.slice(0, 8).forEach((each) => { each.open = true; }));
    for (const width of widths) {
      await page.setViewportSize({ width: width / factor, height: 900 / factor });
      await fits(page, width / factor);
      if (plan.screenshots)
        await page.screenshot({
          path: path.join(plan.screenshots, `${one.name.replace(/[^\w.-]+/g, '-')}-${theme}-${width}-${factor}.png`),
          fullPage: (await page.evaluate(() => document.documentElement.scrollHeight)) < 8000,
        });
      if (width === widths[0] || width === widths[widths.length - 1])
        await accessible(page);
    }
    const moving = theme === 'still' ? await page.evaluate(() => document.getAnimations().length) : 0;
    need(moving === 0, `${moving} animations although none are wanted`);
    need(settled(page.met).length === 0, page.met.join('; '));
  } finally {
    await close(page);
  }
}

// The operators' tables are drawn by one function: the first of them stands for all where that is enough.
function isOneOfMany(one) {
  return one.user && !/ui\/op\/$/.test(one.url);
}

for (const one of pages) {
  for (const theme of isOneOfMany(one) ? ['light'] : ['light', 'dark', 'forced'])
    await check(`look-${one.name}-${theme}`, () => look(one, theme, WIDTHS, 1));
  if (isOneOfMany(one))
    continue;
  await check(`look-${one.name}-zoomed`, () => look(one, 'light', [1440], 2));
  await check(`look-${one.name}-still`, () => look(one, 'still', [768], 1));
}

// --- The policy alone ---------------------------------------------------------------------------------

// A page in which nothing was escaped: everything that could run is pushed.
async function ran(place) {
  const page = await open();
  try {
    await page.goto(plan.bare + place, { waitUntil: 'load' });
    for (const trap of await page.locator('.trap').all())
      await trap.dispatchEvent('click');
    await page.waitForTimeout(300);
    return await page.evaluate(() => window.owned === 1);
  } finally {
    await close(page);
  }
}

await check('unescaped-markup-runs-without-the-policy', async () => need(await ran('open'), 'the traps are none'));
await check('the-policy-alone-runs-nothing', async () => need(!await ran('guarded'), 'something of it ran'));

// --- Waiting --------------------------------------------------------------------------------------

for (const javaScriptEnabled of [true, false])
  await check(`cancelled-while-it-waits${javaScriptEnabled ? '' : '-without-script'}`, async () => {
    const page = await open({ javaScriptEnabled });
    await page.goto(plan.slow.base);
    await page.fill('textarea', plan.slow.text);
    await page.click('main form button[type=submit]');
    await page.waitForURL(/\/ui\/r\//);
    await says(page, ['still being fetched', 'Cancel']);
    const place = page.url();
    if (javaScriptEnabled) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await fits(page, width);
      }
      await accessible(page);
      if (plan.screenshots)
        await page.screenshot({ path: path.join(plan.screenshots, 'waiting.png') });
    }
    await page.click('main form[action$="/delete"] button');
    await says(page, ['The report is gone']);
    need(page.met.length === 0, page.met.join('; '));
    const gone = await page.goto(place);
    need(gone.status() === 404, `${gone.status()} after it was cancelled`);
    await close(page);
  });

// --- Keyboard ------------------------------------------------------------------------------------

// What has the focus shows it: by an outline or a shadow it has not without.
async function focused(page) {
  return page.evaluate(() => {
    const at = document.activeElement;
    if (!at || at === document.body)
      return null;
    const style = getComputedStyle(at), box = at.getBoundingClientRect();
    return {
      where: `${Math.round(box.top)} to ${Math.round(box.bottom)} of ${innerHeight}, ${style.outline}`,
      name: `${at.tagName} ${at.name || at.textContent.trim().slice(0, 30)}`,
      seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight &&
            ((style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none'),
    };
  });
}

async function walk(one) {
  const page = await open({ httpCredentials: one.user });
  try {
    await page.goto(one.url);
    const wanted = await page.evaluate(() =>
      [...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea, select, summary, [tabindex="0"]')]
        .filter((each) => each.checkVisibility()).length);
    const met = new Set();
    for (let i = 0; i < Math.min(wanted, 60); i++) {
      await page.keyboard.press('Tab');
      let at = await focused(page);
      need(at, `the focus is lost after ${i} of ${wanted} steps`);
      for (let tries = 0; !at.seen && tries < 150; tries++) {     // what scrolls takes a moment
        await page.waitForTimeout(20);
        at = await focused(page);
      }
      need(at.seen, `the focus is not seen on ${at.name}: ${at.where}`);
      met.add(at.name);
    }
    need(met.size > 1, 'the focus does not move');
  } finally {
    await close(page);
  }
}

for (const one of pages)
  await check(`keyboard-${one.name}`, () => walk(one));

await check('drop-by-keyboard', async () => {
  const one = plan.drops.find((other) => other.text);
  const page = await open();
  await page.goto(plan.base);
  for (let i = 0; i < 30 && await page.evaluate(() => document.activeElement.tagName) !== 'TEXTAREA'; i++)
    await page.keyboard.press('Tab');
  await page.keyboard.insertText(one.text);
  for (let i = 0; i < 30 && await page.evaluate(() => document.activeElement.type) !== 'submit'; i++)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/ui\/r\//);
  await says(page, one.expect);
  await close(page);
});

// --- Weight ---------------------------------------------------------------------------------------

await check('weight-of-the-first-page', async () => {
  const page = await open();
  const asked = [];
  page.on('requestfinished', (request) => asked.push(request));
  await page.goto(plan.base, { waitUntil: 'networkidle' });
  const sizes = await Promise.all(asked.map(async (request) => {
    const size = await request.sizes();
    return size.responseBodySize + size.responseHeadersSize;
  }));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  need(asked.length <= 3, `${asked.length} requests: ${asked.map((request) => request.url()).join(' ')}`);
  need(total <= 40000, `${total} bytes`);
  const painted = [];
  for (let i = 0; i < 7; i++) {
    const again = await open();
    await again.goto(plan.base, { waitUntil: 'networkidle' });
    painted.push(await again.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime));
    await close(again);
  }
  painted.sort((one, other) => one - other);
  console.log(`# first page: ${asked.length} requests, ${total} bytes, first contentful paint ${Math.round(painted[3])} ms` +
              ` (${Math.round(painted[0])} to ${Math.round(painted[6])}, nothing cached)`);
  await close(page);
});

// --- Asking again ------------------------------------------------------------------------------------

await check('asked-again-by-an-operator', async () => {
  const { base, user } = plan.operators;
  const page = await open({ httpCredentials: user });
  await page.goto(`${base}ui/op/failures`);
  const before = await page.locator('main tbody tr').count();
  need(before > 0, 'nothing is remembered that could be asked for again');
  await page.locator('main tbody form button[value=retry]').first().click();
  await page.waitForLoadState();
  need(/ui\/op\/failures/.test(page.url()), page.url());
  need(page.met.length === 0, page.met.join('; '));
  await close(page);
});

await check('refreshed-while-seen', async () => {
  const { base, user } = plan.operators;
  const page = await open({ httpCredentials: user });
  let asked = 0;
  page.on('request', () => { asked++; });
  await page.goto(`${base}ui/op/`);
  asked = 0;
  await page.waitForRequest(/ui\/op\//);
  need(page.met.length === 0, page.met.join('; '));
  await close(page);
});

// --- What vnu and a text browser are given -----------------------------------------------------------

if (plan.html) {
  for (const one of pages) {
    const context = await browser.newContext({ httpCredentials: one.user });
    const reply = await context.request.get(one.url, { headers: { Accept: 'text/html' } });
    fs.writeFileSync(path.join(plan.html, `${one.name.replace(/[^\w.-]+/g, '-')}.html`), await reply.text());
    await context.close();
  }
}
fs.writeFileSync(plan.reports, JSON.stringify(reports));
await browser.close();
