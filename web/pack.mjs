// Compresses dist/ as the program embeds it, and fails if the page is too large.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const kFolder = join(import.meta.dirname, 'dist');
const kFiles = ['frame.html', 'index.html', 'page.css', 'page.js'];
const kMostBytes = 100_000;

const found = readdirSync(kFolder)
  .filter((name) => !name.endsWith('.gz'))
  .sort();
if (found.join() !== kFiles.join())
  throw new Error(`the build gave ${found.join(', ')} in place of ${kFiles.join(', ')}`);
let sum = 0;
for (const name of kFiles) {
  const packed = gzipSync(readFileSync(join(kFolder, name)), { level: constants.Z_BEST_COMPRESSION });
  writeFileSync(join(kFolder, `${name}.gz`), packed);
  sum += packed.length;
}
if (sum > kMostBytes) throw new Error(`the page is ${sum} bytes; it must stay below ${kMostBytes}`);
console.log(`dist: ${sum} bytes, packed`);
