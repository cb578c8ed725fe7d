// A file that is written in many small pieces.

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

export class TextFile {
  private readonly out: WriteStream;
  private pieces: string[] = [];
  private pending = 0;

  constructor(path: string) {
    this.out = createWriteStream(path);
  }

  async write(text: string): Promise<void> {
    this.pieces.push(text);
    this.pending += text.length;
    if (this.pending > 1 << 20) await this.flush();
  }

  async close(): Promise<void> {
    await this.flush();
    this.out.end();
    await once(this.out, 'finish');
  }

  private async flush(): Promise<void> {
    if (!this.out.write(this.pieces.join(''))) await once(this.out, 'drain');
    this.pieces = [];
    this.pending = 0;
  }
}
