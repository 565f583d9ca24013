// page.js -- drives the pages that tests/long/page made, in headless Chromium.
//
// Every check prints a line; a failed one shows the value found, and the exit status is 1.
'use strict';
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');

const folder = path.resolve(process.argv[2]);
const expected = JSON.parse(fs.readFileSync(path.join(folder, 'expected.json')));
let failures = 0;

const check = (what, ok, found) => {
  if (!ok) failures++;
  console.log(ok ? `ok   ${what}` : `FAIL ${what}: ${JSON.stringify(found)}`);
};

// Formats a number as the program does: four decimals.
const shown = (x) => x.toFixed(4);
const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

// Opens a page in a new browser; records its network requests and its errors.
const open = async (browser, name, settings) => {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const requests = [], complaints = [];
  page.on('request', (r) => requests.push(r.url()));
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && complaints.push(m.text()));
  page.on('pageerror', (e) => complaints.push(e.message));
  await page.goto(`file://${path.join(folder, name)}`);
  return { page, requests, complaints, close: () => context.close() };
};

// The explorer's values: as shown, and in full precision.
const numbers = (page) => page.$$eval('[data-metric]', (all) => Object.fromEntries(all
  .filter((e) => !e.parentElement.hidden)
  .map((e) => [e.dataset.metric, { text: e.textContent, value: Number(e.dataset.value) }])));

const drawing = (page) => page.$eval('.chart', (e) => e.innerHTML);

const compare = (what, found, wanted, names) => {
  const wrong = names.filter((n) => !found[n] || !near(found[n].value, wanted[n]) ||
    (n !== 'rows' && found[n].text !== shown(wanted[n])));
  check(what, wrong.length === 0, wrong.map((n) => [n, found[n], wanted[n]]));
};

const BINNED = ['rows', 'confidence', 'accuracy', 'ece', 'mce', 'over-part', 'under-part'];
const ALL = [...BINNED, 'nll', 'brier'];

const choose = (page, choice, value) => page.selectOption(`[data-choice="${choice}"]`, String(value));

// A choice must change the figure and show these values.
const chooses = async (page, what, act, wanted, names) => {
  const before = await drawing(page);
  await act();
  check(`${what} draws anew`, await drawing(page) !== before, 'the same drawing');
  compare(`${what} shows the program's numbers`, await numbers(page), wanted, names);
};

const choicesOfBins = async (page) => {
  for (const bins of Object.keys(expected.bins).filter((n) => n !== '15')) {
    await chooses(page, `${bins} bins`, () => choose(page, 'bins', bins), expected.bins[bins], ALL);
    check(`${bins} bins are ${bins} bars`, await page.locator('.chart g.bin').count() === Number(bins), '');
  }
  await choose(page, 'bins', 15);
};

const choicesOfClass = async (page) => {
  const options = await page.$$eval('[data-choice="class"] option', (all) => all.map((o) => [o.value, o.textContent]));
  check('every class can be chosen', options.length === 11, options.length);
  for (const [value, words] of options.slice(1, 5)) {
    check(`class ${value} has its name`, words.startsWith(expected.names[value]), words);
    await choose(page, 'class', value);
    for (const bins of Object.keys(expected.classes)) {
      await choose(page, 'bins', bins);
      const found = await numbers(page), wanted = expected.classes[bins][value];
      check(`class ${value} in ${bins} bins has the program's error`,
        near(found.ece.value, wanted) && found.ece.text === shown(wanted), [found.ece, wanted]);
    }
  }
  await choose(page, 'class', '');
  await choose(page, 'bins', 15);
};

const choicesOfTemperature = async (page) => {
  const slider = page.locator('[data-choice="temperature"]');
  for (const temperature of Object.keys(expected.temperatures)) {
    for (let pressed = 0; pressed < 100; pressed++) {
      const now = Number((await page.textContent('.slider output')).replace('T = ', ''));
      if (now === Number(temperature)) break;
      await slider.press(now < Number(temperature) ? 'ArrowRight' : 'ArrowLeft');
    }
    const wanted = expected.temperatures[temperature];
    compare(`T = ${temperature} shows the program's numbers`, await numbers(page), wanted[15], ALL);
    await chooses(page, `T = ${temperature} in 20 bins`, () => choose(page, 'bins', 20), wanted[20], ALL);
    await choose(page, 'bins', 15);
  }
  await page.click('[data-choice="reset"]');
  compare('the reset goes back', await numbers(page), expected.bins[15], ALL);
};

const choicesOfMethod = async (page) => {
  const options = await page.$$eval('[data-choice="method"] option', (all) =>
    all.map((o) => [o.value, o.textContent.replace(' (chosen)', '')]));
  const opened = await page.$eval('[data-choice="method"]', (e) => e.value);
  check('every method can be chosen', options.length === Object.keys(expected.methods).length, options);
  // The one that the page opens on comes last, so that every choice is a change.
  for (const [value, name] of options.sort(([a], [b]) => (a === opened) - (b === opened)))
    await chooses(page, name, () => choose(page, 'method', value), expected.methods[name], ['accuracy', 'ece', 'nll']);
};

const sorting = async (page) => {
  const table = page.locator('table.sortable').first();
  const head = table.locator('thead th', { hasText: 'ece' }).first();
  const column = await head.evaluate((th) => th.cellIndex);
  const values = () => table.locator('tbody tr').evaluateAll((rows, at) =>
    rows.map((r) => Number(r.cells[at].dataset.value)), column);
  const ordered = (list, up) => list.every((v, i) => i === 0 || (up ? list[i - 1] <= v : list[i - 1] >= v));
  await head.locator('button').click();
  check('a click sorts upwards', ordered(await values(), true), await values());
  check('and says so', await head.getAttribute('aria-sort') === 'ascending', await head.getAttribute('aria-sort'));
  await head.locator('button').press('Enter');
  check('Enter sorts downwards', ordered(await values(), false), await values());
};

const pointing = async (page) => {
  const bar = page.locator('.chart g.bin').last(), tip = page.locator('.tip');
  await bar.hover();
  const words = await tip.textContent();
  check('hovering tells of the bin', await tip.isVisible() && /rows/.test(words) && /confidence 0\.\d+/.test(words) &&
    /accuracy 0\.\d+/.test(words) && /interval/.test(words), words);
  await page.mouse.move(1, 1);
  check('and is silent afterwards', !await tip.isVisible(), words);
  await bar.focus();
  await page.keyboard.press('ArrowLeft');
  const next = await tip.textContent();
  check('arrows walk along the bars', await tip.isVisible() && next !== words, next);
  await page.keyboard.press('Escape');
  check('Escape closes it', !await tip.isVisible(), next);
};

// WCAG's contrast of text against its background.
const contrast = (page) => page.evaluate(() => {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const below = (e) => {
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  let worst = [99, ''];
  for (const e of document.querySelectorAll('p, td, th, dt, dd, h1, h2, h3, li, label, figcaption, code')) {
    if (!e.offsetParent || !e.textContent.trim()) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(below(e))].sort((x, y) => y - x);
    const found = (a + 0.05) / (b + 0.05);
    if (found < worst[0]) worst = [found, `${e.tagName}: ${e.textContent.slice(0, 40)}`];
  }
  return [worst[0], worst[1], light(below(document.body))];
});

const schemes = async (browser, name) => {
  const lights = [];
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(browser, name, { colorScheme, viewport: { width: 1100, height: 900 } });
    const [worst, where, paper] = await contrast(page);
    check(`${name} ${colorScheme}: text can be read (contrast ${worst.toFixed(1)})`, worst >= 4.5, where);
    lights.push(paper);
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`), fullPage: true });
    await close();
  }
  check(`${name} is dark in the dark`, lights[0] > 0.8 && lights[1] < 0.1, lights);
};

const narrow = async (browser, name) => {
  const { page, close } = await open(browser, name, { viewport: { width: 360, height: 740 }, hasTouch: true });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(`${name} needs no sideways scrolling at 360 px`, width <= 360, width);
  await page.screenshot({ path: path.join(folder, `${name}-phone.png`), fullPage: true });
  await close();
};

const printing = async (browser, name) => {
  const { page, close } = await open(browser, name, {});
  const file = path.join(folder, `${name}.pdf`);
  await page.emulateMedia({ media: 'print' });
  check(`${name} prints without controls`,
    await page.$$eval('button, select, input', (all) => all.every((e) => e.closest('th') || !e.checkVisibility())), '');
  // Wider than A4's text at 96 dots an inch would be cut.
  await page.setViewportSize({ width: 680, height: 1000 });
  const wide = await page.evaluate(() => [...document.querySelectorAll('body *')]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + e.textContent.slice(0, 30)));
  check(`${name} prints whole lines`, wide.length === 0, wide.slice(0, 3));
  await page.pdf({ path: file, format: 'A4' });
  check(`${name} becomes a PDF`, fs.statSync(file).size > 20000, fs.statSync(file).size);
  await close();
};

const harmless = async (page, name) => {
  check(`${name}: no name became a program`, await page.evaluate(() => window.hacked === undefined), '');
  check(`${name}: no name became an element`, await page.locator('body img, body b').count() === 0, '');
  const words = await page.evaluate(() => document.body.textContent);
  check(`${name}: names are shown as they are`, expected.names.slice(0, 6).every((n) => words.includes(n)),
    expected.names.filter((n) => !words.includes(n)));
};

const withoutScript = async (browser, name) => {
  const { page, close } = await open(browser, name, { javaScriptEnabled: false });
  check(`${name} without JavaScript has its diagram`, await page.locator('.chart svg').count() === 1, '');
  check(`${name} without JavaScript offers no dead choices`, !await page.locator('.choices').isVisible(), '');
  await close();
};

const quiet = ({ requests, complaints }, name) => {
  check(`${name} asks for nothing`, requests.length === 1, requests.slice(1));
  check(`${name} complains of nothing`, complaints.length === 0, complaints);
};

const main = async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  const evaluated = await open(browser, 'evaluate.html', { viewport: { width: 1100, height: 900 } });
  compare('the page opens with the program\'s numbers', await numbers(evaluated.page), expected.bins[15], ALL);
  await choicesOfBins(evaluated.page);
  await choicesOfClass(evaluated.page);
  await choicesOfTemperature(evaluated.page);
  await pointing(evaluated.page);
  await harmless(evaluated.page, 'evaluate.html');
  quiet(evaluated, 'evaluate.html');
  const compared = await open(browser, 'compare.html', { viewport: { width: 1100, height: 900 } });
  await choicesOfMethod(compared.page);
  await sorting(compared.page);
  await harmless(compared.page, 'compare.html');
  quiet(compared, 'compare.html');
  for (const name of ['evaluate.html', 'compare.html']) {
    await schemes(browser, name);
    await narrow(browser, name);
    await printing(browser, name);
    await withoutScript(browser, name);
  }
  await browser.close();
  console.log(`${failures} failed`);
  process.exit(failures ? 1 : 0);
};

main().catch((error) => { console.log(`FAIL ${error.stack}`); process.exit(1); });
