// Does what people do with the page, step by step, and checks the results.
import { articles, drawPictures, kits, lines } from './data.mjs';
import { api } from './program.mjs';
import { axe, check, file, go, picture, settled } from './watched.mjs';

export const kFerryCopy =
  'The night ferry to the islands was held in port on Monday after a storm warning. About 240 passengers slept in the ' +
  'terminal, where volunteers handed out blankets and hot soup. The company expects to sail again on Wednesday.';

export async function beginWithSamples(page, base) {
  console.log('a fresh server');
  await page.goto(`${base}/ui/`);
  await page.getByRole('heading', { name: 'There is no index yet' }).waitFor();
  await page.getByRole('button', { name: 'Load ten sample documents' }).click();
  await page.locator('.match').first().waitFor();
  check((await page.locator('.match h3').allTextContents()).includes('ferry'), 'the samples answer their example');
  check((await page.locator('.marked-query mark.shared').count()) > 1, 'shared passages are marked in the query');
  check((await page.getByRole('status').textContent()).includes('found'), 'the live region says what was found');
}

export async function tryIt(page) {
  console.log('try it');
  await go(page, '#/try/samples');
  await page.getByRole('textbox', { name: 'text' }).fill(kFerryCopy);
  await page.getByText('Add this document to the index').click();
  await page.getByLabel('Its id').fill('ferry-copy');
  await page.getByRole('button', { name: 'Add in any case' }).click();
  await page.locator('.add-document .note', { hasText: 'ferry-copy has been added.' }).waitFor();
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  const first = page.locator('.match').first();
  await first.waitFor();
  check((await first.locator('h3').textContent()) === 'ferry-copy', 'the added document is found');
  check((await first.locator('.score').first().textContent()).startsWith('1.000'), 'with a score of 1');
  check(
    (await page.locator('.match').nth(1).locator('.why-line').textContent()).includes('bands met'),
    'bands are counted',
  );
  await page.getByLabel('Its id').fill('ferry-again');
  await page.getByRole('button', { name: 'Add unless there is a similar one' }).click();
  await page.locator('.add-document .note', { hasText: 'Not added:' }).waitFor();
  check(true, 'a near-copy is not added when it is checked');

  await page.getByText('The same search with curl').click();
  for (const [name, part] of [
    ['curl', '/v1/indexes/samples/similar'],
    ['Command line', 'benzer similar ROOT/samples'],
    ['C++', 'find_similar_documents(query'],
  ]) {
    await page.locator('.same-call').getByRole('radio', { name, exact: true }).check();
    check((await page.locator('.same-call pre').textContent()).includes(part), `the same search: ${name}`);
  }
  await page.getByRole('button', { name: 'Copy this call' }).click();
  await page.getByRole('button', { name: 'Copied this call' }).waitFor();
  const hash = new URL(page.url()).hash;
  await page.reload();
  await page.locator('.match').first().waitFor();
  check(new URL(page.url()).hash === hash && hash.includes('text='), 'a reload shows the same');

  await page.getByRole('radio', { name: 'From the index' }).check();
  await page.locator('.id-list').getByText('notice-friday', { exact: true }).click();
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.locator('.match').getByText('notice', { exact: true }).waitFor();
  check(true, 'a document of the list finds its near-copy');
}

export async function compare(page) {
  console.log('compare');
  const match = page.locator('.match').first();
  const score = (await match.locator('.score').first().textContent()).slice(0, 5);
  await match.getByRole('link', { name: 'Compare' }).click();
  await page.locator('.verdict-score').waitFor();
  check(
    (await page.locator('.verdict-score').textContent()) === score,
    `the comparison has the score of the search, ${score}`,
  );
  check((await page.locator('.pane mark.shared').count()) > 0, 'shared parts are marked');
  check((await page.locator('.pane mark.own').count()) > 0, 'own parts are marked');
  check((await page.locator('.band-grid .band.met').count()) > 0, 'bands that met are lit');
  check((await page.locator('.bands-box h3').textContent()).includes('met'), 'and counted');
  await page.getByText('Choose other documents').click();
  await page.locator('.side-form').first().getByRole('radio', { name: 'Pasted' }).check();
  await page
    .locator('.side-form')
    .first()
    .getByRole('textbox')
    .fill('Nothing of this is anywhere else at all, it seems to me.');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByRole('heading', { name: 'Not similar' }).waitFor();
  check(true, 'a pasted text can be compared');
}

export async function plan(page, base) {
  console.log('plan');
  await go(page, '#/plan');
  await page.locator('.chart canvas').first().waitFor();
  check((await page.locator('.tile dd').first().textContent()) === '16 × 6', 'the default plan is 16 bands of 6 rows');
  check((await page.getByRole('cell', { name: '9 × 13' }).count()) > 0, 'rules of others are listed');
  await page.getByLabel('Words of a document').fill('1000');
  await page.getByLabel('Words of a document').press('Enter');
  // 8 bytes for each of 1,000 features of a million documents.
  await page.locator('.tile', { hasText: '7.45 GiB of features on the disk' }).getByText('7.63 GiB').waitFor();
  await page.reload();
  check((await page.getByLabel('Words of a document').inputValue()) === '1000', 'a plan tells all that documents take');
  await page.locator('.tile dd').first().filter({ hasText: '16 × 6' }).waitFor();
  await page.getByLabel('Threshold, as a number').fill('0.6');
  await page.getByLabel('Threshold, as a number').press('Enter');
  await page.locator('.tile dd').first().filter({ hasNotText: '16 × 6' }).waitFor();
  await page.getByRole('button', { name: 'Create an index with this' }).click();
  await page.getByLabel('Name of the index').fill('kits');
  await page.getByLabel('Kind and features').selectOption('values');
  await page.getByRole('button', { name: 'Create the index' }).click();
  await page.getByRole('heading', { name: 'kits' }).waitFor();
  const made = await api(base, 'GET', '/v1/indexes/kits');
  check(made.schema.min_threshold === 0.6 && made.schema.fields[0].features === 'values', 'the plan made an index');
}

export async function attributes(page) {
  console.log('attributes');
  await go(page, '#/indexes');
  await page.getByRole('button', { name: 'New index' }).click();
  await page.getByLabel('Name of the index').fill('shop');
  await page.getByLabel('Attributes (optional)').fill('lang=string\nprice=number\nseen=time');
  await page.getByRole('button', { name: 'Create the index' }).click();
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  await go(page, '#/try/shop');
  await page.getByRole('textbox', { name: 'text', exact: true }).fill(kFerryCopy);
  await page.getByText('Add this document to the index').click();
  for (const [id, lang, price] of [
    ['cheap', 'en', '3'],
    ['dear', 'de', '12.50'],
  ]) {
    await page.getByLabel('Its id').fill(id);
    await page.getByLabel('lang (string, optional)').fill(lang);
    await page.getByLabel('price (number, optional)').fill(price);
    await page.getByLabel('seen (time, optional)').fill('2026-11-22');
    await page.getByRole('button', { name: 'Add in any case' }).click();
    await page.locator('.add-document .note', { hasText: `${id} has been added.` }).waitFor();
  }
  await page.getByLabel('Only documents with').fill('price >= 10\nlang in de,fr');
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.locator('.match').first().waitFor();
  check((await page.locator('.match h3').allTextContents()).join() === 'dear', 'a condition limits a search');
  const chips = await page.locator('.match .chips').first().textContent();
  check(
    chips.includes('lang de') && chips.includes('price 12.5') && chips.includes('2026-11-22T'),
    `attributes: ${chips}`,
  );
  check((await page.locator('.same-call pre').textContent()).includes('"price >= 10"'), 'the same search has them');
  await picture(page, 'attributes-desktop-light');
  await axe(page, 'attributes');
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, 'attributes-phone-light');
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByLabel('Only documents with').fill('price is 10');
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.locator('.note-problem', { hasText: 'price is 10' }).waitFor();
  check(true, 'a condition that makes no sense is said');
}

export async function indexes(page, base) {
  console.log('indexes');
  await page.getByLabel('Choose files').setInputFiles(file('kits.ndjson', lines(kits()) + '{"id":"broken"\n'));
  await page.getByRole('button', { name: 'Add the documents' }).click();
  await page.locator('.said').getByText('38 added, 0 replaced, 1 refused.').waitFor();
  check(
    (await page.locator('.note-problem').textContent()).includes('kits.ndjson, line 39: the document: malformed JSON'),
    'a bad line is named with its reason',
  );
  check(true, 'a file is added');

  await go(page, '#/indexes');
  await page.getByRole('button', { name: 'New index' }).click();
  await page.getByLabel('Name of the index').fill('pictures');
  await page.getByLabel('Kind and features').selectOption('image:pdq');
  await page.getByRole('button', { name: 'Create the index' }).click();
  await page.getByRole('heading', { name: 'pictures' }).waitFor();
  const pictures = await drawPictures(page);
  const files = pictures.map(({ id, picture }) => ({
    name: `${id}.jpg`,
    mimeType: 'image/jpeg',
    buffer: Buffer.from(picture.split(',')[1], 'base64'),
  }));
  await page.getByLabel('Choose files').setInputFiles(files.slice(0, 2));
  await page.getByText('Chosen: 2 pictures').waitFor();
  await page.getByRole('button', { name: 'Add the documents' }).click();
  await page.locator('.said').getByText('2 added').waitFor();
  check(
    (await api(base, 'GET', '/v1/indexes/pictures/documents')).documents[0].id === 'scene-1-dark.jpg',
    'pictures are added',
  );
  await api(base, 'POST', '/v1/indexes/pictures/documents/delete', { ids: ['scene-1.jpg', 'scene-1-dark.jpg'] });
  await page.getByLabel('Choose files').setInputFiles(file('pictures.json', JSON.stringify(pictures, null, 1)));
  await page.getByRole('button', { name: 'Add the documents' }).click();
  await page.locator('.said').getByText('15 added').waitFor();
  check(true, 'and a JSON array of them');

  await go(page, '#/try/pictures');
  const bytes = Buffer.from(pictures[1].picture.split(',')[1], 'base64');
  await page.locator('.drop input').setInputFiles({ name: 'scene.jpg', mimeType: 'image/jpeg', buffer: bytes });
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.locator('.match').first().waitFor();
  const found = await page.locator('.match h3').allTextContents();
  check(
    found.includes('scene-1') && found.includes('scene-1-dark'),
    `a picture finds its darker copy: ${found.join(', ')}`,
  );
  await page.locator('.match').first().getByRole('link', { name: 'Compare' }).click();
  await page.locator('.pane img').nth(1).waitFor();
  await page.reload();
  await page.locator('.pane img').nth(1).waitFor();
  check(true, 'a picture from a file can be compared, and after a reload, too');

  await go(page, '#/try/kits');
  await page.getByRole('textbox', { name: 'values' }).fill(kits()[0].values.join(', '));
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.locator('.match').getByText('kit-0-plus', { exact: true }).waitFor();
  check(true, 'a set of values finds the set with one more');

  await api(base, 'PUT', '/v1/indexes/gear', {
    fields: ['gear=values+weights'],
    min_threshold: 0.5,
    keep_documents: true,
  });
  for (const [id, map] of Object.entries({ 'gear-a': 1, 'gear-b': 0.5 }))
    await api(base, 'PUT', `/v1/indexes/gear/documents/${id}`, { gear: { tent: 2.5, rope: 1, lamp: 0.5, map } });
  await go(page, '#/try/gear');
  await page.reload();
  await page.getByRole('textbox', { name: 'gear' }).fill('tent: 2.5, rope, lamp: 0.5, map: 0.5');
  await page.getByRole('button', { name: 'Find similar documents' }).click();
  await page.getByText('a weight of 4.5 of 5 shared').waitFor();
  await go(page, '#/compare/gear?a=gear-a&b=gear-b');
  await page.getByText('a weight of 4.5 of 5 shared').waitFor();
  await page.locator('.pane').nth(1).getByText('map 0.5').waitFor();
  check(true, 'values with weights are compared by these, and shown with them');
  await api(base, 'DELETE', '/v1/indexes/gear?confirm=gear');

  await api(base, 'PUT', '/v1/indexes/old', {});
  await go(page, '#/indexes/old');
  await page.reload();
  await page.getByRole('button', { name: 'Delete …' }).click();
  const sure = page.getByRole('button', { name: 'Delete the index' });
  check(await sure.isDisabled(), 'a deletion wants its name typed');
  await page.getByLabel('Type old to confirm').fill('old');
  await sure.click();
  await page.getByRole('heading', { name: 'Indexes', exact: true }).waitFor();
  await page.getByText('3 indexes on this server').waitFor();
  check(true, 'an index is deleted');

  await api(base, 'PUT', '/v1/indexes/articles', {
    fields: ['text=text:word3'],
    min_threshold: 0.5,
    keep_documents: true,
  });
  await api(base, 'POST', '/v1/indexes/articles/documents', lines(articles()));
  await go(page, '#/indexes/articles');
  await page.reload();
  await page.locator('.histogram tbody tr').first().waitFor();
  check((await page.locator('.histogram tbody tr').count()) > 1, 'buckets are shown by size');

  await go(page, '#/try/articles');
  await page.getByRole('radio', { name: 'From the index' }).check();
  const ids = page.locator('.id-list .id');
  await ids.nth(49).waitFor();
  await page.getByLabel('Id of the document').fill('article-3');
  await ids.getByText('article-39', { exact: true }).waitFor();
  check((await ids.count()) === 10, 'ids behind the first fifty are offered by their beginning');
  await page.getByLabel('Id of the document').fill('article-4');
  await page.getByText('No id begins with this.').waitFor();
  check(true, 'and what is not there is said not to be');

  await go(page, '#/plan?index=articles');
  await page.getByText('cannot be told from 64').waitFor();
  check((await page.getByText('candidate pairs expected').count()) === 0, 'a small index says nothing of a large one');
  await page.getByLabel('Documents', { exact: true }).fill('500');
  await page.getByLabel('Documents', { exact: true }).press('Enter');
  await page.getByText('pairs of articles').waitFor();
  check(true, 'but of one that is not far larger');
}

const cardOf = (page, kind) => page.locator('.task', { hasText: kind }).first();

export async function tasks(page, base) {
  console.log('tasks');
  await go(page, '#/tasks');
  await page.reload();
  await page.getByLabel('Index', { exact: true }).selectOption('articles');
  await page.getByRole('button', { name: 'Start the dry run' }).click();
  await cardOf(page, 'Deduplication').getByText('Succeeded').waitFor();
  check(true, 'a dry run succeeds, and the page sees it live');
  for (const name of ['HTML', 'JSON', 'NDJSON']) {
    const download = page.waitForEvent('download');
    await cardOf(page, 'Deduplication').getByRole('button', { name, exact: true }).click();
    check((await download).then !== null, `the report as ${name}`);
  }
  await cardOf(page, 'Deduplication').getByRole('link', { name: 'Show the report' }).click();
  await page.frameLocator('.html-frame').getByRole('heading', { name: 'Clusters side by side' }).waitFor();
  check(true, 'and inside the page');
  await page.getByRole('link', { name: 'Tasks' }).last().click();
  const before = (await api(base, 'GET', '/v1/indexes/articles')).documents;
  await page.getByLabel('Index', { exact: true }).selectOption('articles');
  const remove = async (settings) => {
    await page.getByRole('radio', { name: 'Remove duplicates' }).check();
    await page.locator('.guards').evaluate((guards) => (guards.open = true));
    for (const [label, percent] of Object.entries(settings)) await page.getByLabel(label).fill(percent);
    await picture(page, 'tasks-remove-desktop-light');
    await page.getByRole('button', { name: 'Remove duplicates …' }).click();
    await picture(page, 'tasks-confirm-desktop-light');
    await page.getByLabel('Type articles to confirm').fill('articles');
    const sent = page.waitForRequest((request) => request.url().endsWith('/dedup'));
    await page.getByRole('button', { name: 'Remove the duplicates' }).click();
    return (await sent).postDataJSON();
  };
  await remove({ 'Largest cluster, %': '50', 'Largest loss, %': '12.5' });
  const stopped = cardOf(page, 'Stopped by a guard rail');
  await stopped.getByText(/give a higher “Largest loss”/).waitFor();
  check(!(await stopped.textContent()).includes('largest_loss'), 'a guard rail stops a run, in words of the form');
  const download = page.waitForEvent('download');
  await stopped.getByRole('button', { name: 'JSON', exact: true }).click();
  await download;
  await picture(page, 'tasks-stopped-desktop-light');
  check((await api(base, 'GET', '/v1/indexes/articles')).documents === before, 'and nothing is removed');
  check((await page.getByLabel('Largest loss, %').inputValue()) === '12.5', 'and what was filled in stays');
  const sent = await remove({ 'Largest cluster, %': '50', 'Largest loss, %': '60' });
  check(sent.largest_cluster === 0.5 && sent.largest_loss === 0.6, 'guard rails are sent as shares');
  check(!('cluster' in sent), 'and the kind of the clusters only if it is chosen');
  await page.locator('.task').nth(2).waitFor();
  await cardOf(page, 'Deduplication').getByText('Succeeded').waitFor();
  const after = (await api(base, 'GET', '/v1/indexes/articles')).documents;
  check(before > after && after === 40, `duplicates are removed: ${before} documents, then ${after}`);
  await api(base, 'GET', '/v1/indexes/articles/documents/article-08-copy1');
  check(true, 'the chosen keeper is still there');
  await api(base, 'POST', '/v1/indexes/articles/documents', lines(articles()));

  const { id } = await api(base, 'POST', '/v1/indexes/kits/dedup', {});
  await page.locator('.task', { hasText: 'Deduplication of kits' }).getByText(`Task ${id},`).waitFor();
  check(true, 'a task that was begun elsewhere is seen');
  await go(page, '#/tasks');
  await page.getByLabel('Index', { exact: true }).selectOption('articles');
  await page.getByLabel('In a cluster is').selectOption('components');
  await page.getByText('its ends may have little in common').waitFor();
  const begun = page.waitForRequest((request) => request.url().endsWith('/dedup'));
  await page.getByRole('button', { name: 'Start the dry run' }).click();
  check((await begun).postDataJSON().cluster === 'components', 'a dry run can follow chains');
  await page.locator('.task').nth(4).waitFor();
  await cardOf(page, 'Deduplication').getByText('Succeeded').waitFor();
  const asked = page.waitForRequest((request) => request.url().endsWith('/clusters'));
  await cardOf(page, 'Deduplication').getByRole('link', { name: 'See the clusters' }).click();
  check((await asked).postDataJSON().cluster === 'components', 'and its clusters are shown as it found them');
  await page.locator('.cluster-list button').first().waitFor();
  await picture(page, 'clusters-chains-desktop-light');
  const again = page.waitForRequest((request) => request.url().endsWith('/clusters'));
  await page.getByLabel('In a cluster is').selectOption('leader');
  check((await again).postDataJSON().cluster === 'leader', 'until another kind is chosen');

  await go(page, '#/indexes/samples');
  await page.getByRole('button', { name: 'Snapshot' }).click();
  await cardOf(page, 'Snapshot of')
    .getByText(/\.snapshots\/samples-/)
    .waitFor();
  check(true, 'a snapshot says where it is');

  const cards = (await page.locator('.task').allTextContents()).join(' ');
  const members = cards.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
  check(members.length === 0, `tasks speak in words, and not in members of the API ${members.join(', ')}`);

  await go(page, '#/indexes/samples');
  await page.getByRole('button', { name: 'Verify' }).click();
  await cardOf(page, 'Verification').getByText('Succeeded').waitFor();
  await go(page, '#/indexes/samples');
  await page.getByText('Sound', { exact: true }).waitFor();
  check(true, 'a verification is remembered');
}
