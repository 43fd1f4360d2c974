// Makes documents for the test: clusters of near-copies made of a few sentences, sets of parts, and drawn images.

// A seeded sequence, so that every run tests the same.
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const kNouns =
  'harbour bridge garden engine winter letter market window forest river station teacher village concert kitchen mountain bicycle museum storm lantern orchard railway island factory library meadow'.split(
    ' ',
  );
const kVerbs =
  'opened closed crossed repaired painted remembered followed measured promised carried lifted visited described collected counted'.split(
    ' ',
  );
const kRest =
  'before the first snow|after a long debate|without a word|for the third time|on a quiet morning|near the old mill|with borrowed tools|against all advice|in front of the town hall|under a grey sky'.split(
    '|',
  );

export function sentences(next, count) {
  const pick = (list) => list[Math.floor(next() * list.length)];
  return Array.from(
    { length: count },
    () => `The ${pick(kNouns)} ${pick(kVerbs)} the ${pick(kNouns)} and the ${pick(kNouns)} ${pick(kRest)}.`,
  );
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

const kParts =
  'frame fork saddle pedal chain brake-cable rim spoke tyre tube bell lamp mudguard rack stem grip hub axle kickstand pump'.split(
    ' ',
  );

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

// Draws images in the browser: 6 landscapes with enough detail for a hash, each also darker, and some smaller.
export function drawPictures(page) {
  return page.evaluate(() => {
    const draw = (scene, width, height, shade) => {
      const canvas = document.createElement('canvas');
      canvas.width = width;
      canvas.height = height;
      const pen = canvas.getContext('2d');
      pen.scale(width, height);
      let state = scene * 7919;
      const next = () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 4294967296;
      };
      const hue = scene * 57;
      pen.fillStyle = `hsl(${hue} 50% 82%)`;
      pen.fillRect(0, 0, 1, 1);
      pen.fillStyle = `hsl(${hue + 30} 80% 95%)`;
      pen.beginPath();
      pen.arc(next(), 0.1 + 0.25 * next(), 0.09, 0, 7);
      pen.fill();
      for (let ridge = 0; ridge < 4; ridge++) {
        pen.fillStyle = `hsl(${hue + ridge * 25} 40% ${66 - ridge * 16}%)`;
        pen.beginPath();
        pen.moveTo(0, 1);
        for (let at = 0; at <= 1.001; at += 0.1) pen.lineTo(at, 0.15 + ridge * 0.18 + 0.3 * next());
        pen.lineTo(1, 1);
        pen.fill();
        for (let house = 0; house < 7; house++) {
          pen.fillStyle = `hsl(${hue + 180 * next()} 60% ${15 + 75 * next()}%)`;
          pen.fillRect(next(), 0.3 + ridge * 0.17 + 0.1 * next(), 0.03 + 0.06 * next(), 0.05 + 0.1 * next());
        }
      }
      pen.fillStyle = `rgb(0 0 0 / ${shade})`;
      pen.fillRect(0, 0, 1, 1);
      return canvas.toDataURL('image/jpeg', 0.85);
    };
    const out = [];
    for (let scene = 1; scene <= 6; scene++) {
      out.push({ id: `scene-${scene}`, picture: draw(scene, 360, 240, 0) });
      out.push({ id: `scene-${scene}-dark`, picture: draw(scene, 360, 240, 0.25) });
      if (scene % 2) out.push({ id: `scene-${scene}-small`, picture: draw(scene, 210, 140, 0) });
    }
    return out;
  });
}

// Pairs of near-copies with several fields, in scripts of both directions.
export function stories() {
  const hebrew = 'המעבורת הלילית לאיים עוכבה בנמל ביום שני לאחר אזהרת סערה וכמאתיים נוסעים ישנו במסוף';
  const english =
    'The night ferry to the islands was held in port on Monday after a storm warning, and about 240 passengers slept ' +
    'in the terminal, where volunteers handed out blankets and hot soup.';
  const chinese = '由于暴风雨警告，前往群岛的夜间渡轮星期一停留在港口，大约二百四十名乘客在候船室过夜。';
  const story = (id, title, body, tags, source) => ({ id, title, body, tags, source });
  return [
    story('אי-1', 'מעבורת', hebrew, ['ים', 'סערה'], 'web'),
    story('אי-2', 'מעבורת', hebrew.replace('שני', 'שלישי'), ['ים', 'סערה', 'נמל'], 'print'),
    story('ferry-1', 'Ferry held', english, ['sea', 'storm'], 'web'),
    story('ferry-2', 'Ferry held', english, ['sea', 'storm'], 'web'),
    story('ferry-3', 'Ferry held in port', `${english} It sails today.`, ['sea', 'wind'], 'print'),
    story('ferry-4', 'Ferry held', english.replaceAll(' ', '  '), ['sea', 'storm'], 'web'),
    story('船-1', '渡轮', chinese, ['海'], 'web'),
    story('船-2', '渡轮', chinese.replace('星期一', '星期二'), ['海'], 'web'),
  ];
}

export const lines = (documents) => documents.map((one) => JSON.stringify(one)).join('\n') + '\n';
