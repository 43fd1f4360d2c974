// Looks through clusters and decides about them, with the mouse and with keys.
import { articles, lines, stories } from './data.mjs';
import { api } from './program.mjs';
import { axe, check, go, picture, settled } from './watched.mjs';

const card = (page, id) => page.locator('.member', { has: page.getByRole('heading', { name: id, exact: true }) });
const verdict = (page, id, name) => card(page, id).getByRole('button', { name: new RegExp(`^(✓ )?${name}`) });

export async function clusters(page, base) {
  console.log('clusters');
  await go(page, '#/clusters/articles');
  await page.reload();
  await page.locator('.cluster-list button').first().waitFor();
  check((await page.locator('.cluster-list button').count()) === 12, 'the planted families are the clusters');
  await page.locator('.cluster-list ins').first().waitFor();
  check((await page.locator('.cluster-list del').count()) > 0, 'the list shows the first difference of each cluster');
  check((await page.locator('.decide').count()) === 0, 'nothing covers the page before something is decided');
  await page.getByLabel('Filter by id').fill('article-08');
  await page.locator('.cluster-list button').first().click();
  await card(page, 'article-08-copy1').locator('ins').first().waitFor();
  const folds = card(page, 'article-08-copy1').getByRole('button', { name: /words in common/ });
  check((await folds.count()) > 0, 'what is in common is folded');
  const before = (await card(page, 'article-08-copy1').textContent()).length;
  await folds.first().click();
  check((await card(page, 'article-08-copy1').textContent()).length > before, 'and can be opened');

  await verdict(page, 'article-08-copy1', 'Keep this one').click();
  await page.locator('.member.keeper h3', { hasText: 'article-08-copy1' }).waitFor();
  await page.getByLabel('Note', { exact: true }).fill('the copy has the better headline');
  await page.getByRole('button', { name: 'Save the note' }).click();
  await page.locator('.decision-list').getByText('better headline').waitFor();
  await settled(page);
  await axe(page, 'a decision');
  await picture(page, 'clusters-decided-desktop-light');
  await page.reload();
  await page.locator('.member.keeper h3', { hasText: 'article-08-copy1' }).waitFor();
  check(true, 'another keeper is stored and respected');
  const [listed, noted] = await page.locator('.decision-list li > div').allTextContents();
  check(listed.split('article-08-copy1').length === 2, 'the decision is listed, and names its keeper once');
  check(noted.includes('A note about article-08-copy1') && noted.includes('better headline'), 'and so is the note');
  check(
    (await page.locator('.cluster-head').textContent()).includes('better headline'),
    'which is shown with the cluster',
  );

  // Another client changes the decision between reading and storing.
  const { decisions } = await api(base, 'GET', '/v1/indexes/articles/decisions');
  const { id, etag, members, keeper } = decisions[0];
  await api(
    base,
    'PUT',
    `/v1/indexes/articles/decisions/${id}`,
    { members, keeper, note: 'seen by another person' },
    { 'If-Match': etag },
  );
  await verdict(page, 'article-08', 'Keep this one').click();
  await page.getByText('have changed meanwhile').waitFor();
  await page.locator('.decision-list').getByText('seen by another person').waitFor();
  await settled(page);
  check(await page.getByText('have changed meanwhile').isVisible(), 'and the sentence about it stays');
  check(true, 'a conflict is explained, and what is stored is shown');
  await page.getByRole('button', { name: 'Close what could not be stored' }).click();

  await page.getByLabel('Filter by id').fill('article-00');
  await page.locator('.cluster-list button').first().click();
  await verdict(page, 'article-00-copy1', 'Not a copy').click();
  await page.locator('.decision-list').getByText('not copies of one another').waitFor();
  await page.getByText('No cluster has such an id in it.').waitFor();
  check(true, 'what is not a copy is no longer in a cluster');
  await page.locator('.decision-list li', { hasText: 'article-00' }).getByRole('button').click();
  await page.locator('.cluster-list button', { hasText: 'article-00' }).waitFor();
  check(true, 'and is there again after an undo');
}

// More clusters than the page asks for: the weakest is not among the largest.
export async function manyClusters(page, base) {
  console.log('more clusters than are shown');
  await api(base, 'PUT', '/v1/indexes/many', { fields: ['text=text:word1'], min_threshold: 0.5 });
  const large = Array.from({ length: 1000 }, (_, at) =>
    ['a', 'b', 'c'].map((copy) => ({ id: `large-${at}-${copy}`, text: `first${at} second${at}` })),
  ).flat();
  const weak = [
    { id: 'weak-a', text: 'one two three' },
    { id: 'weak-b', text: 'one two four' },
  ];
  await api(base, 'POST', '/v1/indexes/many/documents', lines([...large, ...weak]));
  const asked = [];
  page.on('request', (request) => request.url().endsWith('/clusters') && asked.push(request.postDataJSON().sort));
  await go(page, '#/clusters/many');
  await page.getByText('1\u202f001 clusters, of which the first 1\u202f000 are shown').waitFor();
  await page.getByLabel('Sort by').focus();
  await page.getByLabel('Sort by').selectOption('weakest');
  await page.locator('.cluster-list button', { hasText: 'weak-' }).waitFor();
  const first = await page.locator('.cluster-list button').first().textContent();
  check(first.includes('weak-') && first.includes('weakest 0.500'), 'the weakest of all clusters can be seen');
  check((await page.evaluate(() => document.activeElement?.id)) === 'cluster-sort', 'and the focus stays');
  await settled(page);
  check(asked.join() === 'size,weakest', `each order is asked for once: ${asked.join()}`);
  await picture(page, 'clusters-many-desktop-light');
  await api(base, 'DELETE', '/v1/indexes/many?confirm=many');
}

// Another program replaces documents while the page shows them.
export async function replacedDocuments(page, base) {
  console.log('documents that are replaced meanwhile');
  await api(base, 'PUT', '/v1/indexes/replaced', { fields: ['text=text:word1'], min_threshold: 0.7 });
  const put = async (word, shared) => {
    const words = Array.from({ length: 40 }, (_, at) => `${word}${at}`);
    await api(base, 'PUT', '/v1/indexes/replaced/documents/a', { text: words.join(' ') });
    await api(base, 'PUT', '/v1/indexes/replaced/documents/b', { text: words.slice(0, shared).join(' ') });
  };
  const shown = async (word, score) => {
    await card(page, 'b').getByText(score, { exact: true }).waitFor();
    await settled(page);
    const texts = [
      page.locator('.member.keeper .kept'),
      card(page, 'b').locator('del'),
      page.locator('.first-difference'),
    ];
    return (await Promise.all(texts.map((text) => text.first().textContent()))).every((text) => text.includes(word));
  };
  await put('old', 30);
  for (const body of [
    { members: ['a', 'b'], keeper: 'a' },
    { members: ['c'], note: 'to be taken back' },
  ])
    await api(base, 'POST', '/v1/indexes/replaced/decisions', body);
  await go(page, '#/clusters/replaced');
  await page.reload();
  check(await shown('old', '0.750'), 'a cluster has its texts');
  await put('new', 36);
  await page.locator('.decision-list li', { hasText: 'taken back' }).getByRole('button').click();
  check(await shown('new', '0.900'), 'when clusters are asked for again, their texts are, too');
  await put('other', 32);
  await go(page, '#/tasks');
  await go(page, '#/clusters/replaced');
  check(await shown('other', '0.800'), 'and when the view is left and opened again');
  await go(page, '#/try/replaced?id=a');
  const match = page.locator('.match .kept');
  await match.getByText('other').waitFor();
  await put('last', 32);
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await match.getByText('last').waitFor();
  check(true, 'and next to a match that is found again');
  await api(base, 'DELETE', '/v1/indexes/replaced?confirm=replaced');
}

export async function clusterFields(page, base) {
  console.log('clusters of several fields');
  await api(base, 'PUT', '/v1/indexes/stories', {
    fields: ['title=text:char3;w=1', 'body=text:char5;w=3', 'tags=values;w=1'],
    min_threshold: 0.5,
  });
  await api(base, 'POST', '/v1/indexes/stories/documents', lines(stories()));
  await go(page, '#/clusters/stories?cluster=ferry-1');
  await page.reload();
  await card(page, 'ferry-3').locator('ins').first().waitFor();
  check(await card(page, 'ferry-2').getByText('Equal to the keeper.').isVisible(), 'an equal document is said to be');
  check(
    await card(page, 'ferry-4').getByText('only blanks and line ends differ').isVisible(),
    'and one with other blanks',
  );
  const third = await card(page, 'ferry-3').textContent();
  check(/title.*tags.*wind.*source/s.test(third), 'differences are named by their fields, also those not compared');
  await page.locator('.cluster-list button', { hasText: 'אי-1' }).click();
  await card(page, 'אי-2').locator('del').first().waitFor();
  const direction = await page
    .locator('.difference')
    .first()
    .evaluate((text) => getComputedStyle(text).direction);
  check(direction === 'rtl', 'a text from right to left is shown so');

  await api(base, 'PUT', '/v1/indexes/bare', {
    fields: ['text=text:word3'],
    min_threshold: 0.5,
    keep_documents: false,
  });
  await api(base, 'POST', '/v1/indexes/bare/documents', lines(articles()));
  await go(page, '#/clusters/bare');
  await page.reload();
  await page.getByText('This index does not keep documents').waitFor();
  check((await page.locator('.member').count()) > 1, 'without kept documents there are ids and scores');
  await api(base, 'DELETE', '/v1/indexes/bare?confirm=bare');
}

// Two texts of 1 MB, with changes all over, must not hold up the page.
export async function longTexts(page, base) {
  console.log('long texts');
  const sentence = (at) => `Sentence ${at} of a long report speaks of the harbour and of bridge ${at * 7}. `;
  const text = (changed) =>
    Array.from({ length: 14_000 }, (_, at) => (at % 300 === 5 ? sentence(`${changed}${at}`) : sentence(at))).join('');
  const [first, second] = [text('a'), text('b')];
  await api(base, 'PUT', '/v1/indexes/long', { fields: ['text=text:word3'], min_threshold: 0.5 });
  await api(
    base,
    'POST',
    '/v1/indexes/long/documents',
    lines([
      { id: 'a', text: first },
      { id: 'b', text: second },
    ]),
  );
  await page.goto(page.url().split('#')[0] + '#/plan');
  await page.reload();
  await page.evaluate(() => {
    // The largest gap between two ticks of a timer is how long the page could not answer.
    window.longest = 0;
    let last = performance.now();
    setInterval(() => {
      window.longest = Math.max(window.longest, performance.now() - last);
      last = performance.now();
    }, 5);
    location.hash = '#/clusters/long';
  });
  await page.locator('.member ins').first().waitFor();
  check(await page.getByText('47 differences from the keeper').isVisible(), 'changes in two texts of 1 MB are found');
  await page.getByRole('button', { name: 'Show all of 47 differences' }).click();
  check((await page.locator('.member ins').count()) > 40, 'and all shown when asked for');
  const longest = await page.evaluate(() => window.longest);
  console.log(`  the page was held up for ${longest.toFixed(0)} ms at most`);
  await picture(page, 'clusters-long-desktop-light');
  await api(base, 'DELETE', '/v1/indexes/long?confirm=long');
}

const stored = async (base) => (await api(base, 'GET', '/v1/indexes/articles/decisions')).decisions;

export async function clusterKeys(page, base) {
  console.log('keys in clusters');
  const before = await stored(base);
  await go(page, '#/clusters/articles?cluster=article-05');
  await page.reload();
  await page.locator('.member.current').waitFor();
  const current = () => page.locator('.member.current h3').textContent();
  const chosen = () => page.locator('.cluster-list [aria-pressed=true] .id').textContent();
  const focused = () => page.evaluate(() => document.activeElement?.classList.contains('current'));
  const focusedRow = () => page.evaluate(() => document.activeElement?.tagName === 'TR');
  check((await current()) === 'article-05-copy1', 'the first document is the current one');
  await page.keyboard.press('ArrowRight');
  check((await current()) === 'article-05-copy2' && (await focused()), 'an arrow moves to the next, with the focus');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('r');
  await verdict(page, 'article-05-copy1', 'Remove').and(page.locator('[aria-pressed=true]')).waitFor();
  check((await current()) === 'article-05-copy2', 'R stores that it is a copy, and moves on');
  await page.keyboard.press('r');
  await page.keyboard.press('n');
  await page.locator('.decided', { hasText: 'is not a copy' }).waitFor();
  await page.locator('.decision-list').getByText('not copies').waitFor();
  await settled(page);
  check((await stored(base)).length === before.length + 3, 'N stores that it is not a copy');
  await page.keyboard.press('u');
  await page.locator('.decided', { hasText: 'is a copy of' }).waitFor();
  await page.keyboard.press('u');
  await page.keyboard.press('u');
  await page.locator('.decide').waitFor({ state: 'detached' });
  await settled(page);
  check(JSON.stringify(await stored(base)) === JSON.stringify(before), 'U takes back one after the other');
  await page.keyboard.press('k');
  await page.locator('.member.keeper h3', { hasText: /copy/ }).waitFor();
  await page.keyboard.press('u');
  await page.locator('.member.keeper h3', { hasText: /^article-05$/ }).waitFor();
  check(true, 'K chooses a keeper, and U the earlier one again');
  await page.getByRole('radio', { name: 'Table' }).check();
  await page.locator('tr[aria-current=true]').waitFor();
  await page.locator('h1').click();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const row = await page.locator('tr[aria-current=true] th').textContent();
  check(row === 'article-05-copy3' && (await focusedRow()), `keys move in the table, too: ${row}`);
  await picture(page, 'clusters-table-desktop-light');
  await axe(page, 'clusters in a table');
  await page.getByRole('radio', { name: 'Cards' }).check();
  await page.locator('.member.current').waitFor();
  await page.locator('h1').click(); // a choice needs the arrows itself
  const first = await chosen();
  await page.keyboard.press('Shift+ArrowRight');
  check((await chosen()) !== first && (await focused()), 'with Shift an arrow moves to the next cluster');
  await page.keyboard.press('Shift+ArrowLeft');
  check((await chosen()) === first, 'and back');
  await page.getByLabel('Filter by id').fill('');
  await page.getByLabel('Filter by id').pressSequentially('knr');
  check((await page.locator('.decide').count()) === 0, 'while typing, keys decide nothing');
  await page.getByLabel('Filter by id').fill('');
  await page.getByLabel('Use keys').uncheck();
  await page.keyboard.press('r');
  await page.reload();
  await page.locator('.member.current').waitFor();
  await page.keyboard.press('r');
  await settled(page);
  check((await page.locator('.decide').count()) === 0, 'keys can be switched off, also for the next visit');
  await page.getByLabel('Use keys').check();
}
