// Uploads tables, JSON and folders, and downloads the documents again.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawPictures } from './data.mjs';
import { api } from './program.mjs';
import { axe, check, file, go, picture, settled } from './watched.mjs';

// Drops files and folders as the browser gets them from the system.
async function drop(page, paths) {
  // The place moves when the numbers of the index arrive above it.
  await settled(page);
  const { x, y, width, height } = await page.locator('.drop').boundingBox();
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  const browser = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'])
    await browser.send('Input.dispatchDragEvent', { type, x: x + width - 20, y: y + height / 2, data });
}

// Drops a folder of texts, pictures, a table and JSON at once, and looks at the progress meanwhile.
async function mixedFolder(page, base) {
  await api(base, 'PUT', '/v1/indexes/both', {
    fields: ['text=text:word3', 'picture=image:pdq'],
    min_threshold: 0.5,
    keep_documents: true,
  });
  await go(page, '#/indexes/both');
  await page.reload();
  const folder = mkdtempSync(join(tmpdir(), 'benzer-mixed-'));
  mkdirSync(join(folder, 'scans'));
  const [{ picture: drawn }] = await drawPictures(page);
  writeFileSync(join(folder, 'scans', 'one.jpg'), Buffer.from(drawn.split(',')[1], 'base64'));
  writeFileSync(join(folder, 'letter.txt'), 'A letter about the harbour and the ferry.');
  writeFileSync(join(folder, 'table.csv'), 'id,text\nrow-1,A text of a table.\n');
  writeFileSync(join(folder, 'list.json'), JSON.stringify([{ id: 'json-1', text: 'A text of JSON.' }]));
  await drop(page, [folder]);
  await page.getByText('Chosen: 1 text, 1 JSON file, 1 picture and 1 table').waitFor();
  let release = () => undefined;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/documents', async (route) => {
    await held;
    return route.continue();
  });
  await page.getByRole('button', { name: 'Add the documents' }).click();
  const bar = page.getByRole('progressbar', { name: 'Share of the files that is read' });
  await bar.waitFor();
  await picture(page, 'upload-progress-desktop-light');
  release();
  await page.locator('.said').getByText('4 added, 0 replaced, 0 refused.').waitFor();
  check((await bar.count()) === 0, 'a folder of texts, pictures, tables and JSON is added, with a bar while it lasts');
  await page.unroute('**/documents');
  const ids = (await api(base, 'GET', '/v1/indexes/both/documents')).documents.map((found) => found.id);
  check(ids.join() === 'json-1,letter.txt,row-1,scans/one.jpg', 'each with its id');
  rmSync(folder, { recursive: true });
  // The page asks for the numbers of the index after an upload.
  await settled(page);
  await api(base, 'DELETE', '/v1/indexes/both?confirm=both');
}

// Uploads numbers that JavaScript would round, downloads them, and uploads the download.
async function longNumbers(page, base) {
  await api(base, 'PUT', '/v1/indexes/numbers', { fields: ['text=text:word3'], min_threshold: 0.5 });
  await go(page, '#/indexes/numbers');
  await page.reload();
  const add = async (name, text, sentence) => {
    await page.getByLabel('Choose files').setInputFiles(file(name, text));
    await page.getByRole('button', { name: 'Add the documents' }).click();
    await page.locator('.said').getByText(sentence).waitFor();
  };
  const sent = [
    '{"id": 9007199254740993, "text": "the first of two", "account": 12345678901234567890}',
    '{"id": 9007199254740992, "text": "the second of two", "account": 12345678901234567891}',
  ];
  await add('numbers.json', `[${sent.join(',\n')}]`, '2 added, 0 replaced, 0 refused.');
  const listed = async () => (await fetch(`${base}/v1/indexes/numbers/documents`)).text();
  const stored = await listed();
  check(
    sent.every((document) => stored.includes(document)),
    'numbers of any length are uploaded as they are',
  );
  await settled(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the documents' }).click();
  const saved = readFileSync(await (await download).path(), 'utf8');
  const asStrings = sent.map((document) => document.replace(/"id": (\d+), /, '"id":"$1",'));
  check(saved.replaceAll(', ', ',') === asStrings.reverse().join('\n').replaceAll(', ', ',') + '\n', 'and downloaded');
  await add('again.jsonl', saved, '0 added, 2 replaced, 0 refused.');
  const again = await listed();
  check(
    [...again.matchAll(/"account": ?\d+/g)].length === 2 && again.includes('"account": 12345678901234567891'),
    'and are the same documents when the download is uploaded',
  );
  await settled(page);
  await api(base, 'DELETE', '/v1/indexes/numbers?confirm=numbers');
}

export async function uploads(page, base) {
  console.log('uploads');
  await api(base, 'PUT', '/v1/indexes/mixed', { fields: ['text=text:word3'], min_threshold: 0.5 });
  await go(page, '#/indexes/mixed');
  await page.reload();
  const add = async (sentence) => {
    await page.getByRole('button', { name: 'Add the documents' }).click();
    await page.locator('.said').getByText(sentence).waitFor();
  };
  await page
    .getByLabel('Choose files')
    .setInputFiles(file('table.csv', 'id,body,lang\n1,"one, ""two""\nthree",en\n2,x\n'));
  await page.getByLabel('Column with the field text').waitFor();
  check(await page.getByRole('button', { name: 'Add the documents' }).isDisabled(), 'a table without the field asks');
  await page.getByLabel('Column with the field text').selectOption('body');
  await add('1 added, 0 replaced, 1 refused.');
  const said = await page.locator('.note-problem').textContent();
  check(said.includes('table.csv, line 4: there are 2 values for 3 columns'), `and a bad row is named: ${said}`);
  await axe(page, 'an upload');
  await picture(page, 'upload-desktop-light');
  const one = (await api(base, 'GET', '/v1/indexes/mixed/documents/1')).document;
  check(one.text === 'one, "two"\nthree' && one.lang === 'en', 'quotes and line ends of a table are read');

  const folder = mkdtempSync(join(tmpdir(), 'benzer-folder-'));
  mkdirSync(join(folder, 'letters'));
  writeFileSync(join(folder, 'letters', 'a.txt'), 'A letter about the harbour.');
  writeFileSync(join(folder, 'b.md'), 'Another one.');
  writeFileSync(join(folder, 'bytes.bin'), Buffer.from([65, 255, 254]));
  writeFileSync(join(folder, '.hidden'), 'x');
  await page.getByLabel('Choose a folder').setInputFiles(folder);
  await page.getByText('Chosen: 3 texts').waitFor();
  await add('2 added, 0 replaced, 1 refused.');
  check(await page.getByText('bytes.bin: the file is not UTF-8').isVisible(), 'what is not text is refused');
  const ids = (await api(base, 'GET', '/v1/indexes/mixed/documents')).documents.map((found) => found.id);
  check(ids.join() === '1,b.md,letters/a.txt', 'files of a folder are documents with their paths');

  // A folder that is dropped, as the browser gets it from the system.
  await drop(page, [folder]);
  await page.getByText('Chosen: 3 texts').waitFor();
  await add('0 added, 2 replaced, 1 refused.');
  check(true, 'a folder can be dropped, and has the same ids');
  rmSync(folder, { recursive: true });

  // More than one request, in lines that the server takes 2,000 at a time.
  const many = Array.from({ length: 5000 }, (_, at) => ({ id: `m-${at}`, text: `number ${at} of many` }));
  await page.getByLabel('Choose files').setInputFiles(file('many.json', JSON.stringify(many)));
  await add('5\u202f000 added, 0 replaced, 0 refused.');
  check(true, 'thousands of documents are sent');

  // A server that is busy is asked again; then the upload is stopped in the middle.
  let requests = 0;
  await page.route('**/documents', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    if (++requests === 1) {
      const problem = { status: 503, code: 'busy', title: 'Busy', detail: 'a task', retry_after_s: 1 };
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    }
    if (requests > 2) await new Promise((resolve) => setTimeout(resolve, 3000));
    return route.continue().catch(() => undefined);
  });
  await page.getByLabel('Choose files').setInputFiles(file('many.json', JSON.stringify(many)));
  await page.getByRole('button', { name: 'Add the documents' }).click();
  await page.locator('.said').getByText('0 added, 2\u202f000 replaced, 0 refused.').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('It was stopped; what was added stays.').waitFor();
  check(requests > 1, 'a busy server is asked again, and an upload can be stopped');
  await page.unroute('**/documents');
  await settled(page);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the documents' }).click();
  const saved = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n');
  check(saved.length === 5003 && JSON.parse(saved[0]).id === '1', 'all documents can be downloaded again');
  await api(base, 'DELETE', '/v1/indexes/mixed?confirm=mixed');
  await mixedFolder(page, base);
  await longNumbers(page, base);
  await page.reload();
}
