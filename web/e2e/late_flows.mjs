// Makes answers late or failing, and changes indexes by other clients, and looks at what the page then says.
import { readFileSync } from 'node:fs';
import { articles, lines } from './data.mjs';
import { api } from './program.mjs';
import { check, file, go, picture, settled } from './watched.mjs';

const problem = (status, code) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ status, code, title: 'Too much to do', detail: 'others are served first' }),
});

const hashOf = (page) => page.evaluate(() => location.hash);

export async function failingPlan(page) {
  console.log('a plan that fails');
  await go(page, '#/plan?threshold=0.8');
  await page.locator('.tile', { hasText: 'found at 0.8' }).waitFor();
  await page.route('**/v1/plan', (route) => route.fulfill(problem(429, 'rate')));
  await page.getByLabel('Threshold, as a number').fill('0.5');
  await page.getByLabel('Threshold, as a number').press('Tab');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  const tiles = await page.locator('.tiles').textContent();
  check(tiles.includes('16 × 6') && tiles.includes('found at 0.8'), `an old plan has its own threshold: ${tiles}`);
  check((await page.getByText('This is the plan for threshold 0.8').count()) === 1, 'and says so');
  const create = page.getByRole('button', { name: 'Create an index with this' });
  check(await create.isDisabled(), 'and makes no index');
  await picture(page, 'plan-failed-desktop-light');
  await page.unroute('**/v1/plan');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.tile', { hasText: 'found at 0.5' }).waitFor();
  check((await page.locator('.tiles').textContent()).includes('35 × 3'), 'the plan for the new threshold comes');
  await create.click();
  await page.getByLabel('Name of the index').fill('planned');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Create the index' }).click();
  const { bands, min_threshold } = (await sent).postDataJSON();
  check(bands === '35x3' && min_threshold === 0.5, `the index is made with ${bands} for ${min_threshold}`);
  await page.getByRole('heading', { name: 'planned' }).waitFor();
  await go(page, '#/plan?index=nosuch');
  await page.getByText('There is no index nosuch with bands.').waitFor();
  check(true, 'an index that is not there is not replaced in silence');
}

const taskOf = (id, status) => ({
  id,
  kind: 'verify',
  index: 'articles',
  status,
  progress: null,
  created_at: `2026-11-26T08:00:0${id}Z`,
  seconds: null,
  result: null,
  problem: null,
});

export async function manyTasks(page) {
  console.log('many tasks');
  const json = (route, body) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
  let tasks = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => taskOf(id, id === 1 ? 'processing' : 'enqueued'));
  const streams = [];
  const ended = [];
  const note = (request) => request.url().endsWith('/events') && ended.push(request.url().split('/').at(-2));
  page.on('requestfailed', note);
  await page.route('**/v1/tasks', (route) => json(route, { tasks }));
  await page.route('**/v1/tasks/*/events', (route) => void streams.push(route.request().url().split('/').at(-2)));
  await page.route('**/v1/tasks/*/cancel', (route) => {
    const id = Number(route.request().url().split('/').at(-2));
    tasks = tasks.map((task) => (task.id === id ? taskOf(id, 'canceled') : task));
    return json(route, taskOf(id, 'canceled'));
  });
  // Not with go(), since the stream stays open.
  await page.evaluate(() => (location.hash = '#/tasks'));
  await page.locator('.task').nth(8).waitFor();
  await page.locator('.task', { hasText: 'Task 9' }).getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.task', { hasText: 'Task 9' }).getByText('Cancelled').waitFor();
  check(streams.join() === '1', `of nine unfinished tasks one is streamed: ${streams.join()}`);
  check(
    (await page.getByRole('status').first().textContent()).includes('Verification of articles: cancelled.'),
    'the live region says that a task has ended that was not streamed',
  );
  const show = (state) =>
    page.evaluate((visibility) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  await show('hidden');
  await page.waitForTimeout(200);
  check(ended.join() === '1', 'a tab in the background has no stream');
  tasks = tasks.map((task) =>
    taskOf(task.id, task.id === 1 ? 'succeeded' : task.id === 2 ? 'processing' : task.status),
  );
  await show('visible');
  await page.locator('.task', { hasText: 'Task 1,' }).getByText('Succeeded').waitFor();
  await page.waitForTimeout(200);
  check(streams.at(-1) === '2', `the next task is streamed after that: ${streams.join()}`);
  page.off('requestfailed', note);
  await page.evaluate(() => (location.hash = '#/plan'));
  await page.getByRole('heading', { name: 'Plan bands and rows' }).waitFor();
  await page.waitForTimeout(200);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(() => Reflect.deleteProperty(document, 'visibilityState'));
}

export async function changesByOthers(page, base) {
  console.log('changes by others');
  await go(page, '#/indexes');
  await api(base, 'PUT', '/v1/indexes/late', { fields: ['text=text:word3'], min_threshold: 0.5 });
  await page.evaluate(() => (location.hash = '#/indexes/late'));
  await page.getByRole('heading', { name: 'late' }).waitFor();
  check(true, 'an index that was made meanwhile is there');
  await api(base, 'POST', '/v1/indexes/late/documents', lines(articles().slice(0, 5)));
  await go(page, '#/indexes');
  await go(page, '#/indexes/late');
  await page.getByRole('link', { name: 'See the clusters' }).waitFor();
  check((await page.getByRole('button', { name: 'Download the documents' }).count()) === 1, 'and so are its documents');
  await api(base, 'POST', '/v1/indexes/late/documents', lines(articles().slice(5, 8)));
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByText('8 documents and all decisions about them').waitFor();
  check(true, 'the dialog of the deletion counts anew');
  await picture(page, 'delete-index-desktop-light');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.route('**/v1/indexes/late', (route) => route.fulfill(problem(503, 'too_busy')));
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByText('All documents and all decisions about them').waitFor();
  check(true, 'and names no number that it does not know');
  await page.unroute('**/v1/indexes/late');
  await page.getByRole('button', { name: 'Cancel' }).click();
}

export async function missingIndex(page) {
  console.log('an index that is not there');
  await page.evaluate(() => (location.hash = '#/tasks?index=nosuch'));
  await page.getByText('There is no index nosuch.').waitFor();
  check((await page.getByRole('button', { name: 'Start the dry run' }).count()) === 0, 'no other index is offered');
  await page.getByRole('button', { name: 'Choose another one' }).click();
  await page.getByRole('button', { name: 'Start the dry run' }).waitFor();
}

export async function failingList(page) {
  console.log('a list of indexes that fails');
  await go(page, '#/indexes/late');
  await page.route('**/v1/indexes', (route) => route.fulfill(problem(503, 'too_busy')));
  await page
    .locator('.files input')
    .first()
    .setInputFiles(file('some.jsonl', '{"id":"x","text":"A text."}\n{"id":"y"}\n'));
  await page.getByRole('button', { name: 'Add the documents' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.locator('.said', { hasText: '1 added, 0 replaced, 1 refused.' }).waitFor();
  check(true, 'the result of an upload stays when the list cannot be read again');
  await picture(page, 'failing-list-desktop-light');
  await go(page, '#/indexes');
  check((await page.getByRole('heading', { name: 'articles' }).count()) === 1, 'and so does the last list');
  await page.unroute('**/v1/indexes');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.note-problem').waitFor({ state: 'detached' });
}

export async function unreadableFile(page) {
  console.log('a dropped file that cannot be read');
  await go(page, '#/indexes/late');
  await page.evaluate(() => {
    const event = new DragEvent('drop', { bubbles: true, cancelable: true });
    const file = (_, reject) => reject(new DOMException('A file could not be found.', 'NotFoundError'));
    const entry = { isFile: true, isDirectory: false, name: 'gone.txt', file };
    Object.defineProperty(event, 'dataTransfer', {
      value: { files: [], items: [{ webkitGetAsEntry: () => entry }] },
    });
    document.querySelector('.files').dispatchEvent(event);
  });
  await page.getByText('What was dropped cannot be read').waitFor();
  check(true, 'a dropped file that cannot be read is a problem that is shown');
}

export async function searches(page, base) {
  console.log('searches that are cut');
  await go(page, '#/try/articles?id=article-02&limit=1');
  await page.getByRole('heading', { name: 'The most similar of 3 documents' }).waitFor();
  check((await page.locator('.match').count()) === 1, 'a cut list says how many are similar');
  await picture(page, 'try-cut-desktop-light');

  const marked = () => page.locator('.marked-scroll mark.shared').allTextContents();
  const query = 'an old dog; than oldest plan older; saw us.';
  await api(base, 'PUT', '/v1/indexes/marks', { fields: ['text=text:word2'], min_threshold: 0.1 });
  const long = articles()
    .slice(0, 5)
    .map((one) => one.text)
    .join(' ');
  const documents = lines([
    { id: 'm', text: 'an old man saw us' },
    { id: 'long', text: long },
  ]);
  const fill = (index) => api(base, 'POST', `/v1/indexes/${index}/documents`, documents);
  await fill('marks');
  await go(page, `#/try/marks?text=${encodeURIComponent(query)}`);
  await page.locator('.marked-query').waitFor();
  check(
    (await marked()).join('|') === 'an old|saw us',
    `marks are those of a comparison: ${(await marked()).join('|')}`,
  );
  await go(page, '#/try/marks');
  await page.getByRole('textbox', { name: 'text' }).fill(long);
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.locator('.marked-query').waitFor();
  const all = (await marked()).join('').length;
  check(all > long.length - 3, `of an equal text of ${long.length} characters ${all} are marked`);

  await api(base, 'PUT', '/v1/indexes/unkept', {
    fields: ['text=text:word2'],
    min_threshold: 0.1,
    keep_documents: false,
  });
  await fill('unkept');
  await go(page, `#/try/unkept?text=${encodeURIComponent(query)}`);
  await page.locator('.marked-query').waitFor();
  check((await marked()).join('|') === 'an old|saw us', 'without kept documents marks are not inside of words either');
  await go(page, '#/try/unkept');
  await page.getByRole('textbox', { name: 'text' }).fill(long);
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.locator('.marked-query figcaption', { hasText: 'a part of what' }).waitFor();
  check((await marked()).join('').length > 100, 'and what is left out is said');
  await picture(page, 'try-unkept-desktop-light');
}

// Answers each request to the address a moment late. Returns a function that waits for these answers.
async function delayed(page, address) {
  const answers = [];
  await page.route(address, async (route) => {
    const done = (async () => {
      const response = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.fulfill({ response });
    })();
    answers.push(done);
    await done;
  });
  return async () => {
    await Promise.all(answers);
    await page.unroute(address);
    await settled(page);
  };
}

export async function lateAnswers(page) {
  console.log('late answers');
  const menu = (name) => page.getByRole('navigation').getByRole('link', { name, exact: true });
  await go(page, '#/indexes');
  let answered = await delayed(page, '**/compare');
  let asked = page.waitForRequest('**/compare');
  await page.evaluate(() => (location.hash = '#/compare/articles?a=article-08&b=article-08-copy1'));
  await asked;
  await menu('Indexes').click();
  await answered();
  check((await hashOf(page)) === '#/indexes', `a late comparison changes no other address: ${await hashOf(page)}`);

  answered = await delayed(page, '**/similar');
  asked = page.waitForRequest('**/similar');
  await page.evaluate(() => (location.hash = '#/try/articles?id=article-08'));
  await asked;
  await page.getByLabel('Index', { exact: true }).selectOption('late');
  await answered();
  check((await hashOf(page)) === '#/try/late', `nor does a late search: ${await hashOf(page)}`);

  answered = await delayed(page, '**/verify');
  await go(page, '#/indexes/late');
  await page.getByRole('button', { name: 'Verify' }).click();
  await menu('Plan').click();
  await answered();
  check((await hashOf(page)).startsWith('#/plan'), `nor does a task that begins late: ${await hashOf(page)}`);

  // Two long texts, one after the other.
  const [first, second] = [0, 20].map((from) =>
    articles()
      .slice(from, from + 8)
      .map((one) => one.text)
      .join(' '),
  );
  const compare = async (text) => {
    await menu('Compare').click();
    const sides = page.locator('.side-form');
    await sides.nth(0).getByRole('radio', { name: 'Pasted' }).check();
    await sides.nth(0).getByRole('textbox').fill(text);
    await sides.nth(1).getByRole('textbox').fill('article-08');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.locator('.verdict-score').waitFor();
    return hashOf(page);
  };
  await go(page, '#/compare/articles');
  const one = await compare(first);
  const other = await compare(second);
  check(one.includes('ap=') && one !== other, 'each long text has an address');
  await page.goBack();
  await page.locator('.pane-text').first().waitFor();
  check((await page.locator('.pane-text').first().textContent()) === first, 'an older address shows its older text');
  check((await hashOf(page)) === one, 'and stays');
  await page.evaluate(() => {
    for (const name of Object.keys(sessionStorage)) {
      if (name.startsWith('benzer-pasted-')) sessionStorage.setItem(name, '{"te');
    }
  });
  await page.reload();
  await page.getByText('Paste it again.').waitFor();
  check(true, 'a text that is not stored any more has to be pasted again');
  await picture(page, 'compare-lost-desktop-light');
}

export async function changedAttributes(page, base) {
  console.log('changed attributes');
  const attributes = ['lang=string', 'price=number', 'expires_at=time;ttl=30d'];
  await api(base, 'PUT', '/v1/indexes/prices', { attributes });
  const [mug, cup] = [
    { id: 'mug', text: 'A blue mug of stoneware with a handle, for tea', lang: 'en', price: 12, account: 12345678901 },
    { id: 'cup', text: 'A white cup of bone china without a handle', price: 5, expires_at: '2100-01-01' },
  ];
  await api(base, 'POST', '/v1/indexes/prices/documents', lines([mug, cup]));
  await api(base, 'PATCH', '/v1/indexes/prices/documents/mug', { price: 9.5, lang: null });
  const stored = (id) => api(base, 'GET', `/v1/indexes/prices/documents/${id}`);
  const before = [await stored('cup'), await stored('mug')].map((one) => one.attributes);
  await go(page, '#/indexes/prices');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the documents' }).click();
  const text = readFileSync(await (await saved).path(), 'utf8');
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  check(
    rows.length === 2 && rows[1].price === 9.5 && !('lang' in rows[1]) && rows[1].account === mug.account,
    `what is downloaded has the attributes of now: ${text}`,
  );
  await api(base, 'POST', '/v1/indexes/prices/documents', text);
  const after = [await stored('cup'), await stored('mug')].map((one) => one.attributes);
  check(JSON.stringify(after) === JSON.stringify(before), `and to load it changes nothing: ${JSON.stringify(after)}`);
}

export async function longLists(page, base) {
  console.log('long lists of ids');
  const texts = Array.from({ length: 120 }, (_, at) => ({ id: `t-${1000 + at}`, text: `text number ${at} of many` }));
  await api(base, 'PUT', '/v1/indexes/many-ids', { fields: ['text=text:word2'] });
  await api(base, 'POST', '/v1/indexes/many-ids/documents', lines(texts));
  await go(page, '#/try/many-ids?id=');
  await page.getByRole('radio', { name: 'From the index' }).check();
  await page.getByRole('button', { name: 'Show 50 more' }).dblclick();
  await page.locator('.id-list .id', { hasText: 't-1099' }).waitFor();
  await settled(page);
  const ids = await page.locator('.id-list .id').allTextContents();
  check(ids.length === 100 && new Set(ids).size === 100, `a double click shows 50 more: ${ids.length}`);
}
