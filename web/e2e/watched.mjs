// Drives a browser whose every error is a failure, takes screenshots, and runs axe.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const kAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kPictures = process.env.PICTURES;
// A folder with a built page, which is tested in place of the one in the program.
const kPage = process.env.PAGE;
if (kPictures) mkdirSync(kPictures, { recursive: true });

export const findings = [];
export const fail = (sentence) => {
  findings.push(sentence);
  console.log(`  FAILED ${sentence}`);
};
export function check(holds, sentence) {
  if (holds) console.log(`  ok ${sentence}`);
  else fail(sentence);
}

export const startBrowser = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

const kPolicy =
  "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
// The frame of reports has inline styles, and no scripts.
const kFramePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; " +
  "form-action 'none'";
const kTypes = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

async function serveOtherPage(context) {
  await context.route('**/ui/*', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1) || 'index.html';
    const path = join(kPage, name);
    if (!existsSync(path)) return route.fulfill({ status: 404 });
    return route.fulfill({
      path,
      contentType: kTypes[name.split('.').at(-1)],
      headers: { 'Content-Security-Policy': name === 'frame.html' ? kFramePolicy : kPolicy },
    });
  });
}

// allowed: status codes that the test causes on purpose; the browser reports each as an error.
// isWatched: false if the browser will report what it blocks, on purpose.
export async function watchedPage(browser, { width = 1280, scheme = 'light', allowed = [], isWatched = true } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 860 },
    colorScheme: scheme,
    acceptDownloads: true,
  });
  if (kPage) await serveOtherPage(context);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  if (!isWatched) return page;
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (allowed.some((status) => message.text().includes(`status of ${status}`))) return;
    fail(`console: ${message.text()} (${page.url()})`);
  });
  page.on('pageerror', (error) => fail(`page error: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['blob:', 'data:'].includes(url.protocol) && url.hostname !== '127.0.0.1') fail(`asks elsewhere: ${url}`);
  });
  return page;
}

export const go = async (page, hash) => {
  await page.goto(page.url().split('#')[0] + hash);
  await settled(page);
};

// A file for an input of the page.
export const file = (name, text, mimeType = 'application/x-ndjson') => ({
  name,
  mimeType,
  buffer: Buffer.from(text),
});

// Waits until requests and animations are over, before a screenshot.
export async function settled(page) {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(150);
}

// Fails for every button, control and link below 24 by 24 pixels, but for links within a sentence. What is inside a label
// is as large as the label.
export async function targets(page, name) {
  const small = await page.evaluate((least) => {
    const isVisible = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.hidden, .skip');
    const isInSentence = (one) => {
      if (!one.matches('a') || getComputedStyle(one).display !== 'inline') return false;
      const around = one.closest('p, li, dd, dt, td, th, h1, h2, h3, figcaption, summary, label');
      return around !== null && around.textContent.trim() !== one.textContent.trim();
    };
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [role=button]')]
      .filter((one) => isVisible(one) && !isInSentence(one))
      .map((one) => {
        const boxes = [one, one.closest('label')].filter(Boolean).map((part) => part.getBoundingClientRect());
        const width = Math.max(...boxes.map((box) => box.width));
        const height = Math.max(...boxes.map((box) => box.height));
        const said = one.getAttribute('aria-label') ?? (one.textContent.trim() || one.type);
        return { width, height, said: `${one.tagName.toLowerCase()} ${said.slice(0, 40)}` };
      })
      .filter(({ width, height }) => width < least || height < least)
      .map(({ width, height, said }) => `${said}: ${width.toFixed(1)} x ${height.toFixed(1)}`);
  }, 24);
  if (small.length > 0) fail(`${name} has targets below 24 pixels: ${[...new Set(small)].slice(0, 6).join(' | ')}`);
}

// Fails for text of a right-to-left script that is not isolated from what is around it. Commands keep their direction,
// and what is read only aloud has none.
export async function isolated(page, name) {
  const mixed = await page.evaluate(() => {
    const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      if (/[\u0590-\u08ff]/.test(node.data) && !node.parentElement.closest('bdi, [dir], pre, option, .hidden'))
        found.push(node.data.slice(0, 60));
    }
    return found;
  });
  if (mixed.length > 0) fail(`${name} has text that is not isolated: ${mixed.slice(0, 4).join(' | ')}`);
}

export async function axe(page, name) {
  await targets(page, name);
  await isolated(page, name);

  // Injected through the debugger, because the page's policy rightly allows no foreign scripts.
  await page.evaluate(kAxe);
  // In the middle of a transition a button has neither the old colour nor the new one.
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null))));
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }),
  );
  for (const one of violations) {
    const where = one.nodes
      .slice(0, 3)
      .map((node) => node.target.join(' ') + (node.any[0]?.message ? `: ${node.any[0].message}` : ''));
    if (one.impact === 'serious' || one.impact === 'critical')
      fail(`axe, ${name}: ${one.id}: ${one.help}; ${where.join(' | ')}`);
    else console.log(`  axe, ${name}, ${one.impact}: ${one.id}: ${where.join(' | ')}`);
  }
}

export async function picture(page, name) {
  const { wide, height } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - window.innerWidth,
    height: document.documentElement.scrollHeight,
  }));
  if (wide > 0) fail(`${name} is ${wide} pixels wider than the window`);
  if (!kPictures) return;
  const size = page.viewportSize();
  // The window is as tall as the page, so that sticky parts are in their place.
  await page.setViewportSize({ width: size.width, height: Math.min(4000, Math.max(size.height, height)) });
  await page.waitForTimeout(120);
  await page.screenshot({ path: join(kPictures, `${name}.png`) });
  await page.setViewportSize(size);
}
