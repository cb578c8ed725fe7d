// From an address to a page that shows something: which server, which profile, which view.
import { batch } from '@preact/signals';
import type { EmbeddedTransport } from '../transport/embedded.ts';
import { Engine } from '../transport/engine.ts';
import { HttpTransport } from '../transport/http.ts';
import { SocketTransport } from '../transport/socket.ts';
import type { FileEntry, Transport } from '../transport/transport.ts';
import { ApiError } from '../transport/protocol.ts';
import { forgetTexts } from '../transport/texts.ts';
import { carryOn } from '../state/carry.ts';
import { parseAddress, type Address } from '../state/address.ts';
import { followHistory, goToAddress, viewOfAddress, viewOfReload, writeOpened } from '../state/history.ts';
import { forgetNames } from '../state/names.ts';
import type { Opened } from '../state/opened.ts';
import { forgetSourceTexts } from '../source/source_texts.ts';
import { ask, fatal, file, files, generation, opened, restore, setEngine, symbolProgress, view } from '../state/store.ts';
import { parseTransform } from '../state/transforms.ts';
import { DEFAULT_VIEW, EMPTY_PLACE, type View, withPlace } from '../state/view.ts';
import { loadPanel } from '../panels/panels.tsx';
import { loadEverything } from '../widgets/lazy.tsx';
import { closeMenu } from '../widgets/menu.tsx';

const TOKEN = 'sonde.token';

/** The token comes in the address once, and is taken out of it: addresses are shown, copied and kept. */
function takeToken(): string | null {
  const found = /^#token=([0-9a-f]+)$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(TOKEN, found[1]!);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(TOKEN);
}

/** Where the document is one. */
let report: EmbeddedTransport | undefined;

async function connect(): Promise<Transport> {
  if (document.getElementById('sonde-engine')) {
    const { EmbeddedTransport } = await import('./later.ts');
    return (report = await EmbeddedTransport.open());
  }
  const token = takeToken();
  if (!token) throw new ApiError('token', 'This address is not complete. `sonde view` prints one with a token, which this tab has not seen.');
  const http = new HttpTransport(`/${token}`);
  return (await SocketTransport.open(http, token)) ?? http;
}

let transport: Transport;

function listen(): void {
  transport.listen((event) => {
    if (event.event === 'bye') fatal.value = 'The server has ended. What is on the page stays; `sonde view` starts it again.';
    else if ('file' in event && event.file !== file.peek()?.id) return;
    else if (event.event === 'generation' && event.generation > generation.peek()) carryOn(goToAddress);
    else if (event.event === 'symbols') symbolProgress.value = event;
  });
}

/** What the command line of a report asked for. */
function reportView(): Partial<View> {
  const state = report?.view;
  if (!state) return {};
  const { transforms, implementation, search, inverted, idle, strategy } = { ...DEFAULT_VIEW, ...state };
  const parsed = (state.transforms ?? []).flatMap((text) => parseTransform(text) ?? []);
  const shown = { implementation, search, inverted, idle, strategy, transforms: parsed };
  if (!state.selected) return transforms.length > 0 ? { ...shown, tree: EMPTY_PLACE } : shown;
  const place = { open: state.selected.slice(0, -1), selected: state.selected, since: 0 };
  return { ...shown, ...withPlace(inverted, place) };
}

/** The address that a report was made with. */
const writtenAddress = (): string => report?.address ?? '';

/** What the profile shows at first, unless the address says otherwise. */
function firstView({ first, base }: Opened): View {
  const path = first.path && first.path.length > 0 ? first.path : null;
  const panel = first.panel === 'markers' || first.panel === 'marker-chart' ? 'marker-chart' : base === null ? 'tree' : 'comparison';
  return { ...DEFAULT_VIEW, panel, threads: first.threads, tree: { ...EMPTY_PLACE, open: first.open, selected: path }, ...reportView() };
}

/** There is nothing to compare with: a link, or a report, of a page where there was. */
const withoutComparison = (of: View, { base }: Opened): View => (of.panel === 'comparison' && base === null ? { ...of, panel: 'tree' } : of);

async function openProfile(entry: FileEntry, address: Address | null): Promise<void> {
  const engine = new Engine(transport, entry.id, () => generation.peek());
  engine.onOutdated = () => carryOn(goToAddress);
  setEngine(engine);
  forgetTexts();
  forgetNames();
  forgetSourceTexts();
  generation.value = 0;
  const reply = await ask('open', {}, [{ ask: 'open' }]);
  if (!reply) return;
  const part = reply.parts[0] as Opened;
  const usual = firstView(part);
  file.value = entry;
  const left = address && viewOfReload(reply.generation); // names are learnt from the address in any case
  const given = address && address.fields.size + (location.hash || writtenAddress() ? 1 : 0) > 0 ? await viewOfAddress(address) : null;
  batch(() => {
    generation.value = reply.generation;
    opened.value = part;
    restore(withoutComparison(left ? left : given ? { ...given, threads: given.threads.length > 0 ? given.threads : usual.threads, tree: given.tree.selected ? given.tree : given.transforms.length > 0 ? given.tree : usual.tree } : usual, part));
  });
  document.title = `${view.peek().name ?? part.product ?? entry.name} – Sonde`;
}

export async function openFile(entry: FileEntry): Promise<void> {
  closeMenu();
  opened.value = null;
  await openProfile(entry, null);
  writeOpened(`#/${view.peek().panel}?file=${entry.id}`);
}

/** Not while the first picture is made. */
const LATER_MS = 1000;

export async function start(): Promise<void> {
  loadPanel(parseAddress(location.hash).panel);
  try {
    transport = await connect();
    listen();
    files.value = await transport.files();
  } catch (error) {
    const isForeign = error instanceof ApiError && error.code === 'missing';
    fatal.value = isForeign ? 'This address is of an earlier `sonde view`. The one that runs now has printed another.' : error instanceof Error ? error.message : String(error);
    return;
  }
  const address = parseAddress(location.hash || writtenAddress());
  const entry = files.value.find(({ id }) => id === address.file);
  const isChosen = address.fields.has('file') || files.value.filter(({ state }) => state === 'open').length > 0 || files.value.length === 1;
  if (entry && isChosen) await openProfile(entry, address);
  followHistory();
  setTimeout(loadEverything, LATER_MS);
}
