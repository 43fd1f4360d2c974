// Provides ten short documents to begin with: three stories with near-copies, and some without.

export interface Sample {
  id: string;
  text: string;
}

const kFerry =
  'The night ferry to the islands was held in port on Monday after a storm warning. About 240 passengers slept in ' +
  'the terminal, where volunteers handed out blankets and hot soup. The company expects to sail again on Tuesday at noon, ' +
  'once the wind has dropped below 40 knots.';

const kBread =
  'Mix 500 grams of rye flour with 400 millilitres of lukewarm water, a spoon of salt and the ripe sourdough. Let the ' +
  'dough rest for twelve hours at room temperature. Fold it twice, let it rise for another hour, and bake it for fifty ' +
  'minutes in a closed pot at 240 degrees.';

const kNotice =
  'Dear residents, the water will be turned off on Thursday from nine in the morning until three in the afternoon, ' +
  'because a valve in the basement has to be replaced. Please fill a few bottles beforehand and keep all taps closed ' +
  'while the work is going on.';

export const kSamples: readonly Sample[] = [
  { id: 'ferry', text: kFerry },
  { id: 'ferry-update', text: kFerry.replace('on Tuesday at noon', 'on Tuesday evening') },
  {
    id: 'ferry-short',
    text:
      'The night ferry to the islands was held in port on Monday after a storm warning. About 240 passengers slept in ' +
      'the terminal, where volunteers handed out blankets and hot soup.',
  },
  { id: 'bread', text: kBread },
  { id: 'bread-copied', text: `My grandmother's recipe! ${kBread}` },
  { id: 'notice', text: kNotice },
  { id: 'notice-friday', text: kNotice.replace('Thursday', 'Friday') },
  {
    id: 'library',
    text:
      'From next month the town library opens on Sundays, too. Returned books can be left in the box at the entrance at ' +
      'any hour, and the reading room on the second floor gets twenty more seats for students.',
  },
  {
    id: 'comet',
    text:
      'A faint comet can be seen low in the western sky for the rest of the week. Look for it about an hour after ' +
      'sunset with a pair of binoculars, a hand above the horizon and well away from street lamps.',
  },
  {
    id: 'bicycle',
    text:
      'Before the first ride in spring, check the brakes, pump up both tyres and put a drop of oil on the chain. A worn ' +
      'chain is cheaper to replace than the cassette that it ruins.',
  },
];

export const kSampleIndex = 'samples';
export const kSampleQuery =
  'On Monday the night ferry to the islands was held in port after a storm warning. About 240 passengers slept in the ' +
  'terminal, where volunteers handed out blankets and hot soup, the company said.';

export const sampleLines = (): string => kSamples.map((sample) => JSON.stringify(sample)).join('\n') + '\n';
