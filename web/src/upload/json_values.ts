// Splits JSON that arrives in pieces into its objects: those of an array, or those that follow one another.

export interface JsonValue {
  text: string;
  line: number; // of its first character
}

export class JsonSplitter {
  private text = ''; // from the beginning of the value that is not complete
  private at = 0;
  private from = -1; // beginning of a value, or -1 between two
  private depth = 0; // of brackets in the value
  private isInText = false;
  private isEscaped = false;
  private line = 1;
  private fromLine = 1;
  private isInArray = false;

  add(piece: string): JsonValue[] {
    const out: JsonValue[] = [];
    this.text += piece;
    for (; this.at < this.text.length; this.at++) {
      const sign = this.text.charAt(this.at);
      if (sign === '\n') this.line++;
      if (this.from < 0) this.between(sign);
      else if (this.isInText) this.inText(sign);
      else this.inValue(sign, out);
    }
    this.text = this.from < 0 ? '' : this.text.slice(this.from);
    this.at = this.text.length;
    if (this.from > 0) this.from = 0;
    return out;
  }

  // What is left is not complete.
  end(): JsonValue | null {
    const rest = this.from < 0 ? '' : this.text.trim();
    return rest === '' ? null : { text: rest, line: this.fromLine };
  }

  get waiting(): number {
    return this.text.length;
  }

  private between(sign: string): void {
    if (sign.trim() === '' || sign === ',') return;
    if (sign === '[' && !this.isInArray) {
      this.isInArray = true;
      return;
    }
    if (sign === ']' && this.isInArray) return;
    this.from = this.at;
    this.fromLine = this.line;
    this.depth = sign === '{' || sign === '[' ? 1 : 0;
    this.isInText = sign === '"';
  }

  private inText(sign: string): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (sign === '\\') this.isEscaped = true;
    else if (sign === '"') this.isInText = false;
  }

  private inValue(sign: string, out: JsonValue[]): void {
    // Something else than an object ends where the next value may begin.
    if (this.depth === 0 && (sign === ',' || sign === ']' || sign === '\n' || sign === '{')) {
      this.close(this.at, out);
      this.between(sign);
      return;
    }
    if (sign === '"') this.isInText = true;
    else if (sign === '{' || sign === '[') this.depth++;
    else if ((sign === '}' || sign === ']') && --this.depth === 0) this.close(this.at + 1, out);
  }

  private close(to: number, out: JsonValue[]): void {
    out.push({ text: this.text.slice(this.from, to), line: this.fromLine });
    this.from = -1;
  }
}
