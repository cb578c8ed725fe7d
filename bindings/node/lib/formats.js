/* How profilers show a value, and how the library reads it (enum sonde_input of sonde/api.h). Times are in milliseconds. */
'use strict';

const [TEXT, SIGNED, UNSIGNED, DOUBLE, , TIME, FLOW, MS, US] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

const formats = Object.freeze({
  'url': TEXT,
  'file-path': TEXT,
  'sanitized-string': TEXT,
  'string': TEXT,
  'unique-string': TEXT,
  'time': TIME,
  'duration': MS,
  'seconds': MS,
  'milliseconds': MS,
  'microseconds': US,
  'bytes': UNSIGNED,
  'percentage': DOUBLE,
  'integer': SIGNED,
  'decimal': DOUBLE,
  'hexadecimal': UNSIGNED,
  'flow-id': FLOW,
  'terminating-flow-id': FLOW,
});

const FIELDS_MAX = 32;

/* The same errors whether or not something is recorded. */
function checkFields(fields) {
  const entries = Object.entries(fields);
  if (entries.length < 1 || entries.length > FIELDS_MAX) {
    throw new RangeError(`a marker type has 1 to ${FIELDS_MAX} fields, not ${entries.length}`);
  }
  for (const [name, format] of entries) {
    if (!Object.hasOwn(formats, format)) {
      throw new RangeError(`${name}: '${format}' is no format, these are: ${Object.keys(formats).join(', ')}`);
    }
  }
}

/* The categories that there always are, by number. */
const categories = Object.freeze({
  idle: 0, other: 1, io: 2, network: 3, graphics: 4, javascript: 5, java: 6, gc: 7, ipc: 8, blocked: 9, test: 10, profiler: 11,
});

module.exports = { formats, checkFields, categories };
