/* node --require sonde/auto app.js: what Node observes of itself as markers, without a change of the program: performance.mark
 * and performance.measure, garbage collections, requests, look-ups of names. */
'use strict';

const sonde = require('./index.js');
const { PerformanceObserver, constants } = require('node:perf_hooks');

const NAMES = { gc: 'GC', http: 'HTTP', http2: 'HTTP/2', net: 'Connect', dns: 'DNS', function: 'Function' };
const COLLECTIONS = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak callbacks',
};
const CATEGORIES = {
  gc: sonde.categories.gc, http: sonde.categories.network, http2: sonde.categories.network,
  net: sonde.categories.network, dns: sonde.categories.network,
};

/* As the Firefox Profiler knows it. */
const userTiming = new sonde.MarkerType('UserTiming', { name: 'string', entryType: 'string' },
  { tableLabel: '{marker.data.name}', chartLabel: '{marker.data.name}' });

function textOf(entry) {
  if (entry.entryType === 'gc') return COLLECTIONS[entry.detail?.kind];
  if (entry.entryType === 'http') {
    const { req, res } = entry.detail ?? {};
    return [req?.method, req?.url, res?.statusCode].filter((part) => part !== undefined).join(' ');
  }
  return entry.name;
}

function add(entry) {
  const start = sonde.fromPerformance(entry.startTime);
  if (entry.entryType === 'mark') {
    userTiming.mark('UserTiming', entry, { start, end: start });
  } else if (entry.entryType === 'measure') {
    userTiming.mark('UserTiming', entry, { start, end: start + entry.duration });
  } else {
    sonde.mark(NAMES[entry.entryType] ?? entry.entryType,
      { start, end: start + entry.duration, text: textOf(entry), category: CATEGORIES[entry.entryType] });
  }
}

if (sonde.isRecording()) {
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(add));
  const known = new Set(PerformanceObserver.supportedEntryTypes);
  observer.observe({ entryTypes: ['mark', 'measure', ...Object.keys(NAMES)].filter((type) => known.has(type)) });
  // Observers are called later; at the end there is no later.
  process.on('exit', () => observer.takeRecords().forEach(add));
}
