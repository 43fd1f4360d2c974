// Looks at reports inside the page: their policy, their links, their theme, and the reasons for missing ones.
import { api } from './program.mjs';
import { check, go, picture, settled, watchedPage } from './watched.mjs';

async function endedDedup(base, index) {
  let task = await api(base, 'POST', `/v1/indexes/${index}/dedup`, {});
  while (['enqueued', 'processing'].includes(task.status)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    task = await api(base, 'GET', `/v1/tasks/${task.id}`);
  }
  return task;
}

// Views of a report of texts, one of pictures, and one that does not exist.
export async function startedReports(base) {
  const views = [];
  for (const index of ['articles', 'pictures'])
    views.push({ name: `report-${index}`, hash: `#/report/${(await endedDedup(base, index)).id}` });
  return views;
}

// Looks into the frame from the page, since the frame itself runs nothing.
async function inFrame(page, look) {
  const inside = await page.evaluateHandle(() => document.querySelector('.html-frame').contentDocument);
  return inside.evaluate(look);
}

const shown = async (page) => {
  await page.frameLocator('.html-frame').locator('h2').first().waitFor();
  await settled(page);
};

// As the server lists a task that was running when it ended.
async function interrupted(page) {
  const task = {
    id: '7-restarted',
    kind: 'dedup',
    index: 'articles',
    status: 'failed',
    progress: { done: 40, total: 64 },
    created_at: '2026-11-26T08:00:00Z',
    seconds: 12,
    result: null,
    problem: {
      status: 500,
      code: 'interrupted',
      title: 'Interrupted',
      detail: 'the server ended while the task was running',
      hint: 'Start it again.',
    },
  };
  const answer = (route, json) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(json) });
  await page.route('**/v1/tasks', (route) => answer(route, { tasks: [task] }));
  await page.route('**/v1/tasks/7-restarted', (route) => answer(route, task));
  await go(page, '#/tasks');
  const card = page.locator('.task');
  await card.getByText('The server ended while the task was running.').waitFor();
  check((await card.locator('progress').count()) === 0, 'a task that a restart has ended says so, and does not run');
  check((await card.getByRole('link', { name: 'Show the report' }).count()) === 0, 'and has no report');
  await picture(page, 'tasks-interrupted-desktop-light');
  await go(page, '#/report/7-restarted');
  await page.getByText('The deduplication ended before it had found its clusters').waitFor();
  await picture(page, 'report-missing-desktop-light');
  await page.unroute('**/v1/tasks');
  await page.unroute('**/v1/tasks/7-restarted');
}

export async function reports(browser, base) {
  console.log('reports');
  const page = await watchedPage(browser, { allowed: [404, 409] });
  await page.goto(`${base}/ui/`);
  const { id } = await endedDedup(base, 'articles');
  await go(page, `#/report/${id}`);
  await shown(page);
  check((await page.locator('h1').textContent()) === 'Report on articles', 'a report says which index it is about');
  const background = () => inFrame(page, (inside) => getComputedStyle(inside.body).backgroundColor);
  const light = await background();
  check(light === 'rgb(255, 255, 255)', 'the styles of a report apply');
  const bars = await inFrame(page, (inside) => inside.querySelectorAll('[style]').length);
  check(bars > 0, 'and those of its elements');

  const { height, bottom, window } = await page.evaluate(() => ({
    height: document.documentElement.scrollHeight,
    bottom: document.querySelector('.html-frame').getBoundingClientRect().bottom,
    window: innerHeight,
  }));
  check(height === window && bottom > window - 40 && bottom <= window, 'a report fills the rest of the window');

  await page.frameLocator('.html-frame').getByRole('link', { name: 'Settings' }).click();
  await page.waitForTimeout(100);
  check(await inFrame(page, (inside) => inside.defaultView.scrollY > 200), 'its contents lead to its parts');
  check(page.url().endsWith(`#/report/${id}`), 'and not away from it');

  for (const dark of [true, false]) {
    for (let turn = 0; turn < 3; turn++) {
      const label = await page.getByRole('button', { name: /^Colours/ }).getAttribute('aria-label');
      if (label.startsWith(`Colours: ${dark ? 'Dark' : 'Light'}`)) break;
      await page.getByRole('button', { name: /^Colours/ }).click();
    }
    const scheme = await inFrame(page, (inside) => getComputedStyle(inside.documentElement).colorScheme);
    check(
      ((await background()) !== light) === dark && scheme === (dark ? 'dark' : 'light'),
      `a report is ${dark ? 'dark' : 'light'} with the page`,
    );
  }

  await hostile(browser, base, id);
  await interrupted(page);

  const { id: other } = await api(base, 'POST', '/v1/indexes/articles/verify');
  for (const [part, sentence] of [
    [other, 'Only a deduplication has a report.'],
    ['999999', 'This server does not list a task 999999.'],
    ['', 'No report is chosen'],
  ]) {
    await go(page, `#/report/${part}`);
    await page.getByText(sentence).waitFor();
  }
  check(true, 'a report that does not exist is explained');
  await page.context().close();
}

// A document with everything that a report must not do.
const kHostile = `<!doctype html><html lang="tr" dir="rtl"><head><title>T</title><style>p { color: rgb(1, 2, 3) }</style>
<meta http-equiv="refresh" content="0; url=/healthz"><base href="/elsewhere/"><script>parent.ran = 1</script></head>
<body onload="parent.ran = 2"><h2>Hostile</h2><p style="width: 50px">text</p><img src="/ui/x.png" onerror="parent.ran = 3">
<a href="/healthz">away</a><form action="/healthz"><button>send</button></form><script>parent.ran = 4</script></body></html>`;

async function hostile(browser, base, id) {
  // Not a watched page, since the browser reports each thing that it has blocked.
  const page = await watchedPage(browser, { isWatched: false });
  const seen = [];
  page.on('response', (response) => seen.push(new URL(response.url()).pathname));
  await page.route(`**/tasks/${id}/report?format=html`, (route) =>
    route.fulfill({ contentType: 'text/html', body: kHostile }),
  );
  await page.goto(`${base}/ui/#/report/${id}`);
  await shown(page);
  const frame = page.frameLocator('.html-frame');
  await frame.getByText('away').click();
  await frame.getByRole('button', { name: 'send' }).click();
  await settled(page);
  check((await page.evaluate(() => window.ran)) === undefined, 'no script of a report runs');
  check(await frame.getByText('Hostile').isVisible(), 'nothing takes the place of a report');
  const loaded = seen.filter((path) => path === '/healthz' || path.endsWith('x.png'));
  check(loaded.length === 0, `a report loads nothing ${loaded.join(', ')}`);
  await page.context().close();
}
