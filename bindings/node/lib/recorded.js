/* The package where the library is loaded. No value that a program gives throws here: what does not fit is empty or 0. */
'use strict';

const { formats, checkFields, categories } = require('./formats.js');

/* From performance.now() to the clock of markers. Of several readings that between which least time passed: the thread may be
 * interrupted between two clocks. */
function clockOffset(addon) {
  let offset = 0;
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const before = performance.now();
    const now = addon.now();
    const after = performance.now();
    if (after - before < least) {
      least = after - before;
      offset = now - (before + after) / 2;
    }
  }
  return offset;
}

module.exports = function recorded(addon) {
  const offset = clockOffset(addon);

  function textOf(text) {
    if (text === undefined || text === null) return undefined;
    try {
      return String(text);
    } catch {
      return '';
    }
  }

  function numberOf(category) {
    return typeof category === 'number' ? category : categories.other;
  }

  /* An interval that has begun; it ends once. */
  class Interval {
    #add;
    #start = addon.isRecording() ? addon.now() : 0;

    constructor(add) {
      this.#add = add;
    }

    end(more) {
      if (this.#start > 0) this.#add(this.#start, more);
      this.#start = 0;
    }
  }

  function mark(name, options = {}) {
    if (!addon.isRecording()) return;
    addon.addText(textOf(name), numberOf(options.category), options.start ?? 0, options.end ?? 0, textOf(options.text));
  }

  function start(name, options = {}) {
    return new Interval((begun, more) => mark(name, { ...options, ...more, start: begun }));
  }

  /* `work()`, as an interval; if it gives a promise, until that is settled. Exceptions end it, too. */
  function measure(name, work, options) {
    const interval = start(name, options);
    let result;
    try {
      result = work();
    } catch (error) {
      interval.end();
      throw error;
    }
    if (typeof result?.then !== 'function') {
      interval.end();
      return result;
    }
    result.then(() => interval.end(), () => interval.end());
    return result;
  }

  class MarkerType {
    #schema;
    #keys;
    #inputs;

    constructor(name, fields, { tableLabel, chartLabel } = {}) {
      checkFields(fields);
      this.#keys = Object.keys(fields);
      this.#inputs = Object.values(fields).map((format) => formats[format]);
      this.#schema = addon.makeType(textOf(name), textOf(tableLabel), textOf(chartLabel), this.#keys, Object.values(fields), this.#inputs);
    }

    mark(name, values = {}, options = {}) {
      if (!addon.isRecording()) return;
      const given = this.#keys.map((key, at) => (this.#inputs[at] === formats.string ? textOf(values[key]) : values[key]));
      addon.addTyped(textOf(name), numberOf(options.category), options.start ?? 0, options.end ?? 0, this.#schema, given);
    }

    start(name, values = {}, options = {}) {
      return new Interval((begun, more) => this.mark(name, { ...values, ...more }, { ...options, start: begun }));
    }
  }

  class Counter {
    #counter;

    constructor(name, category = 'Node', description = '') {
      this.#counter = addon.makeCounter(textOf(name), textOf(category), textOf(description));
    }

    add(amount = 1) {
      addon.counterAdd(this.#counter, amount);
    }

    set(value) {
      addon.counterSet(this.#counter, value);
    }
  }

  return {
    formats,
    categories,
    isRecording: addon.isRecording,
    now: addon.now,
    fromPerformance: (time) => time + offset,
    mark,
    start,
    measure,
    category: (name, colour = 'grey') => addon.category(textOf(name), textOf(colour)),
    subcategory: (category, name) => addon.subcategory(numberOf(category), textOf(name)),
    addBandwidth: (bytes) => addon.addBandwidth(bytes),
    renameThread: (name) => addon.renameThread(textOf(name)),
    setProcessName: (name) => addon.setProcessName(textOf(name)),
    MarkerType,
    Counter,
  };
};
