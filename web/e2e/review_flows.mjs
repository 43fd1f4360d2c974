// Shows texts and values that could harm the page.
import { lines } from './data.mjs';
import { api } from './program.mjs';
import { check, go, picture, settled } from './watched.mjs';

const kText = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';

const members = (page) => page.locator('.member:not(.keeper) h3');

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
