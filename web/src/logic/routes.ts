// Reads and writes addresses within the page: #/view/part?name=value. A reload shows the same, and links can be shared.

export type ViewName = 'try' | 'compare' | 'clusters' | 'plan' | 'indexes' | 'tasks' | 'report';
// The views of the navigation. A report is reached from its task.
export const kMainViews: readonly ViewName[] = ['try', 'compare', 'clusters', 'plan', 'indexes', 'tasks'];
const kViews: readonly ViewName[] = [...kMainViews, 'report'];

export interface Route {
  view: ViewName;
  part: string | null; // name of an index, or id of a task
  values: Record<string, string>;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [view = '', part = ''] = path.split('/');
  const known = kViews.find((name) => name === view);
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) values[name] = value;
  return { view: known ?? 'try', part: part === '' ? null : decoded(part), values };
}

export function routeHash(
  view: ViewName,
  part?: string | null,
  values: Record<string, string | number | null | undefined> = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  }
  const tail = query.toString();
  return `#/${view}${part ? `/${encodeURIComponent(part)}` : ''}${tail ? `?${tail}` : ''}`;
}
