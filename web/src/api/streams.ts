// Parses two line formats that arrive in pieces: NDJSON and server-sent events.

// Returns whole lines. The text after the last line end waits for the next piece.
export class LineSplitter {
  private rest = '';

  add(piece: string): string[] {
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  end(): string[] {
    const last = this.rest;
    this.rest = '';
    return last === '' ? [] : [last];
  }
}

export interface ServerEvent {
  event: string;
  data: string;
}

export class EventParser {
  private event = 'message';
  private data: string[] = [];

  // An empty line completes an event.
  line(line: string): ServerEvent | null {
    if (line === '') {
      const complete = this.data.length > 0 ? { event: this.event, data: this.data.join('\n') } : null;
      this.event = 'message';
      this.data = [];
      return complete;
    }
    if (line.startsWith(':')) return null;
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.event = value;
    if (name === 'data') this.data.push(value);
    return null;
  }
}

export async function* linesOf(response: Response): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* splitter.add(value);
    }
    yield* splitter.end();
  } finally {
    // When the reader stops, the server stops writing, too.
    reader.cancel().catch(() => undefined);
  }
}

export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  const parser = new EventParser();
  for await (const line of linesOf(response)) {
    const event = parser.line(line);
    if (event) yield event;
  }
}
