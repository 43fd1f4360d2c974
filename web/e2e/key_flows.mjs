// Gives keys to the page, and looks at what it then offers.
import { articles, lines } from './data.mjs';
import { api } from './program.mjs';
import { axe, check, go, picture } from './watched.mjs';

export async function keys(page, base, key) {
  console.log('keys');
  await page.goto(`${base}/ui/`);
  await page.getByRole('heading', { name: 'This server asks for a key' }).waitFor();
  await page.getByLabel('Key', { exact: true }).fill('bz_0123\u2019');
  await page.getByText('it has the character \u2019 (U+2019)').waitFor();
  check(
    await page.getByRole('button', { name: 'Use this key' }).isDisabled(),
    'a key that cannot be sent is refused in the dialog',
  );
  await page.getByLabel('Key', { exact: true }).fill('not-the-key');
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByText('The server does not know the last key.').waitFor();
  check(true, 'a wrong key is said to be wrong');
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByRole('heading', { name: 'There is no index yet' }).waitFor();
  check(true, 'the right key opens');
  await page.reload();
  await page.getByRole('heading', { name: 'There is no index yet' }).waitFor();
  check((await page.evaluate(() => localStorage.getItem('benzer-key'))) === null, 'and is kept for this tab only');
}

// A server that limits requests may refuse the one about the key.
export async function unknownScope(page, base, key) {
  console.log('a scope that is not known');
  let isRefused = true;
  const refusal = { status: 429, code: 'rate', title: 'Too many requests', detail: 'others are served first' };
  await page.route('**/v1/key', (route) =>
    isRefused ? route.fulfill({ status: 429, body: JSON.stringify(refusal) }) : route.continue(),
  );
  await page.goto(`${base}/ui/#/indexes`);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByRole('heading', { name: 'Indexes' }).waitFor();
  check((await page.getByRole('button', { name: 'New index' }).count()) === 0, 'the page shows what needs no scope');
  isRefused = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'New index' }).waitFor();
  check((await page.locator('.note-problem').count()) === 0, 'and the rest when the scope is known');
}

// Every button that changes something, with the lowest scope that may press it.
const kButtons = [
  { view: '#/indexes', scope: 'admin', name: 'New index' },
  { view: '#/indexes/articles', scope: 'admin', name: 'Verify' },
  { view: '#/indexes/articles', scope: 'admin', name: 'Delete …' },
  { view: '#/indexes/articles', scope: 'write', name: 'Add the documents' },
  { view: '#/plan', scope: 'admin', name: 'Create an index with this' },
  { view: '#/clusters/articles', scope: 'write', name: /^Not a copy/ },
  { view: '#/tasks', scope: 'write', name: 'Start the dry run' },
];

export async function scopes(newPage, base, keys) {
  console.log('scopes');
  const headers = { Authorization: `Bearer ${keys.admin}` };
  await api(base, 'PUT', '/v1/indexes/articles', { fields: ['text=text:word3'], min_threshold: 0.5 }, headers);
  await api(base, 'POST', '/v1/indexes/articles/documents', lines(articles()), headers);
  const { id } = await api(base, 'POST', '/v1/indexes/articles/dedup', {}, headers);
  for (const has of ['read', 'write', 'admin']) {
    const page = await newPage();
    await page.goto(`${base}/ui/#/indexes`);
    await page.getByLabel('Key', { exact: true }).fill(keys[has]);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('heading', { name: 'articles' }).waitFor();
    const wrong = [];
    for (const { view, scope, name } of kButtons) {
      await go(page, view);
      const may = has === 'admin' || has === scope;
      const button = page.getByRole('button', { name });
      // What a view shows may come later than the last of its requests.
      if (may)
        await button
          .first()
          .waitFor({ timeout: 10_000 })
          .catch(() => {});
      const isThere = (await button.count()) > 0;
      if (isThere !== may) wrong.push(`${view} ${name}`);
    }
    check(wrong.length === 0, `a key with the scope ${has} sees the buttons that it may press ${wrong.join(', ')}`);
    await go(page, `#/report/${id}`);
    await page.frameLocator('.html-frame').getByRole('heading', { name: 'Clusters side by side' }).waitFor();
    await go(page, '#/clusters/articles');
    await axe(page, `clusters with the scope ${has}`);
    await picture(page, `clusters-${has}-desktop-light`);
    await page.context().close();
  }
}
