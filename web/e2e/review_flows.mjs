// Decides about clusters faster than they load, together with others, and while the server refuses.
import { lines } from './data.mjs';
import { api } from './program.mjs';
import { axe, check, go, picture, settled } from './watched.mjs';

const kSettings = { fields: ['text=text:word2'], min_threshold: 0.5 };
const kText = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';
const kKept = '/v1/indexes/review';

const members = (page) => page.locator('.member:not(.keeper) h3');
const keeper = (page) => page.locator('.member.keeper h3');
const keeperIs = (page, id) => page.locator('.member.keeper h3', { hasText: new RegExp(`^${id}$`) }).waitFor();
const stored = async (base) => (await api(base, 'GET', `${kKept}/decisions`)).decisions;
const choose = (base, id) =>
  api(base, 'POST', `${kKept}/decisions`, { members: ['A', 'B', 'C', 'D'], keeper: id, note: 'of a colleague' });
const said = (all) =>
  all.map((one) => `${one.members}${one.keeper ? `:${one.keeper}` : ''}${one.not_duplicates ? '!' : ''}`);

async function clustersOf(base) {
  const answer = await api(base, 'POST', `${kKept}/clusters`, { limit: 2 });
  const rows =
    typeof answer === 'string'
      ? answer
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [answer];
  return rows
    .filter((row) => row.members)
    .map((row) => `${row.keeper}: ${row.members.map((one) => one.id).sort()}`)
    .join('; ');
}

// Four near-copies, of which A is the keeper.
async function fresh(page, base) {
  await api(base, 'PUT', kKept, kSettings);
  for (const one of await stored(base))
    await api(base, 'DELETE', `${kKept}/decisions/${one.id}`, undefined, { 'If-Match': '*' });
  await api(
    base,
    'POST',
    `${kKept}/documents`,
    lines(['A', 'B', 'C', 'D'].map((id) => ({ id, text: `${kText} ${id}` }))),
  );
  await page.unrouteAll();
  await go(page, '#/clusters/review');
  await page.reload();
  await keeperIs(page, 'A');
  await settled(page);
}

const slow = (page, path, milliseconds) =>
  page.route(path, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    await route.continue().catch(() => undefined); // the page may have asked anew
  });

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

export async function quickVerdicts(page, base) {
  console.log('verdicts while the clusters load');
  await fresh(page, base);
  await slow(page, '**/clusters', 2000);
  await press(page, 'k', 'ArrowRight', 'r');
  await page.locator('[role=status]', { hasText: 'C is a copy of B' }).waitFor();
  check((await keeper(page).textContent()) === 'A', 'a verdict after another keeper was chosen is about that one');
  check(said(await stored(base)).join(' ') === 'B,A,C,D:B', `and does not choose again: ${said(await stored(base))}`);
  check((await clustersOf(base)).startsWith('B:'), 'the keeper that was chosen stays');
  await keeperIs(page, 'B');

  await fresh(page, base);
  await slow(page, '**/clusters', 2000);
  await press(page, 'k', 'ArrowRight', 'n');
  await page.locator('.decided', { hasText: 'C is not a copy of B' }).waitFor();
  check((await clustersOf(base)) === 'B: A,D', `what is not a copy is not removed: ${await clustersOf(base)}`);
  await keeperIs(page, 'B');
  await settled(page);
  check(!(await members(page).allTextContents()).includes('C'), 'nor shown as a copy');
  await press(page, 'u', 'u');
  await keeperIs(page, 'A');
  check((await stored(base)).length === 0, 'both can be taken back');

  await fresh(page, base);
  await slow(page, '**/clusters', 1500);
  await press(page, 'n', 'ArrowLeft');
  await page.locator('.decided', { hasText: 'B is not a copy of A' }).waitFor();
  await press(page, 'r');
  await page.locator('.decide [role=alert]', { hasText: 'has to be undone first' }).waitFor();
  check(said(await stored(base)).join(' ') === 'A,B!', 'a verdict against the last one is not stored');
  await page.unrouteAll();
}

export async function verdictsOfOthers(page, base) {
  console.log('verdicts of several people');
  const changed = page.locator('.decide [role=alert]', { hasText: 'have changed meanwhile' });
  for (const key of ['r', 'n', 'k']) {
    await fresh(page, base);
    await choose(base, 'C');
    await press(page, key);
    await changed.waitFor();
    await keeperIs(page, 'C');
    check(
      said(await stored(base)).join(' ') === 'A,B,C,D:C',
      `${key} about an older page stores nothing: ${said(await stored(base))}`,
    );
  }
  await settled(page);
  await axe(page, 'a refused verdict');
  await picture(page, 'clusters-refused-desktop-light');
  await page.getByRole('button', { name: 'Close what could not be stored' }).click();
  await page.locator('.decide').waitFor({ state: 'detached' });

  for (const key of ['r', 'k']) {
    await fresh(page, base);
    await press(page, key);
    await page.locator('.decided').waitFor();
    await choose(base, 'C');
    await page.getByLabel('Note', { exact: true }).fill('same text');
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.locator('.decision-list').getByText('same text').waitFor();
    check((await clustersOf(base)).startsWith('C:'), `a note after ${key} chooses no keeper`);
    await page.getByLabel('Note', { exact: true }).fill('another text');
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.locator('.decision-list').getByText('another text').waitFor();
    await keeperIs(page, 'C');
    await page.locator('.decide').getByRole('button', { name: 'Undo' }).click();
    await page.locator('.decided').waitFor({ state: 'detached' });
    check(said(await stored(base)).join(' ') === 'A,B,C,D:C', `nor does undoing it: ${said(await stored(base))}`);
    await keeperIs(page, 'C');
  }

  await fresh(page, base);
  await choose(base, 'A');
  await page.reload();
  await page.locator('.decision-list li').waitFor();
  const [{ id }] = await stored(base);
  await api(base, 'DELETE', `${kKept}/decisions/${id}`, undefined, { 'If-Match': '*' });
  await page.locator('.decision-list button').click();
  await page.getByText('This decision had already been taken back.').waitFor();
  await page.locator('.decision-list li').waitFor({ state: 'detached' });
  check(true, 'a decision that somebody else has taken back leaves the list');
}

export async function refusedVerdicts(page, base) {
  console.log('verdicts that the server refuses');
  await fresh(page, base);
  await page.evaluate(() => {
    window.heard = [];
    const status = document.querySelector('[role=status]');
    new MutationObserver(() => window.heard.push(status.textContent)).observe(status, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  let refused = 0;
  await page.route('**/decisions', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (refused++ > 0) return route.continue();
    const body = { title: 'Busy', status: 503, code: 'busy', detail: 'a task keeps writers out', hint: 'wait for it' };
    return route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(body) });
  });
  await press(page, 'k', 'ArrowRight', 'r');
  await page.locator('.decided', { hasText: 'C is a copy of A' }).waitFor();
  await settled(page);
  const note = await page.locator('.decide [role=alert]').allTextContents();
  check(note.length === 1 && /B as the keeper.*writers/.test(note[0]), `a refused verdict is named: ${note}`);
  const heard = await page.evaluate(() => window.heard);
  check(
    heard.some((one) => one.includes('C is a copy of A')) && !heard.some((one) => one.includes('B is the keeper')),
    `and is not said to be stored: ${heard.join(' | ')}`,
  );
  check(said(await stored(base)).join(' ') === 'A,C', 'the verdict after it is stored');
  await picture(page, 'clusters-refused-once-desktop-light');
  await press(page, 'ArrowLeft', 'ArrowLeft', 'k');
  await keeperIs(page, 'B');
  check((await page.locator('.decide [role=alert]').count()) === 0, 'the note ends when the verdict is stored');
  await page.unrouteAll();
}

// The page asks for a thousand clusters at most.
export async function cutClusters(page, base) {
  console.log('clusters that are not among the first');
  await api(base, 'PUT', '/v1/indexes/cut', { fields: ['text=text:word1'], min_threshold: 0.5 });
  const copies = Array.from({ length: 1200 }, (_, at) =>
    ['a', 'b', 'c'].slice(at < 100 ? 1 : 0).map((copy) => ({ id: `c${at}${copy}`, text: `first${at} second${at}` })),
  ).flat();
  await api(base, 'POST', '/v1/indexes/cut/documents', lines(copies));
  await go(page, '#/clusters/cut');
  await page.reload();
  await page.getByText('1\u202f200 clusters, of which the first 1\u202f000 are shown').waitFor();
  await page.getByLabel('Filter by id').fill('c50b');
  await page.getByText('None of the first 1\u202f000 clusters has such an id in it').waitFor();
  check(true, 'a filter says what it was looked for in');
  await go(page, '#/clusters/cut?cluster=c50b');
  await page.reload();
  await page.getByText('is not among the first 1\u202f000 of 1\u202f200 clusters').waitFor();
  await press(page, 'k', 'r', 'n');
  await settled(page);
  check((await page.locator('.member').count()) === 0, 'a cluster that is not there is not replaced by another one');
  check((await api(base, 'GET', '/v1/indexes/cut/decisions')).decisions.length === 0, 'and keys decide nothing');
  check(page.url().includes('cluster=c50b'), 'the address stays');
  await axe(page, 'a cluster that is not there');
  await picture(page, 'clusters-missing-desktop-light');
  await press(page, 'Shift+ArrowRight');
  await page.locator('.member.current').waitFor();
  await go(page, '#/clusters/cut?cluster=c50b&sort=keeper');
  await page.reload();
  await page.locator('.member.keeper h3', { hasText: 'c50b' }).waitFor();
  await settled(page);
  check(page.url().includes('sort=keeper'), 'the order is part of the address');
  await api(base, 'DELETE', '/v1/indexes/cut?confirm=cut');
}

export async function setApart(page, base) {
  console.log('documents that are set apart');
  await fresh(page, base);
  await api(base, 'POST', `${kKept}/decisions`, { members: ['A', 'B', 'C', 'D'], not_duplicates: true });
  await page.reload();
  await page.getByRole('heading', { name: 'There are no clusters' }).waitFor();
  const text = await page.locator('.empty').textContent();
  check(text.includes('no two reach 0.5, except those that decisions set apart'), `nothing untrue is said: ${text}`);
  await api(base, 'DELETE', `${kKept}?confirm=review`);
}

export async function hostileTexts(page, base) {
  console.log('hidden characters and long values');
  await api(base, 'PUT', '/v1/indexes/hostile', {
    fields: ['text=text:word2', 'tags=values'],
    attributes: ['price=number'],
    min_threshold: 0.4,
  });
  const long = 'x'.repeat(300);
  const document = (id, end) => ({ id, text: `${kText} pay ${end}`, tags: [long, 'a', 'b'], price: 12 });
  await api(
    base,
    'POST',
    '/v1/indexes/hostile/documents',
    lines([document('a', '\u202e001 EUR'), document('c\u202ed', '100 EUR'), document('e', 'a\u200bb\u00ad EUR')]),
  );
  await api(base, 'PATCH', '/v1/indexes/hostile/documents/e', { price: 99 });
  await go(page, '#/clusters/hostile');
  await page.reload();
  await page.locator('.member ins').nth(1).waitFor();
  await settled(page);
  const texts = await page.locator('.member').allTextContents();
  check(!/[\u202e\u200b\u00ad]/.test(texts.join('')), 'no text of a document turns others around');
  check(
    ['<U+202E>001', '<U+200B>', '<U+00AD>'].every((one) => texts.join('').includes(one)),
    'what is invisible is named',
  );
  check((await members(page).allTextContents()).includes('c<U+202E>d'), 'also in an id');
  const isolation = await page
    .locator('.member del, .member ins')
    .evaluateAll((all) => [...new Set(all.map((one) => getComputedStyle(one).unicodeBidi))]);
  check(isolation.join() === 'isolate', `a change has its own direction: ${isolation}`);
  const third = page.locator('.member', { has: page.getByRole('heading', { name: 'e', exact: true }) });
  check(/price.*12.*99/s.test(await third.textContent()), 'an attribute differs as it is now');
  await picture(page, 'clusters-hostile-desktop-light');
  const size = page.viewportSize();
  await page.setViewportSize({ width: 400, height: 844 });
  await go(page, '#/try/hostile?id=a&threshold=0.4');
  await page.reload();
  await page.locator('.match').first().waitFor();
  await page.locator('.shared-values mark').first().waitFor();
  await settled(page);
  await picture(page, 'try-hostile-phone-light');
  await go(page, '#/clusters/hostile');
  await settled(page);
  await picture(page, 'clusters-hostile-phone-light');
  await page.setViewportSize(size);
  await api(base, 'DELETE', '/v1/indexes/hostile?confirm=hostile');
}
