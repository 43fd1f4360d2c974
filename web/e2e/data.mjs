// Documents for the test: families of near-copies made of a few sentences, sets of parts, and drawn pictures.

// A seeded sequence: every run tests the same.
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const kNouns = 'harbour bridge garden engine winter letter market window forest river station teacher village concert kitchen mountain bicycle museum storm lantern orchard railway island factory library meadow'.split(' ');
const kVerbs = 'opened closed crossed repaired painted remembered followed measured promised carried lifted visited described collected counted'.split(' ');
const kRest = 'before the first snow|after a long debate|without a word|for the third time|on a quiet morning|near the old mill|with borrowed tools|against all advice|in front of the town hall|under a grey sky'.split('|');

export function sentences(next, count) {
  const pick = (list) => list[Math.floor(next() * list.length)];
  return Array.from({ length: count }, () => `The ${pick(kNouns)} ${pick(kVerbs)} the ${pick(kNouns)} and the ${pick(kNouns)} ${pick(kRest)}.`);
}

// 40 texts, 12 of them with one to three near-copies.
export function articles() {
  const next = random(11);
  const documents = [];
  for (let index = 0; index < 40; index++) {
    const text = sentences(next, 6);
    documents.push({ id: `article-${String(index).padStart(2, '0')}`, text: text.join(' ') });
    for (let copy = 0; index < 12 && copy <= index % 3; copy++) {
      const changed = [...text];
      changed[Math.floor(next() * 6)] = sentences(next, 1)[0];
      documents.push({ id: `article-${String(index).padStart(2, '0')}-copy${copy + 1}`, text: changed.join(' ') });
    }
  }
  return documents;
}

const kParts = 'frame fork saddle pedal chain brake-cable rim spoke tyre tube bell lamp mudguard rack stem grip hub axle kickstand pump'.split(' ');

export function kits() {
  const next = random(23);
  const documents = [];
  for (let index = 0; index < 30; index++) {
    const values = kParts.filter(() => next() < 0.5);
    documents.push({ id: `kit-${index}`, values });
    if (index % 4 === 0) documents.push({ id: `kit-${index}-plus`, values: [...values, 'reflector'] });
  }
  return documents;
}

// Drawn by the browser: 6 scenes, each also darker, and smaller.
export function drawPictures(page) {
  return page.evaluate(() => {
    const draw = (scene, width, height, light) => {
      const canvas = document.createElement('canvas');
      canvas.width = width;
      canvas.height = height;
      const pen = canvas.getContext('2d');
      const hue = scene * 57;
      const sky = pen.createLinearGradient(0, 0, width * (scene % 2), height);
      sky.addColorStop(0, `hsl(${hue} 60% ${75 * light}%)`);
      sky.addColorStop(1, `hsl(${hue + 60} 55% ${35 * light}%)`);
      pen.fillStyle = sky;
      pen.fillRect(0, 0, width, height);
      for (let shape = 0; shape < 9; shape++) {
        const at = Math.abs(Math.sin(scene * 12.9 + shape * 78.2));
        const up = Math.abs(Math.cos(scene * 4.7 + shape * 31.4));
        pen.fillStyle = `hsl(${hue + shape * 40} 65% ${(30 + 45 * up) * light}%)`;
        pen.beginPath();
        if (shape % 2) pen.arc(at * width, up * height, (0.06 + 0.12 * at) * width, 0, 7);
        else pen.rect(at * width * 0.8, up * height * 0.8, (0.1 + 0.2 * up) * width, (0.1 + 0.25 * at) * height);
        pen.fill();
      }
      return canvas.toDataURL('image/jpeg', 0.85);
    };
    const out = [];
    for (let scene = 1; scene <= 6; scene++) {
      out.push({ id: `scene-${scene}`, picture: draw(scene, 360, 240, 1) });
      out.push({ id: `scene-${scene}-dark`, picture: draw(scene, 360, 240, 0.75) });
      if (scene % 2) out.push({ id: `scene-${scene}-small`, picture: draw(scene, 210, 140, 1) });
    }
    return out;
  });
}

export const lines = (documents) => documents.map((one) => JSON.stringify(one)).join('\n') + '\n';
