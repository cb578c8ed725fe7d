/* Where the library is not loaded neither is the addon, and every function does nothing. */
'use strict';

/* `sonde record` says so in the environment; a program that loads the library itself, too. */
function isLoaded() {
  return Boolean(process.env.SONDE_STARTUP) || /\blibsonde/.test(process.env.LD_PRELOAD ?? '');
}

function loadAddon() {
  if (!isLoaded()) return undefined;
  try {
    const addon = require('./build/Release/sonde.node');
    return addon.isRecording ? addon : undefined;
  } catch {
    return undefined; // not built: as if nothing was recorded
  }
}

const addon = loadAddon();
module.exports = addon ? require('./lib/recorded.js')(addon) : require('./lib/nothing.js');
