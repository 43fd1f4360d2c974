// Does the whole work with the page alone, from an empty server to the deduplicated documents, and counts the steps.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { articles } from './data.mjs';
import { check, picture, settled } from './watched.mjs';

// What a person needs: a click or a key with finding its place, a short word, and reading what matters of a view.
const kSeconds = { click: 2, type: 3, read: 4, decide: 6 };
const kMostSeconds = 120;

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'benzer-letters-'));
  for (const { id, text } of articles()) {
    const path = join(folder, id.includes('copy') ? 'archive' : 'current', `${id}.txt`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

export async function person(page, base) {
  console.log('the whole work of a person');
  const folder = makeFolder();
  const steps = { click: 0, type: 0, read: 0, decide: 0 };
  const click = async (role, name, options = {}) => {
    steps.click++;
    await page.getByRole(role, { name, ...options }).click();
  };
  const type = async (label, text) => {
    steps.type++;
    await page.getByLabel(label).fill(text);
  };
  const read = async (locator) => {
    steps.read++;
    await locator.waitFor();
    await settled(page);
  };
  const key = async (name) => {
    steps.decide++;
    await page.keyboard.press(name);
  };
  const began = Date.now();
  await page.goto(`${base}/ui/`);
  await read(page.getByRole('heading', { name: 'There is no index yet' }));
  await click('button', 'Make an index of my own');
  await type('Name of the index', 'letters');
  await click('button', 'Create the index');

  await read(page.getByRole('heading', { name: 'Add documents' }));
  await picture(page, 'person-1-add');
  steps.click += 3; // the button, the folder in the window of the system, and its button
  await page.getByLabel('Choose a folder').setInputFiles(folder);
  await read(page.getByText('Chosen: 64 texts'));
  await click('button', 'Add the documents');
  await read(page.locator('.said', { hasText: '64 added, 0 replaced, 0 refused.' }));
  await picture(page, 'person-2-added');
  await page.locator('.panel').getByRole('link', { name: 'See the clusters' }).click();
  steps.click++;

  await read(page.locator('.member ins').first());
  await picture(page, 'person-3-clusters');
  const size = async () => Number(await page.locator('.cluster-list button').count());
  const clusters = await size();
  await key('n'); // not a copy: the two documents of the first decision are both kept
  await page.locator('.decided', { hasText: 'is not a copy' }).waitFor();
  await key('Shift+ArrowRight');
  await key('k'); // another keeper
  const decided = page.locator('.decided', { hasText: 'is the keeper now' });
  await decided.waitFor();
  const keeper = /(\S+\.txt) is the keeper/.exec(await decided.textContent())[1];
  await page.locator('.member.keeper h3').getByText(keeper, { exact: true }).waitFor();
  await picture(page, 'person-4-decided');

  await click('link', 'Deduplicate …');
  await read(page.getByRole('heading', { name: 'Deduplicate an index' }));
  check((await page.getByLabel('Index', { exact: true }).inputValue()) === 'letters', 'the form knows the index');
  await click('radio', 'Remove duplicates');
  await click('button', 'Remove duplicates …');
  await type('Type letters to confirm', 'letters');
  await click('button', 'Remove the duplicates');
  await read(page.locator('.task').getByText('Succeeded'));
  await picture(page, 'person-5-removed');
  const download = page.waitForEvent('download');
  await click('button', 'Download the documents');
  const kept = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n');
  const ids = kept.map((line) => JSON.parse(line).id);
  rmSync(folder, { recursive: true });

  check(clusters > 5 && ids.length < 64, `of 64 texts in ${clusters} clusters ${ids.length} are kept`);
  check(ids.includes(keeper), `the chosen keeper is among them: ${keeper}`);
  const seconds = Object.keys(kSeconds).reduce((sum, name) => sum + steps[name] * kSeconds[name], 0);
  const own = (Date.now() - began) / 1000;
  check(
    seconds <= kMostSeconds,
    `${steps.click} clicks, ${steps.type} words, ${steps.decide} decisions, ${steps.read} looks: about ${seconds} s of a ` +
      `person (the program and the page: ${own.toFixed(1)} s)`,
  );
}
