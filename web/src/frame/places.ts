// What the palette goes to by its name: functions, threads, moments and markers.
import { duration, percent, timestamp } from '../format/numbers.ts';
import { nameSearch } from '../markers/marker.ts';
import type { Command } from '../state/commands.ts';
import { rememberName } from '../state/names.ts';
import { adjust, ask, change, committed, selectThreads, view } from '../state/store.ts';
import { markerState, queryState } from '../state/view.ts';
import { allTracks } from '../timeline/tracks.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { rangeAt, readMoment } from './moments.ts';

const MOST = 8;

function moments(text: string): Command[] {
  const moment = readMoment(text), range = moment && rangeAt(moment, committed.peek());
  if (!moment || !range) return [];
  const [start, end] = moment;
  const title = end === null ? `Go to ${timestamp(start, 0.001)}` : `Select ${duration(range[1] - range[0])} from ${timestamp(range[0], 0.001)} on`;
  return [{ group: '', title, keys: [], run: () => adjust({ preview: range }) }];
}

function threads(words: readonly string[]): Command[] {
  const found = allTracks.peek().filter(({ thread, name, detail }) => thread !== null && words.every((word) => `${name} ${detail}`.toLowerCase().includes(word)));
  return found.slice(0, MOST).map(({ thread, name, detail }) => ({ group: '', title: `Thread ${name} (${detail})`, keys: [], run: () => selectThreads(`Thread ${name}`, [thread!]) }));
}

/** What is known at once. */
export const placesAtOnce = (text: string): Command[] => [...moments(text), ...threads(text.toLowerCase().split(/\s+/).filter(Boolean))];

type FunctionsPart = Part & { readonly root_total: number; readonly columns: Columns<'func' | 'name' | 'library' | 'total'> };
type StatsPart = Part & { readonly columns: Columns<'name' | 'count'> };

/** What the engine is asked for; undefined where something newer was asked meanwhile. */
export async function placesByName(text: string): Promise<Command[] | undefined> {
  const term = text.trim().replaceAll(/[\\,]/g, '\\$&');
  const search = `name:${term}`;
  const [functions, markers] = await Promise.all([
    ask('palette', { ...queryState(view.peek()), search }, [{ ask: 'rows', of: 'functions', sort: 'total', after: MOST * 100, highlight: search }]),
    ask('palette-markers', { ...markerState(view.peek()), marker_search: search }, [{ ask: 'marker_stats', row: 0, after: MOST }]),
  ]);
  if (!functions || !markers) return undefined;
  const part = functions.parts[0] as FunctionsPart, { func, name, library, total } = part.columns;
  const rows = Array.from(func, (number, i) => ({ number, i, text: textOf(name[i]) })).filter(({ text: of }) => of.toLowerCase().includes(text.trim().toLowerCase())).slice(0, MOST);
  for (const { number, i } of rows) rememberName(number, name[i]);
  const stats = (markers.parts[0] as StatsPart).columns;
  return [
    ...rows.map(({ number, i, text: of }) => ({
      group: '', keys: [], title: `Function ${of}${textOf(library[i]) && `, ${textOf(library[i])}`} (${percent(total[i]!, part.root_total)})`,
      run: () => change(`Function ${of}`, { panel: 'functions', func: number }),
    })),
    ...Array.from(stats.name, (id) => textOf(id)).map((of, i) => ({
      group: '', keys: [], title: `Markers ${of} (${stats.count[i]})`,
      run: () => change(`Markers ${of}`, { panel: 'marker-chart', markerSearch: nameSearch(of) }),
    })),
  ];
}
