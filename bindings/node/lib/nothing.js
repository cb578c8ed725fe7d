/* The same names as in recorded.js, for programs that are not recorded. */
'use strict';

const { formats, checkFields, categories } = require('./formats.js');

const interval = Object.freeze({ end() {} });

class MarkerType {
  constructor(name, fields) {
    checkFields(fields);
  }
  mark() {}
  start() {
    return interval;
  }
}

class Counter {
  add() {}
  set() {}
}

module.exports = {
  formats,
  categories,
  isRecording: () => false,
  now: () => 0,
  fromPerformance: () => 0,
  mark() {},
  start: () => interval,
  measure: (name, work) => work(),
  category: () => categories.other,
  subcategory: (category) => category,
  addBandwidth() {},
  renameThread() {},
  setProcessName() {},
  MarkerType,
  Counter,
};
