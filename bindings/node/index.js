/* Where the library is not loaded neither is the addon, and every function does nothing. */
'use strict';

/* `sonde record` says so in the environment; a program that loads the library itself, too. */
function isLoaded() {
  return Boolean(process.env.SONDE_STARTUP) || /\blibsonde/.test(process.env.LD_PRELOAD ?? '');
}

function loadAddon() {
  if (!isLoaded()) return undefined;
  for (const file of ['./sonde.node', './build/Release/sonde.node']) { // as Sonde has it, as node-gyp builds it
    try {
      const addon = require(file);
      return addon.isRecording ? addon : undefined;
    } catch {
      // Not built: as if nothing was recorded.
    }
  }
  return undefined;
}

const addon = loadAddon();
module.exports = addon ? require('./lib/recorded.js')(addon) : require('./lib/nothing.js');
