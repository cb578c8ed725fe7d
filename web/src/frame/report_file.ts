// A report of what is shown: the page, the engine and the profile in one file (as `sonde report` writes it, src/export/html.c).

/** A multiple of three: each piece is base64 by itself. */
const PIECE = 3 << 18;

async function base64Of(blob: Blob): Promise<string[]> {
  const bytes = new Uint8Array(await blob.arrayBuffer()), pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    let text = '';
    for (const byte of bytes.subarray(at, at + PIECE)) text += String.fromCharCode(byte);
    pieces.push(btoa(text));
  }
  return pieces;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('\r', '&#13;');

/** What all reports begin with. The server has it where the command was built with the engine. */
async function template(): Promise<string> {
  const response = await fetch('report.html');
  if (!response.ok) throw new Error('This build of sonde has no report engine: clang, lld or wasi-libc were missing.');
  return response.text();
}

/** `profile`: in the processed format, packed with gzip; `address`: what the page shows, as it stands in its own address. */
export async function reportFile(profile: Blob, name: string, address: string): Promise<Blob> {
  const start = `<script type="application/octet-stream" class="sonde-profile" data-name="${escaped(name)}" data-address="${escaped(address)}">`;
  return new Blob([await template(), start, ...(await base64Of(profile)), '</script>\n</body>\n</html>\n'], { type: 'text/html' });
}
