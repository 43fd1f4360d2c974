// Works through the page as people do, in a browser, against the real program.
//   BENZER=path/to/benzer [PAGE=dist] [PICTURES=folder] [CHROMIUM=/usr/bin/chromium] node e2e/run.mjs
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterFields, clusterKeys, clusters, longTexts, manyClusters, replacedDocuments } from './cluster_flows.mjs';
import * as flows from './flows.mjs';
import { keys, scopes, unknownScope } from './key_flows.mjs';
import * as late from './late_flows.mjs';
import { startProgram } from './program.mjs';
import { person } from './person_flow.mjs';
import { reports, startedReports } from './report_flows.mjs';
import * as review from './review_flows.mjs';
import { uploads } from './upload_flows.mjs';
import { axe, check, fail, findings, picture, settled, startBrowser, targets, watchedPage } from './watched.mjs';

const kSize = { desktop: 1280, phone: 390 };
// Sizes and colours hardly depend on each other: two of the four show both of each.
const kLooks = [
  ['desktop', 'light'],
  ['phone', 'dark'],
];
if (process.env.BENZER_ALL_TESTS) kLooks.push(['desktop', 'dark'], ['phone', 'light']);

const kViews = [
  { name: 'try', link: 'Try it', hash: `#/try/samples?text=${encodeURIComponent(flows.kFerryCopy)}` },
  { name: 'try-pictures', hash: '#/try/pictures?id=scene-1' },
  { name: 'compare', link: 'Compare', hash: '#/compare/articles?a=article-08&b=article-08-copy1' },
  { name: 'try-other-scripts', hash: `#/try/stories?id=${encodeURIComponent('אי-1')}` },
  {
    name: 'compare-other-scripts',
    hash: `#/compare/stories?a=${encodeURIComponent('אי-1')}&b=${encodeURIComponent('אי-2')}`,
  },
  { name: 'compare-values', hash: '#/compare/kits?a=kit-0&b=kit-0-plus' },
  { name: 'compare-pictures', hash: '#/compare/pictures?a=scene-1&b=scene-1-dark' },
  { name: 'compare-choose', hash: '#/compare/articles' },
  { name: 'clusters', link: 'Clusters', hash: '#/clusters/articles' },
  { name: 'clusters-fields', hash: '#/clusters/stories?cluster=ferry-1' },
  { name: 'clusters-other-scripts', hash: `#/clusters/stories?cluster=${encodeURIComponent('אי-1')}` },
  { name: 'clusters-values', hash: '#/clusters/kits' },
  { name: 'clusters-pictures', hash: '#/clusters/pictures' },
  { name: 'plan', link: 'Plan', hash: '#/plan?threshold=0.7&index=articles' },
  { name: 'indexes', link: 'Indexes', hash: '#/indexes' },
  { name: 'index', hash: '#/indexes/articles' },
  { name: 'tasks', link: 'Tasks', hash: '#/tasks' },
];

async function lookAround(browser, base) {
  const views = [...kViews, ...(await startedReports(base))];
  for (const [size, scheme] of kLooks) {
    const width = kSize[size];
    console.log(`every view, ${size}, ${scheme}`);
    const page = await watchedPage(browser, { width, scheme });
    await page.goto(`${base}/ui/`);
    await settled(page);
    for (const view of views) {
      if (view.link) {
        await page.getByRole('navigation').getByRole('link', { name: view.link, exact: true }).click();
        await settled(page);
        const link = page.locator('nav a[aria-current=page]');
        check((await link.textContent()) === view.link, `${view.link} can be reached`);
        const edges = await link.boundingBox();
        if (edges.x < 0 || edges.x + edges.width > width) fail(`${view.link} is cut off at ${width} pixels`);
      }
      await page.goto(`${base}/ui/${view.hash}`);
      await settled(page);
      if ((await page.locator('main h1').count()) !== 1) fail(`${view.name} has not one heading of the first level`);
      // A task that a guard rail stopped shows a problem, which is expected.
      const problems = page.locator('.note-problem:not(.task *)');
      if ((await problems.count()) > 0) fail(`${view.name} shows a problem: ${await problems.first().textContent()}`);
      await axe(page, `${view.name}, ${size}, ${scheme}`);
      await picture(page, `${view.name}-${size}-${scheme}`);
      await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
      await targets(page, `${view.name}, ${size}, all open`);
    }
    await page.context().close();
  }
}

async function themeAndKeyboard(browser, base) {
  console.log('theme and keyboard');
  const page = await watchedPage(browser);
  await page.goto(`${base}/ui/`);
  await settled(page);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole('button', { name: /^Colours/ }).click();
  check((await background()) !== light, 'the toggle makes it dark');
  await page.reload();
  await settled(page);
  check((await background()) !== light, 'and a reload keeps it so');
  await page.keyboard.press('Tab');
  check(
    (await page.evaluate(() => document.activeElement?.textContent)).includes('Skip'),
    'the first stop skips to the content',
  );
  await page.keyboard.press('Enter');
  check((await page.evaluate(() => document.activeElement?.id)) === 'main', 'and does');
  await page.keyboard.press('Tab');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  check(outline !== 'none', 'the focus is visible');
  await page.context().close();
}

async function lateAndFailing(browser, base) {
  const page = await watchedPage(browser, { allowed: [429, 503] });
  await page.goto(`${base}/ui/`);
  await settled(page);
  await late.failingPlan(page);
  await late.manyTasks(page);
  await late.changesByOthers(page, base);
  await late.missingIndex(page);
  await late.failingList(page);
  await late.unreadableFile(page);
  await late.searches(page, base);
  await late.lateAnswers(page);
  await late.changedAttributes(page, base);
  await late.longLists(page, base);
  await page.context().close();
}

async function withKeys(browser) {
  const folder = mkdtempSync(join(tmpdir(), 'benzer-keys-'));
  const file = join(folder, 'keys');
  writeFileSync(file, '', { mode: 0o600 });
  const made = Object.fromEntries(
    ['read', 'write', 'admin'].map((scope) => {
      // The line for the file is on standard output, the key on standard error.
      const one = spawnSync(process.env.BENZER, ['serve', '--new-key', scope], { encoding: 'utf8' });
      appendFileSync(file, one.stdout);
      return [scope, /\bbz_\w+/.exec(one.stderr)?.[0] ?? ''];
    }),
  );
  const program = await startProgram('--keys', file);
  try {
    const page = await watchedPage(browser, { allowed: [401, 403, 404, 422] });
    await keys(page, program.base, made.admin);
    await page.context().close();
    await scopes(() => watchedPage(browser, { allowed: [401, 403, 404, 422] }), program.base, made);
    const limited = await watchedPage(browser, { allowed: [401, 429] });
    await unknownScope(limited, program.base, made.admin);
    await limited.context().close();
  } finally {
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function alone(browser) {
  const program = await startProgram();
  try {
    const page = await watchedPage(browser);
    await person(page, program.base);
    await page.context().close();
  } finally {
    await program.stop();
  }
}

const program = await startProgram();
const browser = await startBrowser();
try {
  const page = await watchedPage(browser, { allowed: [404, 412, 422, 503] });
  await page.goto(`${program.base}/ui/`);
  await settled(page);
  await axe(page, 'a fresh server');
  await picture(page, 'fresh-desktop-light');
  await flows.beginWithSamples(page, program.base);
  await flows.tryIt(page);
  await flows.compare(page);
  await flows.plan(page, program.base);
  await flows.indexes(page, program.base);
  await uploads(page, program.base);
  await clusters(page, program.base);
  await clusterKeys(page, program.base);
  await clusterFields(page, program.base);
  await manyClusters(page, program.base);
  await replacedDocuments(page, program.base);
  await longTexts(page, program.base);
  for (const flow of Object.values(review)) await flow(page, program.base);
  await flows.tasks(page, program.base);
  await reports(browser, program.base);
  await flows.attributes(page);
  await page.context().close();
  await themeAndKeyboard(browser, program.base);
  await lookAround(browser, program.base);
  await lateAndFailing(browser, program.base);
  await alone(browser);
  await withKeys(browser);
} catch (error) {
  fail(error.stack ?? String(error));
} finally {
  await browser.close();
  await program.stop();
}
console.log(findings.length === 0 ? 'passed' : `${findings.length} findings:\n${findings.join('\n')}`);
process.exitCode = findings.length === 0 ? 0 : 1;
